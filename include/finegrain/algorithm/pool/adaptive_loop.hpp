// Runs a loop on one worker of a pool, or on several if that pays.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cstdint>

#include "finegrain/algorithm/pool/split.hpp"
#include "finegrain/controller/exploration_budget.hpp"
#include "finegrain/controller/loop_site.hpp"
#include "finegrain/core/clock.hpp"
#include "finegrain/pool/steal_cost.hpp"
#include "finegrain/pool/worker.hpp"

namespace fg::inline FINEGRAIN_ABI::detail {

/// Notices when a loop that was expected to be short is not: whatever was measured before, its
/// iterations may be different ones. One clock read tells that in most calls: if the one in the
/// call before was a moment ago, this call cannot have lasted long. After a pause it has to look
/// again, and is wary for some calls, as the pause may have been a long loop.
class loop_watch {
 public:
  /// The first look of a loop.
  void begin(std::uint64_t now) noexcept {
    const bool is_recent = now - last_ < longest();
    wary_calls_ = is_recent ? wary_calls_ - (wary_calls_ != 0 ? 1 : 0) : kWaryCalls;
    since_ = is_recent ? last_ : now;
    last_ = now;
  }
  /// A further look. True if the loop takes too long for one thread.
  [[nodiscard]] bool is_long(std::uint64_t now) noexcept {
    last_ = now;
    return now - since_ >= longest();
  }
  [[nodiscard]] bool is_wary() const noexcept { return wary_calls_ != 0; }

 private:
  static std::uint64_t longest() noexcept {
    static const std::uint64_t longest = to_ticks(exploration_budget::kAlwaysShared);
    return longest;
  }

  // Seven looks of 10 ns in each, 0.3 us after a pause of at least 20 (EPYC 9004, KVM).
  static constexpr std::uint32_t kWaryCalls = 4;

