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

/// Whether a pool pins its threads to CPUs, one each. Callers of `run` and the spare thread are
/// never pinned, and no thread is if the placement is `untied` or there are more workers than CPUs.
enum class worker_pinning {
  automatic,  ///< to CPUs that no other pool and no relic of the process has; else not pinned
  always,     ///< even if other threads are pinned there
  never       ///< the system chooses the CPUs
};

namespace detail {

/// A pinning and its name in the environment.
struct named_pinning {
  std::string_view name;
  worker_pinning value;
};

/// All values, the default first. The names are those of FINEGRAIN_PINNING.
inline constexpr std::array kPinnings{
    named_pinning{"automatic", worker_pinning::automatic},
    named_pinning{"always", worker_pinning::always},
    named_pinning{"never", worker_pinning::never},
};

/// The value of FINEGRAIN_PINNING. If it is not set, the default; if it has no valid name, also the
/// default, after a line on standard error, once per process. Any thread that may call getenv.
/// Throws std::bad_alloc.
inline worker_pinning pinning_of_environment() {
  return choice_of_environment(kPinnings, "pinning", "FINEGRAIN_PINNING").value;
}

}  // namespace detail

/// Where the workers of a pool run. Worker 0 is the thread that calls `run`, which is never pinned.
enum class worker_placement {
  one_per_core,  ///< one CPU of each core: as many workers as cores
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
  /// Number of threads, including the caller of `run`. 0: as many as `placement` has CPUs for, but
  /// not more than the CPU quota allows. It may exceed the number of CPUs; then no worker is
  /// pinned.
  std::size_t workers = 0;

  /// Far more than the CPUs of any machine. The pool's constructor throws if asked for more.
  static constexpr std::size_t kMostWorkers = std::size_t{1} << 16U;

  /// Number of threads that may be inside `run` at once, each as a worker of its own; others leave
  /// their closure to the pool's threads. Each place takes 90 KiB, as a worker does. Only
  /// private_deque has more than one.
  std::size_t callers = 4;

  /// The pool's constructor throws if asked for more.
  static constexpr std::size_t kMostCallers = 64;

  /// The balancing policy, a `balancing` or its name. Empty: FINEGRAIN_POLICY from the environment;
  /// private_deque if that is not set or, after a line on standard error, names none.
  policy_choice policy{};

  /// Tasks that a bounded queue of the pool holds: combining's queue of each worker (24 in OMPi's
  /// paper, and here), and each ring of the xqueue policies, one from each worker to each (64 here;
  /// X-OpenMP's Fig. 9 varies it). 0: these defaults. Rings round up to a power of two, and hold
  /// less, but at least 8, if they would take more than 4 MiB together: `pool::queue_capacity`
  /// returns the result. Ignored by private_deque and chase_lev, whose queues grow. A task that
  /// finds its queue full runs at once; so does a group's task when 256 of its spawner's have not
  /// begun, however much fits into the queues.
  std::size_t queue_capacity = 0;

  /// The pool's constructor throws if asked for more.
  static constexpr std::size_t kMostQueueCapacity = std::size_t{1} << 20U;

  worker_placement placement = worker_placement::one_per_core;

  /// Whether workers are pinned to their CPUs. Empty: FINEGRAIN_PINNING from the environment;
  /// automatic if that is not set or, after a line on standard error, names none. Automatic,
  /// because a pinned worker keeps its caches and its NUMA node (fib took 0.8 to 1.0 of the time
  /// without), but two threads pinned to one CPU halve each other's speed while another CPU idles
  /// (docs/pool.md has the measurements). Use `never` for CPUs to which other processes pin their
  /// threads.
  std::optional<worker_pinning> pinning{};

  /// The most stack that waiting workers may use to help with other tasks, in bytes from where a
  /// thread begins to work; tasks beyond it run serially. 0: no limit but the stack's. A worker
  /// always stops at a quarter of its thread's real stack as the system reports it (`ulimit -s`, or
  /// the size that the thread was created with), and at 64 MiB. It stops 16 KiB below the entrance
  /// on a stack that is not the thread's own, for example a fiber's, or if the system does not
  /// report the stack. So a task that needs less than three quarters of its stack, run serially,
  /// never exhausts it.
  std::size_t help_stack_bytes = 0;

  /// Name of the wait policy (`kWaitPolicies`): what a worker without work does between two looks,
  /// and whether it ever sleeps. Empty: FINEGRAIN_WAIT from the environment; spin_then_sleep if
  /// that is not set or, after a line on standard error, names none that this processor has. The
  /// others are for machines with spare CPUs.
  std::string wait{};

  /// How long a worker without work looks for some before it sleeps, under a wait policy that
  /// sleeps by itself: at most, as between tasks it looks for less long when it has learned that
  /// this seldom finds any; like `relic_options::spin_budget`.
  std::chrono::microseconds spin_budget{200};

  /// The scheduling class of all workers except the caller of `run`. If the system refuses it, they
  /// keep that of the thread that makes the pool: `pool::scheduling_refusal` says why.
  fg::scheduling scheduling{};

  /// Name of the workers in debuggers and `top`, followed by the worker's number: `fg-worker-1`.
  /// Linux keeps 15 characters; the name is shortened so that the number fits.
  std::string thread_name = "fg-worker";

  /// Called with the worker's number by each thread that the pool creates, including the spare one:
  /// `on_thread_start` before it runs anything, `on_thread_stop` after everything. Callers of `run`
  /// are threads of the program and call neither. When the pool's constructor returns, all threads
  /// but the spare one, which is created later, have returned from the first; when its destructor
  /// returns, all have returned from the second. Different threads call them concurrently. An
  /// exception ends the program, as it does for a std::thread.
  std::function<void(std::size_t)> on_thread_start{};
  std::function<void(std::size_t)> on_thread_stop{};
};

}  // namespace fg::inline FINEGRAIN_ABI
