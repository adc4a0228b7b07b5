// The options of a pool.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <chrono>
#include <cstddef>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "finegrain/core/environment.hpp"
#include "finegrain/thread/scheduling.hpp"

namespace fg::inline FINEGRAIN_ABI {

/// Whether a pool ties its threads to CPUs, one each: never the callers of `run` and the spare
/// thread, and nobody where the placement is `untied` or there are more workers than CPUs.
enum class worker_pinning {
  automatic,  ///< to CPUs that no other pool and no relic of the process has; else not tied
  always,     ///< whoever else is tied there
  never       ///< the system puts them where it likes
};

namespace detail {

/// A name of the environment.
struct named_pinning {
  std::string_view name;
  worker_pinning value;
};

/// All of them, the default first. The names are those of FINEGRAIN_PINNING.
inline constexpr std::array kPinnings{
    named_pinning{"automatic", worker_pinning::automatic},
    named_pinning{"always", worker_pinning::always},
    named_pinning{"never", worker_pinning::never},
};

/// That of FINEGRAIN_PINNING; the default where it is not set, or after a line on standard error,
/// once a process, where there is none of that name. Any thread that may call getenv. Throws
/// std::bad_alloc.
inline worker_pinning pinning_of_environment() {
  return choice_of_environment(kPinnings, "pinning", "FINEGRAIN_PINNING").value;
}

}  // namespace detail

/// Where the workers of a pool run. Worker 0 is the thread that calls `run`, which is never tied.
enum class worker_placement {
  one_per_core,  ///< one CPU of each core, then none: as many workers as cores
  every_cpu,     ///< all CPUs, cores first, then their SMT siblings
  untied         ///< wherever the system puts them
};

/// The balancing policies: where spawned tasks go, and how an idle worker gets one (docs/pool.md).
enum class balancing {
  private_deque,
  xqueue_static,
  xqueue_wait,
  xqueue_nowait,
  xqueue_nowait_2,  ///< by name `xqueue_nowait:2`: a thief is given two tasks
  combining,
  chase_lev
};

namespace detail {

/// Their names, in that order.
inline constexpr std::array<std::string_view, 7> kBalancingNames{
    "private_deque",   "xqueue_static", "xqueue_wait", "xqueue_nowait",
    "xqueue_nowait:2", "combining",     "chase_lev"};

}  // namespace detail

[[nodiscard]] constexpr std::string_view name_of(balancing which) noexcept {
  return detail::kBalancingNames[static_cast<std::size_t>(which)];  // NOLINT: one of the seven
}

/// A balancing policy, chosen by value or by name, or left to the environment.
class policy_choice {
 public:
  policy_choice() = default;
  // NOLINTBEGIN(google-explicit-constructor): an option is assigned any of them
  policy_choice(balancing which) : name_{name_of(which)} {}
  policy_choice(std::string name) noexcept : name_{std::move(name)} {}
  policy_choice(std::string_view name) : name_{name} {}
  policy_choice(const char* name) : name_{name} {}
  // NOLINTEND(google-explicit-constructor)

  /// Empty: left to the environment.
  [[nodiscard]] const std::string& name() const noexcept { return name_; }

 private:
  std::string name_;
};

/// How to set up a `pool`.
struct pool_options {
  /// Threads, with the caller of `run`. 0: as many as `placement` has CPUs for, but not more than
  /// the CPU quota allows. More than there are CPUs are allowed; they are not tied then.
  std::size_t workers = 0;

  /// Far more than any machine has CPUs. A pool that is asked for more throws.
  static constexpr std::size_t kMostWorkers = std::size_t{1} << 16U;

  /// Threads that may be inside `run` at once, each as a worker of its own; others leave what they
  /// bring to the pool's threads. Each place takes 90 KiB, as a worker does. Only private_deque has
  /// more than one.
  std::size_t callers = 4;

  /// A pool that is asked for more throws.
  static constexpr std::size_t kMostCallers = 64;

  /// The balancing policy, a `balancing` or its name. None: FINEGRAIN_POLICY from the environment;
  /// private_deque where that is not set, or, with a line on standard error, names none.
  policy_choice policy{};

  /// Tasks that a bounded queue of the pool holds: combining's queue of each worker (24 in OMPi's
  /// paper, and here), and each ring of the xqueue policies, one from each worker to each (64 here;
  /// X-OpenMP's Fig. 9 varies it). 0: those. The rings round up to a power of two, and hold less
  /// where they would take more than 4 MiB together, but 8 at least then: `pool::queue_capacity`
  /// tells what came of it. Ignored by private_deque and chase_lev, whose queues grow. A task that
  /// finds its queue full runs at once; so does a group's task when 256 of its spawner's have
  /// not begun, however much fits into the queues.
  std::size_t queue_capacity = 0;

  /// A pool that is asked for more throws.
  static constexpr std::size_t kMostQueueCapacity = std::size_t{1} << 20U;

  worker_placement placement = worker_placement::one_per_core;

  /// Whether workers are tied to their CPUs. Empty: FINEGRAIN_PINNING from the environment;
  /// automatic where that is not set, or, with a line on standard error, names none. Automatic,
  /// because a tied worker keeps its caches and its NUMA node (fib took 0.8 to 1.0 of the time
  /// without), but two threads that are tied to one CPU halve each other while another one idles
  /// (docs/pool.md has the measurements). `never` for CPUs to which other processes tie theirs.
  std::optional<worker_pinning> pinning{};

  /// The most stack that waiting workers may use to help with other tasks, bytes from where a
  /// thread begins to work; what they help with beyond it runs serially. 0: no limit but the
  /// stack's. A worker always stops at a quarter of its thread's real stack, which is asked of the
  /// system (`ulimit -s`, the size that a thread was made with), and 64 MiB; at 16 KiB below the
  /// entrance on a stack that is not the thread's own, a fiber's for example, or where the system
  /// does not tell. So a task that needs less than three quarters of its stack, run serially, never
  /// runs out of it.
  std::size_t help_stack_bytes = 0;

  /// Name of the wait policy (`kWaitPolicies`): what a worker without work does between two looks,
  /// and whether it ever sleeps. Empty: FINEGRAIN_WAIT from the environment;
  /// spin_then_sleep where that is not set, or, with a line on standard error, names none of this
  /// processor's. The others are for machines with CPUs to burn.
  std::string wait{};

  /// How long a worker without work looks for some before it sleeps, with a wait policy that sleeps
  /// by itself; as `relic_options::spin_budget`.
  std::chrono::microseconds spin_budget{200};

  /// The scheduling class of all workers but the caller of `run`. Where they can not have it they
  /// keep that of the thread that makes the pool: `pool::scheduling_refusal` says why.
  fg::scheduling scheduling{};

  /// What debuggers and `top` call the workers, each with its number behind it: `fg-worker-1`.
  /// Linux keeps 15 characters, of which the number gets what it needs.
  std::string thread_name = "fg-worker";

  /// Called with the worker's number by each thread that the pool makes, the spare one too: before
  /// it runs anything, and after everything. Callers of `run` are threads of the program's. All
  /// threads but the spare one, which is made later, have returned from the first when the pool's
  /// constructor returns, and all from the second when its destructor does. Different threads call
  /// them at the same time. An exception ends the program, as it does for a std::thread.
  std::function<void(std::size_t)> on_thread_start{};
  std::function<void(std::size_t)> on_thread_stop{};
};

}  // namespace fg::inline FINEGRAIN_ABI