  std::uint64_t last_ = 0;
  std::uint64_t since_ = 0;  // the loop began later
  std::uint32_t wary_calls_ = 0;
};

/// What a thread knows about the loops at one place in the source.
struct pool_loop_site {
  loop_site lengths = loop_site::for_pool();
  loop_watch watch{};
};

/// The site that belongs to these types.
template <class... F>
pool_loop_site& pool_loop_site_of() noexcept {
  constinit static thread_local pool_loop_site site;
  return site;
}

/// The site's round trip, in ticks: by its model, a loop in two parts takes half of it longer than
/// one of them. Measured, that was 0.6 to 1.25 times what an empty branch costs, from fork to join,
/// for loops of 0.6 to 4 us; with twice that cost as the round trip, loops of 640 ns took 1.1 times
/// as long as serial ones, with three times 1.03 (2 CPUs of an EPYC 9004, KVM).
inline std::uint64_t loop_round_trip_ticks(worker& self) { return 3 * steal_ticks(self); }

// `Loop`, in the following, has `iterations`; `grain`, that of the caller or 0; `run(begin, end)`;
// and `share(begin, grain)`, which offers parts of what is left to other workers and returns whether
// one took some. Iterations are run once, in ascending order but for those that others take.

/// The grain of a loop that is shared: a piece is worth a steal if its cost is known, but a loop
/// that is worth sharing at all is cut in two.
inline std::uint64_t grain_at(const loop_site& site, std::uint64_t iterations,
                              std::uint64_t grain) {
  const std::uint64_t half =
      std::min(iterations - iterations / 2, site.iterations_in(site.round_trip()));
  return grain != 0 ? grain : std::max(grain_for(iterations, 0), half);
}

// Not inlined: a loop has three such calls, and offers parts seldom.
template <class Loop>
FINEGRAIN_NOINLINE bool share(const loop_site& site, Loop& loop, std::uint64_t begin) {
  return loop.share(begin, grain_at(site, loop.iterations, loop.grain));
}

// How many iterations to run before the next look, in whole grains: an eighth of the loop at first,
// and if it is wary; else what takes 1 us, of which a look is 1 %.
template <class Loop>
std::uint64_t to_next_look(const pool_loop_site& site, const Loop& loop, bool is_first) {
  const std::uint64_t eighth = std::max<std::uint64_t>(loop.iterations / 8, 1);
  const std::uint64_t next = is_first || site.watch.is_wary()
                                 ? eighth
                                 : std::max(eighth, site.lengths.iterations_to_look() / 2);
  return loop.grain == 0 ? next : pieces_of(next, loop.grain) * loop.grain;
}

/// Runs a loop here that is expected to be short. False: it was not, and the rest was offered.
/// `start`: when it began, of a call that is timed.
template <class Loop>
bool run_here(pool_loop_site& site, Loop& loop, std::uint64_t start = 0) {
  std::uint64_t begin = 0;
  for (bool is_first = true;; is_first = false) {
    const std::uint64_t next = to_next_look(site, loop, is_first);
    if (loop.iterations - begin <= next) {
      loop.run(begin, loop.iterations);
      return true;
    }
    loop.run(begin, begin + next);
    begin += next;
    const std::uint64_t now = ticks();
    if (is_first) {
      site.watch.begin(now);
    } else if (site.watch.is_long(now)) [[unlikely]] {
      const std::uint64_t elapsed = start == 0 ? 0 : now - start;
      site.lengths.timed_long(begin, elapsed, now, loop_round_trip_ticks(*worker::current()));
      static_cast<void>(share(site.lengths, loop, begin));
      return false;
    }
  }
}

template <class Loop>
void time_here(worker& self, pool_loop_site& site, Loop& loop) {
  const std::uint64_t start = ticks();
  if (run_here(site, loop, start)) {
    const std::uint64_t end = ticks();
    const bool wants = loop_site::wants_round_trip(end - start);
    site.lengths.timed_serial(loop.iterations, end - start, end,
                              wants ? loop_round_trip_ticks(self) : 0);
  }
}

template <class Loop>
void time_shared(worker& self, loop_site& site, Loop& loop) {
  const std::uint64_t start = ticks();
  const bool was_taken = share(site, loop, 0);
  const std::uint64_t end = ticks();
  was_taken ? site.timed_shared(loop.iterations, end - start, end)
            : site.timed_untaken(loop.iterations, end - start, end, loop_round_trip_ticks(self));
}

// The loop should be shared. Whether it is, though workers sleep; one that gains little does not
// wake them, and one that gains much needs only one that is awake.
inline bool is_worth_waking(worker& self, loop_site& site, std::uint64_t iterations) {
  if (site.is_new() || site.outweighs_a_wake_up(iterations) ||
      (!self.all_sleep_guess() && site.pays_for_waking(iterations))) {
    return true;
  }
  if (site.is_worth_a_wake_up(iterations)) {
    self.wake_one();
  }
  return false;
}

// A call at which the site looks at the clock, or that is shared.
template <class Loop>
FINEGRAIN_NOINLINE void run_loop_long(worker& self, pool_loop_site& site, bool quiet, Loop& loop) {
  if (!self.has_others()) {
    loop.run(0, loop.iterations);
    return;
  }
  loop_site& lengths = site.lengths;
  const bool should_share = lengths.shares(loop.iterations);
  const bool wakes = should_share && self.any_sleeps_guess();
  const bool shares = should_share && (!wakes || is_worth_waking(self, lengths, loop.iterations));
  const bool timed = !quiet && lengths.look(loop.iterations, ticks());
  if (shares) {
    timed && !wakes ? time_shared(self, lengths, loop) : static_cast<void>(share(lengths, loop, 0));
  } else {
    timed ? time_here(self, site, loop) : static_cast<void>(run_here(site, loop));
  }
}

template <class Loop>
void run_loop(worker& self, pool_loop_site& site, Loop& loop) {
  const bool quiet = site.lengths.is_quiet(loop.iterations);
  if (quiet && !site.lengths.shares(loop.iterations)) [[likely]] {
    static_cast<void>(run_here(site, loop));
  } else {
    run_loop_long(self, site, quiet, loop);
  }
}

}  // namespace fg::inline FINEGRAIN_ABI::detail
