// How to set up a pool.
#pragma once

#include <array>
#include <chrono>
#include <cstddef>
#include <cstdlib>
#include <stdexcept>
#include <string>
#include <string_view>

namespace fg {

/// Where the workers of a pool run. Worker 0 is the thread that calls `run`, which is never tied.
enum class worker_placement {
  one_per_core,  ///< one CPU of each core, then none: as many workers as cores
  every_cpu,     ///< all CPUs, cores first, then their SMT siblings
  untied         ///< wherever the system puts them
};

/// How to set up a `pool`.
struct pool_options {
  /// Threads, with the caller of `run`. 0: as many as `placement` has CPUs for, but not more than
  /// the CPU quota allows. More than there are CPUs are allowed; they are not tied then.
  std::size_t workers = 0;

  /// Name of the balancing policy (`pool::policies`). Empty: FINEGRAIN_POLICY from the environment,
  /// or if that is not set, private_deque.
  std::string policy{};

  worker_placement placement = worker_placement::one_per_core;

  /// Stack that waiting workers may use to help with other tasks, bytes; what they help with beyond
  /// it runs serially. An eighth of the usual stack of a thread: the rest is for the tasks.
  std::size_t help_stack_bytes = std::size_t{1} << 20U;

  /// Name of the wait policy (`kWaitPolicies`): what a worker without work does between two looks,
  /// and whether it ever sleeps. Empty: FINEGRAIN_WAIT from the environment, or if that is not set,
  /// spin_then_sleep. The others are for machines with CPUs to burn.
  std::string wait{};

  /// How long a worker without work looks for some before it sleeps, with a wait policy that sleeps
  /// by itself; as `relic_options`.
  std::chrono::microseconds spin_budget{200};
};

}  // namespace fg
