// Decides for each run of a graph whether other threads take part.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>

#include "finegrain/controller/call_site.hpp"
#include "finegrain/controller/exploration_budget.hpp"
#include "finegrain/core/clock.hpp"

namespace fg::inline FINEGRAIN_ABI::detail {

// `Plan`, in the following, is a graph that can be run: `run_here<Timed>()`, `share<Timed>(team)`,
// `run_first(team)`, the run of which nothing is known, in which each node is timed; `site()`, what is
// known about its runs; `is_known()`, whether its nodes have been timed; `is_node_timing_due(runs)`, which
// counts runs and says whether each node of the next one is to be timed, and `end_node_timing(lane_costs)`;
// `modelled_total()`, how long its nodes take; `longest_of(total)`, how long the longer lane takes of a
// run that takes `total` here; `whole_of(took)`, how long the last run would have taken if it had been a
// whole one, 0 if that is not known. `Team` is the calling thread and those that it may share with:
// relic_team.hpp, pool_team.hpp.

/// What is done with runs by `executor`, which has so many threads; null: there was none.
inline const char* decision_on(const void* executor, std::size_t threads, const call_site& site) {
  if (executor == nullptr) {
    return "so far run by no relic and no pool";
  }
  if (threads < 2) {
    return "kept on the calling thread, as there is no other";
  }
  return site.hands_over() ? "shared" : "kept on the calling thread";
}

/// For a site of which nothing is known: if the nodes are long, the model promises enough, and the next
/// run is shared.
template <class Plan>
void begin_if_long(Plan& plan) {
  const std::uint64_t least = to_ticks(exploration_budget::kAlwaysShared);
  const std::uint64_t total = plan.modelled_total();
  if (total < 2 * least) {
    return;
  }
  const std::uint64_t longest = plan.longest_of(total);
  if (std::min(longest, total - longest) > least) {
    plan.site().timed_serial(longest, total - longest, ticks(), 0);
  }
}

/// A run in which each node is timed.
template <class Plan, class Team>
void run_with_timed_nodes(Plan& plan, Team& team) {
  if (plan.site().hands_over() && team.is_ready()) {
    plan.template share<true>(team);
  } else {
    plan.template run_here<true>();
  }
  plan.end_node_timing(team.lane_costs());
}

template <class Plan>
void run_timed_here(Plan& plan, std::uint64_t round_trip) {
  const std::uint64_t start = ticks();
  plan.template run_here<false>();
  const std::uint64_t end = ticks();
  const std::uint64_t whole = plan.whole_of(end - start);
  if (whole == 0) [[unlikely]] {
    return;
  }
  const std::uint64_t longest = plan.longest_of(whole);
  // If nothing is for a second lane it need not be tried: as if handing over took that long.
  const std::uint64_t cost = longest == whole ? 2 * longest + 1 : round_trip;
  plan.site().timed_serial(longest, whole - longest, end, cost);
}

template <class Plan, class Team>
void run_shared(Plan& plan, Team& team, bool timed) {
  const std::uint64_t start = timed ? ticks() : 0;
  plan.template share<false>(team);
  const long_wait& waited = team.waited();
  if (timed || waited.ticks != 0) [[unlikely]] {
    const std::uint64_t end = ticks();
    const std::uint64_t whole = timed ? plan.whole_of(end - start) : 0;
    if (!plan.site().stalled(waited, team.period_ticks(), end) && whole != 0) {
      plan.site().timed_hand_over(whole, end);
    }
  }
}

/// The same choices as in fork_join on a relic.
template <class Plan, class Team>
void run_as_decided(Plan& plan, Team& team) {
  call_site& site = plan.site();
  if (!site.hands_over()) {
    team.count_kept(site.calls_since_look());
    if (site.look(ticks())) {
      detail::run_timed_here(plan, site.wants_round_trip() ? team.round_trip_ticks() : 0);
    } else {
      plan.template run_here<false>();
    }
  } else if (team.is_ready()) {
    detail::run_shared(plan, team, site.look(ticks()));
  } else if (team.is_asleep() && site.outweighs_a_wake_up()) {
    team.wake();
    plan.template share<false>(team);  // not timed: it may include a wake-up
  } else {
    if (team.is_asleep() && site.is_worth_a_wake_up()) {
      team.wake();
    } else if (team.is_asleep() && site.pays_for_telling()) {
      team.miss_sleeper();
    }
    team.count_kept(1);
    plan.template run_here<false>();
  }
}

/// A run at which something is measured, perhaps. Rare, so kept out of line.
template <class Plan, class Team>
FINEGRAIN_NOINLINE void run_measured(Plan& plan, Team& team) {
  call_site& site = plan.site();
  if (!team.can_share()) {
    if (team.never_shares()) {
      site.rest();
    }
    plan.template run_here<false>();
    return;
  }
  const bool is_timing_due = plan.is_node_timing_due(site.calls_since_look());
  if (!plan.is_known()) {
    plan.run_first(team);
    plan.end_node_timing({});  // the round trip is not measured, which takes up to 18 us
    return;
  }
  if (site.is_first_call()) {  // of this executor
    detail::begin_if_long(plan);
  }
  if (is_timing_due) {
    detail::run_with_timed_nodes(plan, team);
  } else {
    detail::run_as_decided(plan, team);
  }
}

template <class Plan, class Team>
void replay(Plan& plan, Team&& team) {
  if (!plan.site().is_quiet()) [[unlikely]] {
    detail::run_measured(plan, team);
  } else if (plan.site().hands_over() && team.can_share() && team.is_ready()) {
    detail::run_shared(plan, team, false);
  } else {
    plan.template run_here<false>();
  }
}

}  // namespace fg::inline FINEGRAIN_ABI::detail
