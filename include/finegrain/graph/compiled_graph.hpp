// A graph as it is run: its order, its times, its lanes, and what is known about sharing it.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <exception>
#include <memory>
#include <span>
#include <type_traits>
#include <utility>
#include <vector>

#include "finegrain/controller/call_site.hpp"
#include "finegrain/controller/exploration_budget.hpp"
#include "finegrain/core/clock.hpp"
#include "finegrain/graph/early_end.hpp"
#include "finegrain/graph/graph_nodes.hpp"
#include "finegrain/graph/graph_run.hpp"
#include "finegrain/graph/lane_schedule.hpp"
#include "finegrain/graph/node_times.hpp"
#include "finegrain/graph/pool_team.hpp"
#include "finegrain/graph/precedence.hpp"
#include "finegrain/graph/relic_team.hpp"
#include "finegrain/graph/replay.hpp"
#include "finegrain/graph/spare_runs.hpp"
#include "finegrain/graph/stealing_run.hpp"
#include "finegrain/graph/two_lanes.hpp"
#include "finegrain/pool/pool.hpp"

namespace fg::inline FINEGRAIN_ABI::detail {

/// Made before the first run of a graph, and again after a change; runs allocate nothing. The `Plan`
/// of replay.hpp.
class compiled_graph {
 public:
  compiled_graph() = default;
  compiled_graph(const compiled_graph&) = delete;
  compiled_graph& operator=(const compiled_graph&) = delete;

  /// Makes it the graph of these nodes and edges, of which nothing is known. `bodies`, by node, are
  /// used until the next call, and make so many choices. False: there is a cycle of edges; then it
  /// must not be run. Allocates nothing if it was as large before. Throws std::bad_alloc.
  [[nodiscard]] bool rebuild(std::span<const node_body> bodies, std::span<const graph_edge> edges,
                             std::size_t choices = 0) {
    edges_.rebuild(bodies.size(), edges);
    if (edges_.has_cycle()) {
      return false;
    }
    bodies_ = bodies;
    in_order_.resize(bodies.size());
    std::ranges::transform(edges_.order(), in_order_.begin(),
                           [bodies](std::uint32_t node) { return bodies[node]; });
    times_.reset(bodies.size());
    schedule_.reserve(bodies.size());
    costs_ = {to_ticks(kUsualCost), to_ticks(kUsualCost)};
    is_scheduled_ = false;
    chosen_.resize(choices);
    run_.chosen = chosen_.data();
    run_.executor = nullptr;
    threads_ = 1;
    return true;
  }

  /// The next run is by `executor`, which has so many threads and runs parts by `run_part`. What was
  /// learnt about sharing with another one is not true of it. The first run by more than two threads
  /// allocates: std::bad_alloc.
  void run_by(void* executor, std::size_t threads,
              void (*run_part)(graph_run& run, graph_core& part)) {
    if (executor != run_.executor || threads != threads_ || run_part != run_.run_part)
        [[unlikely]] {
      if (threads > 2) {
        stealing_.rebuild(bodies_);
      }
      site_ = {};
      threads_ = threads;
      run_.executor = executor;
      run_.run_part = run_part;
    }
  }

  /// Whether runs that are shared are in lanes, and what is done with them, in words.
  [[nodiscard]] bool is_in_lanes() const noexcept { return threads_ == 2; }
  [[nodiscard]] const char* decision() const noexcept {
    return decision_on(run_.executor, threads_, site_);
  }

  /// For runs that may be stopped, between `allow_stop(true)` and `allow_stop(false)`.
  [[nodiscard]] early_end& end() noexcept { return end_; }
  void allow_stop(bool allowed) noexcept {
    may_stop_ = allowed;
    static_cast<void>(end_.take());
  }

