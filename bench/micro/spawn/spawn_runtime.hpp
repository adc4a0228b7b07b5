// What a runtime has to bring for the spawn program: its threads, and what is measured on them.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "kernels/bots/applications.hpp"
#include "kernels/uts/search.hpp"
#include "micro/spawn/balanced_walks.hpp"
#include "micro/spawn/flat_job.hpp"
#include "micro/spawn/tile_job.hpp"
#include "micro/spawn/uts_walks.hpp"
#include "micro/spawn/work_counter.hpp"

namespace fg::bench {

/// A unit of what is measured, by plain calls: some 10 us of it, or it counts as it goes on. Adds
/// the tasks that it did; throws on a wrong result.
using unit_of_work = std::function<void(work_counter&)>;

/// How a runtime is set up.
struct spawn_setup {
  std::vector<int> cpus;           ///< one a thread; the first is the root's
  bool tied = true;                ///< each thread to its CPU; else wherever the system puts it
  std::string policy;              ///< of the runtimes that have several, empty otherwise
  std::size_t queue_capacity = 0;  ///< tasks that a bounded queue holds; 0: as the runtime has it
  unit_of_work beside;             ///< what other processes repeat, where the runtime has them
};

/// One run of an application of the Barcelona OpenMP Tasks Suite.
struct application_run {
  bots::any_application& application;  ///< prepared
  bool tied = true;                    ///< OpenMP: a task stays on the thread that began it
  bool counted = false;                ///< tasks are counted by thread_census
};

/// A runtime whose threads are there, and what is run on it: fib, in which every call with n >= 2
/// spawns one task for one half and calls the other half itself, down to the leaves; flat loops;
/// trees of tasks, one a node, of which each node may run one child's itself; applications, whose
/// source is the same for all; tile programs, whose tasks wait for one another.
class task_runner {
 public:
  task_runner() = default;
  task_runner(const task_runner&) = delete;
  task_runner& operator=(const task_runner&) = delete;
  virtual ~task_runner() = default;

  /// Returns fib(n).
  virtual std::uint64_t fib(int n) = 0;
  /// The same, its leaves counted by thread_census.
  virtual std::uint64_t counted_fib(int n) = 0;
  /// Runs a flat job, each of its tasks spawned by a producer. Returns when all have run.
  virtual void flat(const flat_job& job) = 0;
  /// Runs a tree (walk.hpp), and returns the sum of its nodes' visits.
  virtual std::uint64_t walk(const balanced_walk& tree) = 0;
  virtual std::uint64_t walk(const balanced_census& tree) = 0;
  virtual uts::count walk(const uts_walk& tree) = 0;
  virtual uts::count walk(const uts_census& tree) = 0;
  virtual uts::count walk(const uts_timeline& tree) = 0;
  /// Runs an application.
  virtual void run(const application_run& asked) = 0;
  /// Runs a tile program, each of its tasks when it may. Returns when all have run.
  virtual void run(const tile_job& job) = 0;
  /// What other processes have done of the same work so far, in tasks; it counts as done within the
  /// time of a batch. Throws if one has ended.
  [[nodiscard]] virtual std::uint64_t done_beside() const { return 0; }
  /// What a reader must know of how it was set up, or nothing.
  [[nodiscard]] virtual std::string note() const { return {}; }
};

/// A runtime as the program knows it.
struct spawn_runtime {
  std::string name;
  std::string version;
  std::vector<std::string> policies;  ///< the default first; empty for a runtime that has none
  /// Starts the threads, calls the body once on a thread of the runtime or beside it, and ends
  /// them. Throws std::runtime_error where it cannot have the threads or the CPUs.
  std::function<void(const spawn_setup&, const std::function<void(task_runner&)>&)> session;
  /// Whether it heeds `spawn_setup::queue_capacity` under that policy. Empty: never.
  std::function<bool(const std::string& policy)> sets_queue_capacity{};
};

/// Parses the arguments, measures, and prints one line of JSON; the exit status as bench/README.md
/// has it.
int spawn_main(const spawn_runtime& runtime, int argc, char** argv);

}  // namespace fg::bench
