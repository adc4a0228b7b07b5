// The interface of a runtime of the spawn program: its threads, and the measurements on them.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "kernels/bots/applications.hpp"
#include "kernels/uts/search.hpp"
#include "programs/spawn/workloads/balanced_walks.hpp"
#include "programs/spawn/workloads/flat_job.hpp"
#include "programs/spawn/workloads/tile_job.hpp"
#include "programs/spawn/workloads/uts_walks.hpp"
#include "programs/spawn/workloads/work_counter.hpp"

namespace fg::bench {

/// A unit of the measured work, by plain calls: about 10 us of it, unless it counts as it
/// progresses. Adds the tasks that it did; throws on a wrong result.
using unit_of_work = std::function<void(work_counter&)>;

/// How a runtime is set up.
struct spawn_setup {
  std::vector<int> cpus;           ///< one per thread; the first is the root's
  bool tied = true;                ///< each thread is pinned to its CPU; else the system places it
  std::string policy;              ///< for runtimes that have several, empty otherwise
  std::size_t queue_capacity = 0;  ///< in tasks, of a bounded queue; 0: the runtime's default
  unit_of_work beside;             ///< what other processes repeat, if the runtime has them
};

/// One run of an application of the Barcelona OpenMP Tasks Suite.
struct application_run {
  bots::any_application& application;  ///< prepared
  bool tied = true;                    ///< OpenMP: a task stays on the thread that began it
  bool counted = false;                ///< thread_census counts the tasks
};

/// A runtime with running threads, and its workloads: fib, in which every call with n >= 2 spawns
/// one task for one half and calls the other half itself, down to the leaves; flat loops; trees of
/// tasks, one per node, in which each node may run one child itself; applications, whose source is
/// the same for all; tile programs, whose tasks depend on one another.
class task_runner {
 public:
  task_runner() = default;
  task_runner(const task_runner&) = delete;
  task_runner& operator=(const task_runner&) = delete;
  virtual ~task_runner() = default;

  /// Returns fib(n).
  virtual std::uint64_t fib(int n) = 0;
  /// The same, with its leaves counted by thread_census.
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
  /// Runs a tile program, each task once its dependences allow. Returns when all have run.
  virtual void run(const tile_job& job) = 0;
  /// The work that other processes have done so far, in tasks; it counts as done within the time of
  /// a batch. Throws if one has ended.
  [[nodiscard]] virtual std::uint64_t done_beside() const { return 0; }
  /// Anything noteworthy about how it was set up, or an empty string.
  [[nodiscard]] virtual std::string note() const { return {}; }
};

/// A runtime as the program knows it.
struct spawn_runtime {
  std::string name;
  std::string version;
  std::vector<std::string> policies;  ///< the default first; empty for a runtime that has none
  /// Starts the threads, calls the body once on a thread of the runtime or on another one, and ends
  /// the threads. Throws std::runtime_error if the threads or the CPUs are not available.
  std::function<void(const spawn_setup&, const std::function<void(task_runner&)>&)> session;
  /// Whether it honours `spawn_setup::queue_capacity` under that policy. Empty: never.
  std::function<bool(const std::string& policy)> sets_queue_capacity{};
};

/// Parses the arguments, measures, and prints one line of JSON. Returns the exit status described
/// in bench/README.md.
int spawn_main(const spawn_runtime& runtime, int argc, char** argv);

}  // namespace fg::bench
