// Runs a loop on one thread or on two, whichever is faster.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cstdint>

#include "finegrain/algorithm/relic/fork_join.hpp"
#include "finegrain/algorithm/relic/loop_layout.hpp"
#include "finegrain/controller/exploration_budget.hpp"
#include "finegrain/controller/loop_site.hpp"
#include "finegrain/controller/offload.hpp"
#include "finegrain/core/clock.hpp"
#include "finegrain/relic/relic_like.hpp"

namespace fg::inline FINEGRAIN_ABI::detail {

// `Loop`, below, has `shape`, `run_here()`, `run(begin, end)` for a part, `run_on_both(relic,
// layout)` and `run_rest_on_both(relic, layout, begin)`. Parts are not for `shape.fixed_chunks`.

template <class Loop>
loop_layout layout_of(const loop_site& site, const Loop& loop) noexcept {
  return {loop.shape,
          {.serial = site.expected_serial(loop.shape.iterations), .round_trip = site.round_trip()}};
}

/// The last part of a loop that has been run here: so many iterations, up to `end`.
struct timed_part {
  std::uint64_t iterations;
  std::uint64_t end;
  std::uint64_t ticks;
  std::uint64_t now;
};

/// Runs a loop here to its end, or until it has taken so long that it should be shared. In parts of
/// one, two, four ... grains, so the last one, which is timed, has half of what was run.
template <class Loop>
timed_part run_until_long(Loop& loop) {
  static const std::uint64_t longest = to_ticks(exploration_budget::kAlwaysShared);
  const std::uint64_t iterations = loop.shape.iterations;
  const std::uint64_t start = ticks();
  std::uint64_t next = std::max<std::uint64_t>(loop.shape.grain, 1);
  std::uint64_t begin = 0;
  for (std::uint64_t begun = start;; next *= 2) {
    const std::uint64_t left = iterations - begin;
    const std::uint64_t length = left / 2 <= next ? left : next;
    loop.run(begin, begin + length);
    begin += length;
    const std::uint64_t now = ticks();
    if (begin == iterations || now - start >= longest) {
      return {.iterations = length, .end = begin, .ticks = now - begun, .now = now};
    }
    begun = now;
  }
}

/// Runs what is left of a loop of unknown cost after `done`.
template <class Relic, class Loop>
void run_rest(Relic& relic, Loop& loop, const timed_part& done) {
  loop_shape shape = loop.shape;
  shape.iterations -= done.end;
  const loop_layout layout{shape, {}};
  const double gain = static_cast<double>(done.ticks) / static_cast<double>(done.iterations) *
                      static_cast<double>(shape.iterations) / 2;
  const bool pays = relic_access::is_ready(relic) ||
                    (relic.is_asleep() &&
                     exploration_budget::outweighs_a_wake_up(static_cast<std::uint64_t>(gain)));
  if (!pays || !layout.is_shareable()) {
    loop.run(done.end, loop.shape.iterations);
    return;
  }
  relic_access::wake_if_asleep(relic);
  loop.run_rest_on_both(relic, layout, done.end);
}

/// A loop whose cost is not known may be the only one, and take seconds.
template <class Relic, class Loop>
void run_unknown(Relic& relic, loop_site& site, Loop& loop) {
  const timed_part done = run_until_long(loop);
  const bool wants = loop_site::wants_round_trip(done.ticks);
  site.timed_serial(done.iterations, done.ticks, done.now,
                    wants ? relic_access::round_trip_ticks(relic) : 0);
  if (done.end != loop.shape.iterations) {
    run_rest(relic, loop, done);
  }
}

template <class Relic, class Loop>
void run_timed_here(Relic& relic, loop_site& site, Loop& loop) {
  if (site.is_new() && !loop.shape.fixed_chunks) {
    run_unknown(relic, site, loop);
    return;
  }
  const std::uint64_t start = ticks();
  loop.run_here();
  const std::uint64_t end = ticks();
  const std::uint64_t round_trip =
      loop_site::wants_round_trip(end - start) ? relic_access::round_trip_ticks(relic) : 0;
  site.timed_serial(loop.shape.iterations, end - start, end, round_trip);
}

template <class Relic, class Loop>
void run_on_both(Relic& relic, loop_site& site, Loop& loop, bool timed) {
  const loop_layout layout = layout_of(site, loop);
  site.uncount_call();
  const std::uint64_t start = timed ? ticks() : 0;
  relic_access::long_wait(relic).ticks = 0;  // it was the program's own
  loop.run_on_both(relic, layout);
  const long_wait& waited = relic_access::long_wait(relic);
  if (timed || waited.ticks != 0) [[unlikely]] {
    const std::uint64_t end = ticks();
    const std::uint64_t period = relic_access::period_ticks(relic);
    if (!site.stalled(loop.shape.iterations, waited, period, end) && timed) {
      site.timed_shared(loop.shape.iterations, end - start, end);
    }
  }
}

// The loop should be shared, but the assistant sleeps or is busy.
template <class Relic, class Loop>
FINEGRAIN_NOINLINE void run_without_assistant(Relic& relic, loop_site& site, Loop& loop) {
  if (relic.is_asleep()) {
    if (site.outweighs_a_wake_up(loop.shape.iterations)) {
      site.uncount_call();
      relic_access::wake_if_asleep(relic);
      loop.run_on_both(relic, layout_of(site, loop));  // not timed: it includes the wake-up
      return;
    }
    if (site.is_worth_a_wake_up(loop.shape.iterations)) {
      relic_access::wake_if_asleep(relic);
    } else if (site.pays_for_telling(loop.shape.iterations)) {
      relic_access::miss_sleeper(relic);
    }
  }
  loop.run_here();
}

// A call at which the site looks at the clock. Rare, so kept out of line.
template <class Relic, class Loop>
FINEGRAIN_NOINLINE void run_measured(Relic& relic, loop_site& site, Loop& loop) {
  if (!relic.called_by_main()) {
    site.rest();
    loop.run_here();
    return;
  }
  relic_access::count_inlined(relic, site.take_calls());
  if (relic.inline_mode()) {
    site.rest();
    loop.run_here();
  } else if (!relic_access::can_share(relic)) {
    loop.run_here();  // within a task that the main thread runs
  } else if (!site.shares(loop.shape.iterations)) {
    site.look(loop.shape.iterations, ticks()) ? run_timed_here(relic, site, loop) : loop.run_here();
  } else if (relic_access::is_ready(relic)) {
    run_on_both(relic, site, loop, site.look(loop.shape.iterations, ticks()));
  } else {
    run_without_assistant(relic, site, loop);
  }
}

template <class Relic, class Loop>
void run_where_it_pays(Relic& relic, loop_site& site, Loop& loop) {
  if (!site.is_quiet(loop.shape.iterations)) [[unlikely]] {
    run_measured(relic, site, loop);
  } else if (!site.shares(loop.shape.iterations) || !relic_access::can_share(relic)) {
    loop.run_here();
  } else if (relic_access::is_ready(relic)) {
    run_on_both(relic, site, loop, false);
  } else {
    run_without_assistant(relic, site, loop);
  }
}

// Runs on both threads at any cost; the site only learns how to cut the loop.
template <class Relic, class Loop>
void run_always_on_both(Relic& relic, loop_site& site, Loop& loop) {
  const loop_layout layout = layout_of(site, loop);
  if (!layout.is_shareable()) {
    relic_access::count_inlined(relic, 1);
    loop.run_here();
    return;
  }
  relic_access::wake_if_asleep(relic);  // submit might leave it asleep
  if (site.is_quiet(loop.shape.iterations) || !site.look(loop.shape.iterations, ticks())) {
    loop.run_on_both(relic, layout);
  } else {
    const std::uint64_t round_trip = relic_access::round_trip_ticks(relic);
    const std::uint64_t start = ticks();
    loop.run_on_both(relic, layout);
    const std::uint64_t end = ticks();
    site.timed_unasked(loop.shape.iterations, end - start, end, round_trip);
  }
}

template <class Relic, class Loop>
void run_loop(Relic& relic, loop_site& site, offload mode, Loop& loop) {
  const bool one_chunk = loop.shape.iterations < 2 || loop.shape.iterations <= loop.shape.grain;
  const bool may_share = !one_chunk && mode != offload::never;
  if (may_share && mode == offload::adaptive) {
    run_where_it_pays(relic, site, loop);
  } else if (may_share && relic_access::can_share(relic)) {
    run_always_on_both(relic, site, loop);
  } else {
    if (relic.called_by_main()) {
      relic_access::count_inlined(relic, 1);
    }
    loop.run_here();
  }
}

template <class... F>
loop_site& loop_site_of() noexcept {
  constinit static thread_local loop_site site;
  return site;
}

}  // namespace fg::inline FINEGRAIN_ABI::detail
