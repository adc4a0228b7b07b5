// How to set up a relic, whether an algorithm hands work to it, and what it counts.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>

#include "finegrain/core/config.hpp"
#include "finegrain/thread/scheduling.hpp"

namespace fg::inline FINEGRAIN_ABI {

/// Whether an algorithm hands work to the assistant.
enum class offload {
  always,    ///< each time
  never,     ///< the whole work runs on the calling thread
  adaptive,  ///< where it was measured to be faster
};

/// How to set up a `relic`.
struct relic_options {
  /// The CPU to tie the assistant to. Without it the relic chooses: the SMT sibling of the caller's
  /// CPU where it may, else the nearest free one (see host/placement.hpp), and it moves the
  /// assistant when the caller has moved.
  std::optional<int> assistant_cpu{};

  /// How long an assistant without work looks for some before it sleeps, with a policy that sleeps
  /// by itself. Longer than a sleep and a wake-up cost together, or a program whose pauses are just
  /// a bit longer than the budget pays for both each time.
  /// 31 us pass until a sleeper runs, 9 of them on the main thread (EPYC 9004, KVM, Linux 6.18).
  /// Less than none is none; more than 35 years, for instance `max()`, is that.
  std::chrono::microseconds spin_budget{200};

  /// The same after `wake_up_hint`, until `sleep_hint`: longer than the pause between two frames,
  /// short enough that a forgotten `sleep_hint` does not burn a core.
  std::chrono::microseconds hinted_budget{100'000};

  /// The assistant's scheduling class. Where it can not have it, it keeps the main thread's:
  /// `basic_relic::scheduling_refusal` says why. So too for a real-time class on the CPU that the
  /// main thread is on, which the assistant would keep from it.
  fg::scheduling scheduling{};

  /// What debuggers and `top` call the assistant; Linux keeps 15 characters of it.
  std::string thread_name = "fg-relic";
};

/// What a relic has done since its start. Times in nanoseconds.
struct relic_counters {
  std::uint64_t tasks = 0;  ///< run by the assistant
  /// Run by the main thread instead: inline mode, or a branch that an adaptive algorithm kept. Such
  /// a call site counts in steps, of up to 1024 calls where they are short.
  std::uint64_t tasks_inlined = 0;
  std::uint64_t worked_ns = 0;  ///< CPU time of the assistant without `spun_ns`
  std::uint64_t spun_ns = 0;    ///< looking for work: looks times the measured time of a look
  std::uint64_t sleeps = 0;     ///< times that the assistant fell asleep
  std::uint64_t wake_ups = 0;   ///< times that the main thread woke it
};

}  // namespace fg::inline FINEGRAIN_ABI
