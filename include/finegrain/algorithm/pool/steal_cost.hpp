// What it costs to have a branch run by another worker, asleep or not.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <cstdint>

#include "finegrain/controller/round_trip_meter.hpp"
#include "finegrain/core/atomic.hpp"
#include "finegrain/core/clock.hpp"
#include "finegrain/pool/forked_branch.hpp"
#include "finegrain/pool/worker.hpp"

namespace fg::inline FINEGRAIN_ABI::detail {

/// Forks an empty branch and waits until another worker has taken it. True if one did, at once.
[[gnu::noinline]] inline bool make_steal(worker& self) {
  atomic<bool> taken{false};
  const auto wait = [&taken] {
    const std::uint64_t begin = ticks();
    // Longer than a steal takes (0.3 to 2 us), shorter than any worker sleeps.
    constexpr std::chrono::microseconds kLongest{20};
    // Relaxed, here and in the branch: the join orders all else.
    while (!taken.load(memory_order_relaxed) && ticks() - begin < to_ticks(kLongest)) {
    }
  };
  const auto take = [&taken, &self] {
    taken.store(worker::current() != &self, memory_order_relaxed);
  };
  fork_join_on(self, wait, take);
  return taken.load(memory_order_relaxed);
}

/// What a steal costs now, in ticks: from the fork of an empty branch to its join.
inline std::uint64_t steal_ticks(worker& self) {
  round_trip_meter& meter = self.steal_meter();
  // Others have to be idle, but awake, and find no older task here.
  if (meter.is_due(ticks(), false) && !self.any_sleeps_guess() && self.has_empty_deque()) {
    meter.measure([&self] { return make_steal(self); });
  }
  // While it is not known: the usual one (2 CPUs of an EPYC 9004, KVM).
  constexpr std::chrono::nanoseconds kUnknown{300};
  return meter.ticks() != 0 ? meter.ticks() : to_ticks(kUnknown);
}

/// What the site of a call would share, though workers sleep: whether it is. `call`: the iterations
/// of a loop; nothing for branches.
template <class Site, class... Call>
bool is_worth_waking(worker& self, Site& site, Call... call) {
  if (site.is_new() || site.outweighs_a_wake_up(call...)) {
    return true;
  }
  if (site.is_worth_a_wake_up(call...)) {
    self.wake_one();
  }
  return false;
}

}  // namespace fg::inline FINEGRAIN_ABI::detail
