// What a runtime has to bring for the spawn program: its threads, fib without cutoff, flat loops.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "micro/spawn/flat_job.hpp"

namespace fg::bench {

/// How a runtime is set up.
struct spawn_setup {
  std::vector<int> cpus;  ///< one a thread; the first is the root's
  std::string policy;     ///< of the runtimes that have several, empty otherwise
};

/// A runtime whose threads are there, and what is run on it: fib, in which every call with n >= 2
/// spawns one task for one half and calls the other half itself, down to the leaves; flat loops.
class task_runner {
 public:
  task_runner() = default;
  task_runner(const task_runner&) = delete;
  task_runner& operator=(const task_runner&) = delete;
  virtual ~task_runner() = default;

  /// Returns fib(n).
  virtual std::uint64_t fib(int n) = 0;
  /// Runs a flat job, each of its tasks spawned by a producer. Returns when all have run.
  virtual void flat(const flat_job& job) = 0;
  /// The tree of fib again; returns how many of its leaves ran on another thread than the root.
  virtual std::uint64_t leaves_elsewhere(int n) = 0;
  /// What other processes have done of the same work so far, in spawns; it counts as done within
  /// the time of a batch.
  [[nodiscard]] virtual std::uint64_t spawns_beside() const { return 0; }
};

/// A runtime as the program knows it.
struct spawn_runtime {
  std::string name;
  std::string version;
  std::vector<std::string> policies;  ///< the default first; empty for a runtime that has none
  /// Starts the threads, calls the body once on a thread of the runtime or beside it, and ends
  /// them. Throws std::runtime_error where it cannot have the threads or the CPUs.
  std::function<void(const spawn_setup&, const std::function<void(task_runner&)>&)> session;
};

/// Parses the arguments, measures, and prints one line of JSON; the exit status as bench/README.md
/// has it.
int spawn_main(const spawn_runtime& runtime, int argc, char** argv);

}  // namespace fg::bench
