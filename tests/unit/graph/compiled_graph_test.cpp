// The parts of a graph: schedules, times, and runs that are shared whether that pays or not.
// SPDX-License-Identifier: Apache-2.0
#include "finegrain/graph/compiled_graph.hpp"

#include <gtest/gtest.h>

#include <array>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <stdexcept>
#include <string>
#include <vector>

#include "finegrain/graph/early_end.hpp"
#include "finegrain/graph/graph_nodes.hpp"
#include "finegrain/graph/graph_run.hpp"
#include "finegrain/graph/lane_schedule.hpp"
#include "finegrain/graph/node_times.hpp"
#include "finegrain/graph/pool_team.hpp"
#include "finegrain/graph/precedence.hpp"
#include "finegrain/graph/relic_team.hpp"
#include "finegrain/graph/two_lanes.hpp"
#include "finegrain/pool/pool.hpp"
#include "finegrain/relic/relic.hpp"
#include "support/sanitizer.hpp"
#include "unit/pool/pool_setting.hpp"

namespace {

using fg::detail::lane_step;

std::vector<std::uint32_t> nodes_of(const fg::detail::lane_schedule& schedule, std::size_t lane) {
  std::vector<std::uint32_t> nodes;
  for (const lane_step& step : schedule.lane(lane)) {
    nodes.push_back(step.node);
  }
  return nodes;
}

fg::detail::lane_schedule schedule_of(const std::vector<fg::detail::graph_edge>& edges,
                                      const std::vector<std::uint64_t>& times,
                                      const fg::detail::lane_costs& costs) {
  fg::detail::precedence all;
  all.rebuild(times.size(), edges);
  const std::vector<fg::detail::node_body> bodies(times.size());
  fg::detail::lane_schedule schedule;
  schedule.reserve(times.size());
  schedule.build(all, bodies, times, costs);
  return schedule;
}

std::vector<std::uint32_t> list_of(std::span<const std::uint32_t> nodes) {
  return {nodes.begin(), nodes.end()};
}

TEST(precedence, keeps_one_of_equal_edges) {
  fg::detail::precedence all;
  all.rebuild(3, std::vector<fg::detail::graph_edge>{{0, 2}, {1, 2}, {0, 2}, {0, 1}, {1, 2}});
  EXPECT_EQ(all.edges(), 3U);
  EXPECT_EQ(list_of(all.successors(0)), (std::vector<std::uint32_t>{1, 2}));
  EXPECT_EQ(list_of(all.successors(1)), (std::vector<std::uint32_t>{2}));
  EXPECT_EQ(list_of(all.predecessors(1)), (std::vector<std::uint32_t>{0}));
  EXPECT_EQ(list_of(all.predecessors(2)), (std::vector<std::uint32_t>{0, 1}));
}

TEST(precedence, orders_by_number_where_it_may) {
  fg::detail::precedence all;
  all.rebuild(5, std::vector<fg::detail::graph_edge>{{4, 1}, {1, 2}, {2, 3}});
  EXPECT_EQ(list_of(all.order()), (std::vector<std::uint32_t>{0, 4, 1, 2, 3}));
}

// Of larger graphs, smaller ones, and with cycles before.
TEST(precedence, is_rebuilt_as_if_it_was_new) {
  fg::detail::precedence again;
  for (const std::uint32_t nodes : {6U, 3U, 8U, 0U, 4U}) {
    std::vector<fg::detail::graph_edge> edges;
    for (std::uint32_t node = 1; node < nodes; ++node) {
      edges.push_back({node, node - 1});
      edges.push_back({node, node / 2});
    }
    edges.push_back({0, nodes == 0 ? 0 : nodes - 1});
    again.rebuild(nodes == 0 ? 1 : nodes, edges);
    EXPECT_TRUE(again.has_cycle());
    edges.pop_back();
    if (nodes > 1) {
      edges.pop_back();  // of the last node's two one is left
    }
    again.rebuild(nodes, edges);
    fg::detail::precedence once;
    once.rebuild(nodes, edges);
    EXPECT_EQ(again.edges(), once.edges());
    EXPECT_EQ(list_of(again.order()), list_of(once.order()));
    for (std::uint32_t node = 0; node != nodes; ++node) {
      EXPECT_EQ(list_of(again.successors(node)), list_of(once.successors(node)));
      EXPECT_EQ(list_of(again.predecessors(node)), list_of(once.predecessors(node)));
    }
  }
}

TEST(graph_nodes, keep_closures_of_all_kinds_until_they_are_cleared) {
  struct alignas(256) aligned {
    int value = 1;
  };
  const auto alive = std::make_shared<int>(0);
  fg::detail::graph_nodes nodes;
  for (int times = 0; times != 3; ++times) {
    int sum = 0;
    for (int node = 0; node != 100; ++node) {
      nodes.add("", [alive] { ++*alive; });
      nodes.add(std::string{"node\n"} + std::to_string(node), [&sum, each = aligned{}] {
        const void* volatile at = &each;  // the compiler relies on what is tested
        sum += reinterpret_cast<std::uintptr_t>(at) % 256 == 0 ? each.value : 1000;
      });
      nodes.add("large", [&sum, many = std::array<char, 3000>{1}] { sum += many[0]; });
    }
    EXPECT_EQ(alive.use_count(), 101);
    fg::detail::early_end end;
    fg::detail::graph_run run{.end = end};
    for (const fg::detail::node_body& each : nodes.bodies()) {
      EXPECT_TRUE(each.call(each.closure, run));
    }
    EXPECT_EQ(sum, 200);
    EXPECT_EQ(nodes.name_of(3), "#3");
    EXPECT_EQ(nodes.name_of(4), "node?1");
    nodes.clear();
    EXPECT_EQ(nodes.size(), 0U);
    EXPECT_EQ(alive.use_count(), 1);
  }
  EXPECT_EQ(*alive, 300);
}

TEST(lane_schedule, keeps_a_chain_together) {
  const auto schedule = schedule_of({{0, 1}, {1, 2}}, {100, 100, 100}, {10, 10});
  EXPECT_EQ(nodes_of(schedule, 0), (std::vector<std::uint32_t>{0, 1, 2}));
  EXPECT_EQ(schedule.crossings(), 0U);
  EXPECT_EQ(schedule.longest(), schedule.total());
}

TEST(lane_schedule, divides_two_chains) {
  const auto schedule = schedule_of({{0, 1}, {2, 3}}, {100, 50, 100, 50}, {10, 10});
  EXPECT_EQ(nodes_of(schedule, 0), (std::vector<std::uint32_t>{0, 1}));
  EXPECT_EQ(nodes_of(schedule, 1), (std::vector<std::uint32_t>{2, 3}));
  EXPECT_EQ(schedule.crossings(), 0U);
  EXPECT_EQ(schedule.total(), 300U);
  EXPECT_EQ(schedule.longest(), 10U + 150U + 10U);
}

TEST(lane_schedule, keeps_what_is_shorter_than_a_crossing) {
  const auto schedule = schedule_of({{0, 1}, {0, 2}, {1, 3}, {2, 3}}, {5, 5, 5, 5}, {100, 100});
  EXPECT_EQ(nodes_of(schedule, 0).size(), 4U);
}

TEST(lane_schedule, begins_the_second_lane_late_and_crosses_early) {
  const auto schedule = schedule_of({{0, 2}, {1, 2}}, {100, 100, 100}, {50, 10});
  EXPECT_EQ(nodes_of(schedule, 1), (std::vector<std::uint32_t>{1, 2}));
  EXPECT_EQ(schedule.longest(), 50U + 200U + 10U);
}

TEST(lane_schedule, waits_once_for_what_is_needed_several_times) {
  // 0 and 1 long, on two lanes; 2 and 3 behind 1, on the lane of 0.
  const auto schedule =
      schedule_of({{0, 2}, {1, 2}, {0, 3}, {1, 3}, {2, 3}}, {1000, 900, 100, 100}, {10, 10});
  ASSERT_EQ(nodes_of(schedule, 0), (std::vector<std::uint32_t>{0, 2, 3}));
  ASSERT_EQ(nodes_of(schedule, 1), (std::vector<std::uint32_t>{1}));
  EXPECT_EQ(schedule.crossings(), 1U);
  EXPECT_EQ(schedule.lane(0)[1].needs, 1U);
  EXPECT_EQ(schedule.lane(0)[2].needs, 0U);
  EXPECT_TRUE(schedule.lane(1)[0].is_awaited);
  EXPECT_FALSE(schedule.lane(0)[0].is_awaited);
}

TEST(lane_schedule, of_the_rest_waits_for_nothing_that_has_ended) {
  const std::vector<std::uint64_t> times{100, 100, 100, 100};
  fg::detail::precedence all;
  all.rebuild(4, std::vector<fg::detail::graph_edge>{{0, 1}, {0, 2}, {1, 3}, {2, 3}});
  fg::detail::lane_schedule schedule;
  schedule.build_rest(all, std::vector<fg::detail::node_body>(4), times, {10, 10}, 1);
  EXPECT_EQ(nodes_of(schedule, 0), (std::vector<std::uint32_t>{1}));
  EXPECT_EQ(nodes_of(schedule, 1), (std::vector<std::uint32_t>{2, 3}));
  EXPECT_EQ(schedule.lane(0)[0].needs, 0U);
  EXPECT_EQ(schedule.lane(1)[0].needs, 0U);
  EXPECT_EQ(schedule.lane(1)[1].needs, 1U);
  EXPECT_EQ(schedule.total(), 300U);
}

enum class other_thread { ready, falling_asleep, asleep };

// Two threads in one; the test sets the state of the second.
struct team_for_test {
  other_thread state = other_thread::ready;
  int wakes = 0;
  std::size_t shared = 0;  // lanes that were run

