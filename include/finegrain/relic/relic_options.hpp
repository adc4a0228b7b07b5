// Options and counters of a relic.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>

#include "finegrain/core/config.hpp"
#include "finegrain/thread/scheduling.hpp"

namespace fg::inline FINEGRAIN_ABI {

/// The options of a `relic`.
struct relic_options {
  /// The CPU to pin the assistant to. Without it the relic chooses: the SMT sibling of the caller's
  /// CPU if allowed, otherwise the nearest free one (see host/placement.hpp), and it moves the
  /// assistant when the caller has moved.
  std::optional<int> assistant_cpu{};

  /// How long an assistant without work looks for some before it sleeps, with a policy that sleeps
  /// by itself: at most, as it looks for less long when it has learned that this seldom finds any
  /// (controller/spin_budget.hpp). It should be longer than a sleep and a wake-up together: otherwise a program whose
  /// pauses are slightly longer than the budget pays for both each time.
  /// A sleeper runs after 31 us, 9 of them on the main thread (EPYC 9004, KVM, Linux 6.18).
  /// Negative values count as 0; more than 35 years, for instance `max()`, counts as 35 years.
  std::chrono::microseconds spin_budget{200};

  /// The same after `wake_up_hint`, until `sleep_hint`: longer than the pause between two frames,
  /// short enough that a forgotten `sleep_hint` does not burn a core.
  std::chrono::microseconds hinted_budget{100'000};

  /// How much of a CPU an assistant whose tasks come in periods may spend on being awake before the
  /// next ones are due, with a policy that sleeps by itself (controller/rhythm.hpp). 0: it wakes
  /// only when it is woken. Values below 0 count as 0, above 1 as 1.
  double anticipation_share = 0.05;

  /// Whether the main thread, while it waits, runs the tasks that a sleeping or waking assistant has
  /// not begun, in order; but not within its own branch of a `fork_join` or part of a loop. Without
  /// it only the assistant runs tasks, as in the paper, and each wait for a sleeper takes as long as
  /// a wake-up.
  bool main_helps = true;

  /// The assistant's scheduling class. If it cannot have it, it keeps the main thread's, and
  /// `basic_relic::scheduling_refusal` says why. The same holds for a real-time class on the main
  /// thread's CPU, because the main thread could not run there.
  fg::scheduling scheduling{};

  /// The assistant's name in debuggers and `top`; Linux keeps 15 characters of it.
  std::string thread_name = "fg-relic";
};

/// Counters of a relic since its start. Times in nanoseconds.
struct relic_counters {
  std::uint64_t tasks = 0;  ///< run by the assistant
  /// Run by the main thread instead: in inline mode, while the assistant slept, or a branch that an
  /// adaptive algorithm kept.
  /// Such a call site counts in steps of up to 1024 calls if they are short.
  std::uint64_t tasks_inlined = 0;
  std::uint64_t worked_ns = 0;  ///< CPU time of the assistant without `spun_ns`
  std::uint64_t spun_ns = 0;    ///< looking for work: looks times the measured time of a look
  std::uint64_t sleeps = 0;     ///< times that the assistant fell asleep
  std::uint64_t wake_ups = 0;   ///< times that the main thread woke it
  /// Times that it woke by itself before periodic tasks were due (`anticipation_share`).
  std::uint64_t early_wake_ups = 0;
  std::uint64_t period_ns = 0;  ///< of the tasks, as it has learned; 0: they have none
};

}  // namespace fg::inline FINEGRAIN_ABI
