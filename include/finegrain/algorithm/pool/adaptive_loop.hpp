// Runs a loop on one worker of a pool, or on several if that pays.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cstdint>

#include "finegrain/algorithm/pool/split.hpp"
#include "finegrain/algorithm/pool/steal_cost.hpp"
#include "finegrain/controller/loop_site.hpp"
#include "finegrain/core/clock.hpp"
#include "finegrain/pool/worker.hpp"

namespace fg::inline FINEGRAIN_ABI::detail {

/// The site's round trip, in ticks: by its model, a loop in two parts takes half of it longer than
/// one of them. Measured, that was 0.6 to 1.2 times what an empty branch costs, from fork to join,
/// for loops of 0.6 to 4 us; with twice that cost as the round trip, loops of 640 ns took 1.1 times
/// as long as serial ones, with three times 1.03 (2 CPUs of an EPYC 9004, KVM).
inline std::uint64_t loop_round_trip_ticks(worker& self) { return 3 * steal_ticks(self); }

// `Loop`, in the following, has `iterations`, `run_here()`, and `share(grain)`, which offers parts
// to other workers and returns whether one took some.

/// The grain of a loop that is shared: a piece is worth a steal if its cost is known, but a loop
/// that is worth sharing at all is cut in two.
inline std::uint64_t grain_at(const loop_site& site, std::uint64_t iterations) {
  const std::uint64_t half = iterations - iterations / 2;
  return std::max(grain_for(iterations, 0), std::min(half, site.iterations_in(site.round_trip())));
}

template <class Loop>
void time_here(worker& self, loop_site& site, Loop& loop) {
  const std::uint64_t start = ticks();
  loop.run_here();
  const std::uint64_t end = ticks();
  site.timed_serial(loop.iterations, end - start, end,
                    loop_site::wants_round_trip(end - start) ? loop_round_trip_ticks(self) : 0);
}

template <class Loop>
void time_shared(worker& self, loop_site& site, Loop& loop) {
  const std::uint64_t start = ticks();
  const bool was_taken = loop.share(grain_at(site, loop.iterations));
  const std::uint64_t end = ticks();
  if (was_taken) {
    site.timed_shared(loop.iterations, end - start, end);
  } else {
    site.timed_untaken(loop.iterations, end - start, end, loop_round_trip_ticks(self));
  }
}

// A call at which the site looks at the clock, or that is shared.
template <class Loop>
[[gnu::noinline]] void run_loop_long(worker& self, loop_site& site, bool quiet, Loop& loop) {
  if (!self.has_others()) {
    loop.run_here();
    return;
  }
  const bool shares = site.shares(loop.iterations);
  const bool wakes = shares && self.any_sleeps_guess();
  if (wakes && !is_worth_waking(self, site, loop.iterations)) {
    loop.run_here();
    return;
  }
  const bool timed = !quiet && !wakes && site.look(loop.iterations, ticks());
  if (shares) {
    timed ? time_shared(self, site, loop)
          : static_cast<void>(loop.share(grain_at(site, loop.iterations)));
  } else {
    timed ? time_here(self, site, loop) : loop.run_here();
  }
}

template <class Loop>
void run_loop(worker& self, loop_site& site, Loop& loop) {
  const bool quiet = site.is_quiet(loop.iterations);
  if (quiet && !site.shares(loop.iterations)) [[likely]] {
    loop.run_here();
  } else {
    run_loop_long(self, site, quiet, loop);
  }
}

/// The site that belongs to these types.
template <class... F>
loop_site& pool_loop_site_of() noexcept {
  constinit static thread_local loop_site site = loop_site::for_pool();
  return site;
}

}  // namespace fg::inline FINEGRAIN_ABI::detail