  [[nodiscard]] call_site& site() noexcept { return site_; }
  [[nodiscard]] const precedence& edges() const noexcept { return edges_; }
  [[nodiscard]] const node_times& times() const noexcept { return times_; }
  /// What it was planned with: how long a thread waits for a step of the other lane.
  [[nodiscard]] std::uint64_t cross_ticks() const noexcept { return costs_.cross; }
  /// Made when it is first asked for: many graphs are never shared.
  [[nodiscard]] const lane_schedule& schedule() noexcept {
    if (!is_scheduled_) [[unlikely]] {
      make_schedule(costs_);
    }
    return schedule_;
  }

  /// What the nodes of the next run get.
  void give_frame(void* frame) noexcept { run_.frame = frame; }

  /// A run on the calling thread in place of those that it learns from.
  [[nodiscard]] graph_run plain_run() noexcept {
    return {.end = end_, .frame = run_.frame, .chosen = chosen_.data()};
  }
  /// Runs all nodes on the calling thread, beside what is learnt. An exception ends it. Any thread, several
  /// at a time.
  void run_alone(graph_run& alone) const {
    for (const node_body& body : in_order_) {
      if (alone.end.is_set()) {
        return;
      }
      body.call(body.closure, alone);
    }
  }

  /// For a run beside this one. Throws std::bad_alloc. Any thread.
  [[nodiscard]] std::unique_ptr<spare_run> new_spare_run() const {
    return std::make_unique<spare_run>(edges_, bodies_, chosen_.size());
  }

  // ---- as replay.hpp requires ----

  template <bool Timed>
  void run_here() {
    if (may_stop_) [[unlikely]] {
      run_here_until<Timed>([this] { return end_.is_set(); });
    } else {
      run_here_until<Timed>([] { return false; });
    }
  }

  template <bool Timed, class Team>
  void share(Team& team) {
    share_rest<Timed>(team, 0);
  }

  // Begins here, and hands over the rest when the nodes that have run say that it pays. A few nodes, of
  // which two may run, are shared at once: that costs less than what it takes to find out, and the
  // other thread would wait for one of them.
  template <class Team>
  void run_first(Team& team) {
    const std::span<const std::uint32_t> order = edges_.order();
    const bool are_few = order.size() > 1 && order.size() <= kFewNodes;
    if (are_few && edges_.predecessors(order[1]).empty() && team.is_ready()) {
      share_rest<true>(team, 0);
      return;
    }
    const std::uint64_t start = ticks();
    std::uint64_t now = start;
    for (std::size_t ended = 0; ended != order.size() && !is_stopped();) {
      const bool has_run = in_order_[ended].call(in_order_[ended].closure, run_);
      const std::uint64_t began = std::exchange(now, ticks());
      if (has_run) {
        times_.add(order[ended], now - began);
      }
      ++ended;
      if (pays_to_share(team, order.size() - ended, ended, now - start)) {
        team.wake();
        share_rest<true>(team, ended);
        return;
      }
    }
  }

  // Whether to share the `left` nodes of a first run of which so many have ended and took `spent`, if
  // the others take as long.
  template <class Team>
  [[nodiscard]] static bool pays_to_share(const Team& team, std::size_t left, std::size_t ended,
                                          std::uint64_t spent) noexcept {
    if (spent < to_ticks(kLeastSpent) || spent < ended * to_ticks(kLeastNode)) {
      return false;
    }
    const std::uint64_t rest = spent / ended * left;
    return team.is_ready() ? left > 1 && rest > to_ticks(kLeastRest)
                           : team.is_asleep() && exploration_budget::outweighs_a_wake_up(rest / 2);
  }

  [[nodiscard]] bool is_known() const noexcept { return times_.are_known(); }
  [[nodiscard]] bool is_node_timing_due(std::uint64_t runs) noexcept { return times_.is_due(runs); }

  // After the first run, which may be the only one, the lanes are left until they are needed.
  void end_node_timing(const lane_costs& costs) noexcept {
    const std::uint64_t start = ticks();
    if (times_.are_known()) {
      follow_times(costs.cross == 0 ? costs_ : costs);
    } else {
      is_scheduled_ = false;
    }
    times_.end_run(ticks() - start);
  }

