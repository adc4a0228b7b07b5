// Runs a loop on one worker of a pool, or on several if that pays.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <chrono>
#include <cstdint>

#include "finegrain/algorithm/pool/split.hpp"
#include "finegrain/controller/loop_site.hpp"
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

/// What it costs now to have a part of a loop run by another worker, in ticks: three times what an
/// empty branch costs, because the worker fetches the loop's variables, one line after the other,
/// and asks for more. Measured with halves of 1 us: 2.7 to 3.2 times (2 CPUs of an EPYC 9004, KVM).
inline std::uint64_t steal_ticks(worker& self) {
  round_trip_meter& meter = self.steal_meter();
  // Others have to be idle, but awake, and find no older task here.
  if (meter.is_due(ticks(), false) && !self.any_sleeps_guess() && self.has_empty_deque()) {
    meter.measure([&self] { return make_steal(self); });
  }
  // While it is not known: the usual one there.
  constexpr std::chrono::nanoseconds kUnknown{300};
  return 3 * (meter.ticks() != 0 ? meter.ticks() : to_ticks(kUnknown));
}

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
                    loop_site::wants_round_trip(end - start) ? steal_ticks(self) : 0);
}

template <class Loop>
void time_shared(worker& self, loop_site& site, Loop& loop) {
  const std::uint64_t start = ticks();
  const bool was_taken = loop.share(grain_at(site, loop.iterations));
  const std::uint64_t end = ticks();
  if (was_taken) {
    site.timed_shared(loop.iterations, end - start, end);
  } else {
    site.timed_untaken(loop.iterations, end - start, end, steal_ticks(self));
  }
}

// Should be shared, but workers sleep. False: it has run here.
inline bool is_worth_waking(worker& self, loop_site& site, std::uint64_t iterations) {
  if (site.is_new() || site.outweighs_a_wake_up(iterations)) {
    return true;
  }
  if (site.is_worth_a_wake_up(iterations)) {
    self.wake_one();
  }
  return false;
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