  [[nodiscard]] bool is_ready() const { return state == other_thread::ready; }
  [[nodiscard]] bool is_asleep() const { return state == other_thread::asleep; }
  void wake() { wakes += is_asleep() ? 1 : 0; }
  template <bool Timed>
  void run_lanes(fg::detail::two_lanes& lanes) {
    ++shared;
    if (lanes.run<0, Timed>([](auto...) { return false; }, [] {}) !=
        fg::detail::two_lanes::left::with_the_other) {
      lanes.run<1, Timed>([](auto...) { return true; }, [] {});
    }
  }
};

// The first run of a graph whose nodes take so many us; `calls`: how often each was called, at last.
team_for_test first_run(const std::vector<int>& us,
                        const std::vector<fg::detail::graph_edge>& edges,
                        other_thread state = other_thread::ready) {
  struct node_for_test {
    int us;
    int calls;

    void run() {
      ++calls;
      const std::uint64_t length = fg::to_ticks(std::chrono::microseconds{us});
      for (const std::uint64_t start = fg::ticks(); fg::ticks() - start < length;) {
      }
    }
  };
  std::vector<node_for_test> nodes;
  for (const int each : us) {
    nodes.push_back({each, 0});
  }
  std::vector<fg::detail::node_body> bodies;
  for (node_for_test& each : nodes) {
    bodies.push_back({[](void* node, fg::detail::graph_run&) {
                        static_cast<node_for_test*>(node)->run();
                        return true;
                      },
                      &each});
  }
  fg::detail::compiled_graph plan;
  EXPECT_TRUE(plan.rebuild(bodies, edges));
  team_for_test team{.state = state};
  plan.run_by(&team, 2, nullptr);
  plan.run_first(team);
  for (const node_for_test& each : nodes) {
    EXPECT_EQ(each.calls, 1);
  }
  return team;
}

std::vector<int> all_of(std::size_t nodes, int us) { return std::vector<int>(nodes, us); }

// What the first run decides after `ended` nodes of so many ns each.
bool pays_to_share(other_thread state, std::size_t nodes, std::size_t ended, int ns) {
  const std::uint64_t spent = ended * fg::to_ticks(std::chrono::nanoseconds{ns});
  return fg::detail::compiled_graph::pays_to_share(team_for_test{state}, nodes - ended, ended,
                                                   spent);
}

TEST(first_run, pays_to_share_if_nodes_are_long) {
  EXPECT_TRUE(pays_to_share(other_thread::ready, 1000, 10, 400));
  EXPECT_FALSE(pays_to_share(other_thread::ready, 1000, 4, 400)) << "less than 2 us are spent";
  EXPECT_FALSE(pays_to_share(other_thread::ready, 1000, 500, 200)) << "each is too short";
  EXPECT_FALSE(pays_to_share(other_thread::ready, 20, 11, 400)) << "3.6 us are left";
  EXPECT_FALSE(pays_to_share(other_thread::ready, 20, 19, 10'000)) << "one is left";
  EXPECT_FALSE(pays_to_share(other_thread::falling_asleep, 1000, 10, 10'000));
}

TEST(first_run, pays_to_wake_the_other_only_for_more) {
  EXPECT_FALSE(pays_to_share(other_thread::asleep, 20, 1, 3000)) << "gains less than 30 us";
  EXPECT_TRUE(pays_to_share(other_thread::asleep, 20, 1, 20'000));
}

TEST(first_run, stays_here_while_the_other_falls_asleep) {
  const team_for_test team = first_run(all_of(64, 3), {}, other_thread::falling_asleep);
  EXPECT_EQ(team.shared, 0U);
  EXPECT_EQ(team.wakes, 0);
}

TEST(first_run, is_handed_over_when_nodes_are_long) {
  EXPECT_EQ(first_run(all_of(64, 3), {}).shared, 1U);
  std::vector<int> one_long(64, 0);
  one_long[2] = 50;
  EXPECT_EQ(first_run(one_long, {}).shared, 1U);
}

TEST(first_run, of_few_nodes_is_shared_at_once_if_two_are_free) {
  EXPECT_EQ(first_run({0, 0}, {}).shared, 1U);
  EXPECT_EQ(first_run({0}, {}).shared, 0U);
  EXPECT_EQ(first_run({100, 100}, {{0, 1}}).shared, 0U);
}

TEST(first_run, wakes_the_other_if_nodes_are_very_long) {
  const team_for_test team = first_run(all_of(20, 20), {}, other_thread::asleep);
  EXPECT_EQ(team.wakes, 1);
  EXPECT_EQ(team.shared, 1U);
}

TEST(node_times, keep_the_shortest_and_follow_longer_ones) {
  fg::detail::node_times times{1};
  const auto run = [&times](std::uint64_t took) {
    times.add(0, took);
    times.end_run(0);
    return times.all()[0];
  };
  static_cast<void>(run(1'000'000));  // cold
  const std::uint64_t usual = run(100'000);
  EXPECT_LE(usual, 100'000U);
  EXPECT_GT(usual, 90'000U);
  const std::uint64_t more = run(200'000);
  EXPECT_GT(more, usual);
  EXPECT_LT(more, 120'000U);
  for (int runs = 0; runs != 20; ++runs) {
    static_cast<void>(run(200'000));
  }
  EXPECT_GT(times.all()[0], 190'000U);
}

TEST(node_times, are_due_three_times_and_then_rarely) {
  const auto runs_until_due = [](std::uint64_t nodes_take, std::uint64_t more) {
    fg::detail::node_times times{10};
    for (int runs = 0; runs != 3; ++runs) {
      EXPECT_TRUE(times.is_due(1));
      for (std::uint32_t node = 0; node != 10; ++node) {
        times.add(node, fg::to_ticks(std::chrono::nanoseconds{nodes_take}));
      }
      times.end_run(fg::to_ticks(std::chrono::nanoseconds{more}));
    }
    std::uint64_t runs = 1;
    while (!times.is_due(1)) {
      ++runs;
    }
    return runs;
  };
  // By the clock of an emulator, too, which has steps of 16 ns.
  EXPECT_NEAR(static_cast<double>(runs_until_due(1000, 0)), 32, 1);  // at least 32
  EXPECT_NEAR(static_cast<double>(runs_until_due(1000, 10'000)), 525, 60);
  EXPECT_NEAR(static_cast<double>(runs_until_due(100'000, 0)), 32, 1);
}

// A random graph, shared in every run.
class shared_graph {
 public:
  explicit shared_graph(std::uint32_t seed) {
    std::uint32_t state = seed * 2654435761U + 12345;
    const auto dice = [&state](std::uint32_t sides) {
      state = state * 1664525U + 1013904223U;
      return (state >> 8U) % sides;
    };
    const std::uint32_t nodes = 2 + dice(30);
    std::vector<fg::detail::graph_edge> edges;
    for (std::uint32_t node = 1; node != nodes; ++node) {
      for (std::uint32_t count = dice(4); count != 0; --count) {
        edges.push_back({dice(node), node});
      }
    }
    nodes_.resize(nodes);
    for (std::uint32_t node = 0; node != nodes; ++node) {
      nodes_[node].whole = this;
      nodes_[node].index = node;
      bodies_.push_back({[](void* self, fg::detail::graph_run&) {
                           static_cast<node_state*>(self)->run();
                           return true;
                         },
                         &nodes_[node]});
    }
    EXPECT_TRUE(plan_.rebuild(bodies_, edges));
    for (std::uint32_t node = 0; node != nodes; ++node) {
      nodes_[node].before = list_of(plan_.edges().predecessors(node));
    }
  }

  template <bool Timed, class Team>
  void share(Team team, std::size_t threads) {
    ++run_;
    plan_.run_by(&plan_, threads, nullptr);
    plan_.share<Timed>(team);
    if (Timed) {
      const std::uint64_t way = fg::to_ticks(std::chrono::nanoseconds{5});
      plan_.end_node_timing({way, way});
    }
  }

  /// A run that begins on this thread, with a node that is long enough to share what comes after it.
  template <class Team>
  void run_first(Team team, std::size_t threads, std::uint32_t long_node) {
    ++run_;
    long_node_ = long_node;
    plan_.run_by(&plan_, threads, nullptr);
    plan_.run_first(team);
    plan_.end_node_timing({});
    long_node_ = ~0U;
  }

  /// The node that throws in the next runs; none if it is no node's number.
  void fail_at(std::uint32_t node) noexcept { fails_at_ = node; }
  /// How many nodes have run in the last run; -1 if one of them before a predecessor, or twice.
  [[nodiscard]] int ran() const {
    int count = 0;
    for (const node_state& each : nodes_) {
      if (each.was_wrong) {
        return -1;
      }
      count += each.ran == run_ ? 1 : 0;
    }
    return count;
  }
  [[nodiscard]] int size() const { return static_cast<int>(nodes_.size()); }

 private:
  struct node_state {
    shared_graph* whole = nullptr;
    std::uint32_t index = 0;
    std::vector<std::uint32_t> before;
    int ran = 0;  // in which run, last
    bool was_wrong = false;

    void run() {
      for (const std::uint32_t each : before) {
        was_wrong = was_wrong || whole->nodes_[each].ran != whole->run_;
      }
      was_wrong = was_wrong || ran == whole->run_;
      ran = whole->run_;
      if (index == whole->long_node_) {
        const std::uint64_t length = fg::to_ticks(std::chrono::microseconds{10});
        for (const std::uint64_t start = fg::ticks(); fg::ticks() - start < length;) {
        }
      }
      if (index == whole->fails_at_) {
        throw std::runtime_error{"here"};
      }
    }
  };

  int run_ = 0;
  std::uint32_t fails_at_ = ~0U;
  std::uint32_t long_node_ = ~0U;
  std::vector<node_state> nodes_;
  std::vector<fg::detail::node_body> bodies_;
  fg::detail::compiled_graph plan_;
};

// Enough of them for all that threads do to each other; 10^5 by hand.
constexpr std::uint32_t kGraphs = fg::test::kSlow ? 60 : 300;

// `begin`: the first run, from its node of a number on; `share`: others.
template <class Begin, class Share>
void share_random_graphs(Begin begin, Share share) {
  for (std::uint32_t seed = 0; seed != kGraphs; ++seed) {
    shared_graph graph{seed};
    begin(graph, seed % 8);
    ASSERT_EQ(graph.ran(), graph.size()) << "seed " << seed << ", first run";
    for (int runs = 0; runs != 6; ++runs) {
      const bool fails = runs == 3;
      graph.fail_at(fails ? seed % static_cast<std::uint32_t>(graph.size()) : ~0U);
      bool has_thrown = false;
      try {
        share(graph, runs % 2 == 0);
      } catch (const std::runtime_error&) {
        has_thrown = true;
      }
      ASSERT_EQ(has_thrown, fails);
      ASSERT_NE(graph.ran(), -1) << "seed " << seed << ", run " << runs;
      if (!fails) {
        ASSERT_EQ(graph.ran(), graph.size()) << "seed " << seed << ", run " << runs;
      }
    }
  }
}

TEST(shared_graphs, on_a_relic) {
  fg::relic relic;
  ASSERT_FALSE(relic.inline_mode()) << relic.inline_reason();  // it would have no second lane
  share_random_graphs(
      [&relic](shared_graph& graph, std::uint32_t long_node) {
        graph.run_first(fg::detail::relic_team{relic}, 2, long_node);
      },
      [&relic](shared_graph& graph, bool timed) {
        timed ? graph.share<true>(fg::detail::relic_team{relic}, 2)
              : graph.share<false>(fg::detail::relic_team{relic}, 2);
      });
}

class shared_graphs_of : public testing::TestWithParam<fg::test::pool_setting> {};

TEST_P(shared_graphs_of, workers) {
  fg::pool pool{GetParam().options()};
  pool.run([] {
    for (const std::size_t threads : {2U, 3U}) {  // in lanes, and as tasks, whoever there is
      const fg::detail::pool_team team{*fg::worker::current()};
      share_random_graphs(
          [&](shared_graph& graph, std::uint32_t long_node) {
            graph.run_first(team, threads, long_node);
          },
          [&](shared_graph& graph, bool timed) {
            timed ? graph.share<true>(team, threads) : graph.share<false>(team, threads);
          });
    }
  });
}

INSTANTIATE_TEST_SUITE_P(all, shared_graphs_of,
                         testing::ValuesIn(fg::test::pool_settings({1, 2, 3})),
                         fg::test::name_of_pool_setting);

}  // namespace