  [[nodiscard]] std::uint64_t modelled_total() const noexcept { return times_.total(); }

  [[nodiscard]] std::uint64_t longest_of(std::uint64_t total) noexcept {
    const std::uint64_t modelled = std::max<std::uint64_t>(schedule().total(), 1);
    const double share = static_cast<double>(schedule_.longest()) / static_cast<double>(modelled);
    return std::min(total, static_cast<std::uint64_t>(share * static_cast<double>(total)));
  }

  [[nodiscard]] static std::uint64_t whole_of(std::uint64_t took) noexcept { return took; }

 private:
  // New lanes if they should be others.
  void follow_times(const lane_costs& costs) noexcept {
    if (!is_scheduled_ || schedule_.change_to(times_.all()) > schedule_.total() / 8 ||
        2 * costs.cross < costs_.cross || costs.cross > 2 * costs_.cross) {
      make_schedule(costs);
    }
  }

  template <bool Timed, class Stops>
  void run_here_until(Stops stops) {
    const std::uint32_t* node = edges_.order().data();
    for (const node_body& body : in_order_) {
      if (stops()) {
        return;
      }
      call_node<Timed>(body, run_, *node++, times_);
    }
  }

  [[nodiscard]] bool is_stopped() const noexcept { return may_stop_ && end_.is_set(); }

  // Shares the nodes after the first `ended` of the order, which have ended.
  template <bool Timed, class Team>
  void share_rest(Team& team, std::size_t ended) {
    if constexpr (std::is_same_v<Team, pool_team>) {
      if (!is_in_lanes()) {
        stealing_.run<Timed>(team.self(), ended);
        end_shared();
        return;
      }
    }
    if (ended != 0) {
      is_scheduled_ = false;
      schedule_.build_rest(edges_, bodies_, times_.all(), costs_, ended);
    } else if (!is_scheduled_) [[unlikely]] {
      make_schedule(costs_);
    }
    lanes_.begin(schedule_, edges_.nodes());
    team.template run_lanes<Timed>(lanes_);
    end_shared();
  }

  void make_schedule(const lane_costs& costs) noexcept {
    costs_ = costs;
    is_scheduled_ = true;
    schedule_.build(edges_, bodies_, times_.all(), costs);
  }

  void end_shared() {
    if (end_.is_set()) [[unlikely]] {
      if (const std::exception_ptr thrown = end_.take()) {
        std::rethrow_exception(thrown);
      }
    }
  }

  // Of both, while they are not known (2 CPUs of an EPYC 9004, KVM).
  static constexpr std::chrono::nanoseconds kUsualCost{100};

  // Of a first run (2 CPUs of an EPYC 9005, KVM, 44 and 240 ns a round trip; 64 nodes on a relic).
  // Before the rest is handed over so much has to be spent, as the lanes for it take 2 us. Nodes of
  // 400 ns then take 0.68 and 0.93 of serial code; of 200 ns they took 0.92 and 1.6, so those are too
  // short. Two empty nodes that are shared at once take 0.4 and 1.5 us.
  static constexpr std::chrono::microseconds kLeastSpent{2};
  static constexpr std::chrono::microseconds kLeastRest{4};
  static constexpr std::chrono::nanoseconds kLeastNode{300};
  static constexpr std::size_t kFewNodes = 8;

  precedence edges_;
  std::span<const node_body> bodies_;
  std::vector<node_body> in_order_;
  bool may_stop_ = false;
  std::size_t threads_ = 1;
  lane_costs costs_;
  bool is_scheduled_ = false;  // `schedule_` is for this graph
  call_site site_;
  node_times times_;
  lane_schedule schedule_;
  early_end end_;
  std::vector<std::uint32_t> chosen_;  // by choice
  graph_run run_{.end = end_};
  two_lanes lanes_{run_, times_};
  stealing_run stealing_{edges_, run_, times_};
};

}  // namespace fg::inline FINEGRAIN_ABI::detail
