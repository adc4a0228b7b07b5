// Measures what it costs to have a branch run by another worker.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <cstdint>

#include "finegrain/controller/round_trip_meter.hpp"
#include "finegrain/core/clock.hpp"
#include "finegrain/pool/forked_branch.hpp"
#include "finegrain/pool/worker.hpp"
#include "finegrain/wait/wait.hpp"

namespace fg::inline FINEGRAIN_ABI::detail {

/// Offers an empty branch and waits until another worker has run it. True if one did, at once. Runs
/// nothing else meanwhile: its caller has not asked for that. Requires: `worker::would_offer_next`.
FINEGRAIN_NOINLINE inline bool make_steal(worker& self) noexcept {
  // Longer than a steal takes (0.1 to 1.3 us, EPYC 9004, KVM), shorter than any worker looks for work.
  constexpr std::chrono::microseconds kLongest{20};
  const auto nothing = [] {};
  forked_branch<decltype(nothing)> forked{nothing};
  if (self.push(forked) != worker::pushed::own_deque) {
    return false;
  }
  const std::uint64_t begin = ticks();
  while (!has_run(forked) && ticks() - begin < to_ticks(kLongest)) {
  }
  const bool was_taken = has_run(forked);
  if (!was_taken && !self.take_back_at_once(forked)) {
    for (spin_wait<> wait; !has_run(forked); wait()) {  // it is being run
    }
  }
  return was_taken;
}

/// What a steal costs, in ticks, as far as it is known: from the fork of an empty branch to its join.
inline std::uint64_t known_steal_ticks(worker& self) noexcept {
  // While it is not known: the usual one (2 CPUs of an EPYC 9004, KVM).
  constexpr std::chrono::nanoseconds kUnknown{300};
  const std::uint64_t known = self.steal_meter().ticks();
  return known != 0 ? known : to_ticks(kUnknown);
}

/// The same, measured before if that is due.
inline std::uint64_t steal_ticks(worker& self) {
  round_trip_meter& meter = self.steal_meter();
  // Others have to be idle, but awake, and find no older task here.
  if (meter.is_due(ticks(), false) && !self.any_sleeps_guess() && self.would_offer_next()) {
    meter.measure([&self] { return make_steal(self); });
  }
  return known_steal_ticks(self);
}

}  // namespace fg::inline FINEGRAIN_ABI::detail
