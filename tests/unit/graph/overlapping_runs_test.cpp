// Graphs whose nodes get a frame, and whose runs overlap.
// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <array>
#include <atomic>
#include <chrono>
#include <cstddef>
#include <stdexcept>
#include <thread>
#include <vector>

#include "finegrain/core/stop_token.hpp"
#include "finegrain/graph/graph.hpp"
#include "finegrain/pool/pool.hpp"
#include "finegrain/pool/task_group.hpp"
#include "finegrain/relic/relic.hpp"
#include "support/sanitizer.hpp"
#include "unit/pool/pool_setting.hpp"

namespace {

// What one run computes: its nodes note here, in plain memory, what they have seen of it.
struct request {
  int value = 0;
  std::array<int, 4> at{};
  int chosen = 0;
  int rounds = 0;
  bool fails = false;
  fg::stop_source* stops = nullptr;

  [[nodiscard]] bool is_answered() const {
    return at == std::array{value, value + 1, value + 2, 2 * value + 3} &&
           chosen == (value % 2 == 0 ? 10 : 20) && rounds == 3;
  }
};

void wait_a_little(std::chrono::microseconds time) {
  const auto end = std::chrono::steady_clock::now() + time;
  while (std::chrono::steady_clock::now() < end) {
  }
}

// A diamond, then a choice, then a loop.
class answering_graph {
 public:
  explicit answering_graph(std::chrono::microseconds time) {
    even_.add([](request& its) { its.chosen = 10; });
    odd_.add([](request& its) { its.chosen = 20; });
    round_.add([](request& its) { ++its.rounds; });
    const auto first = graph_.add("first", [time](request& its) {
      wait_a_little(time);
      its.at[0] = its.value;
    });
    const auto left = graph_.add("left", [time](request& its) {
      wait_a_little(time);
      its.at[1] = its.at[0] + 1;
    });
    const auto right = graph_.add("right", [time](request& its) {
      wait_a_little(time);
      if (its.fails) {
        throw std::runtime_error{"told to"};
      }
      if (its.stops != nullptr) {
        its.stops->request_stop();
      }
      its.at[2] = its.at[0] + 2;
    });
    const auto last = graph_.add("last", [](request& its) { its.at[3] = its.at[1] + its.at[2]; });
    const auto choice =
        graph_.add_choice("parity", [](request& its) { return its.at[3] % 4 == 3; }, even_, odd_);
    const auto loop =
        graph_.add_loop("three", [](request& its) { return its.rounds != 3; }, round_);
    first.precede(left, right);
    last.succeed(left, right);
    last.precede(choice);
    choice.precede(loop);
  }

  fg::graph_of<request>& graph() noexcept { return graph_; }

 private:
  fg::graph_of<request> even_;
  fg::graph_of<request> odd_;
  fg::graph_of<request> round_;
  fg::graph_of<request> graph_;
};

constexpr std::array kNodeTimes{std::chrono::microseconds{0}, std::chrono::microseconds{5}};

TEST(graph_of, gives_each_run_its_frame) {
  for (const auto time : kNodeTimes) {
    answering_graph answer{time};
    fg::relic relic;
    fg::pool two{fg::test::workers(2)};
    fg::pool three{fg::test::workers(3)};
    for (int value = 0; value != 40; ++value) {
      std::array<request, 4> all;
      for (request& each : all) {
        each.value = value;
      }
      answer.graph().run(relic, all[0]);
      answer.graph().run(two, all[1]);
      answer.graph().run(three, all[2]);
      answer.graph().run(all[3]);
      for (const request& each : all) {
        ASSERT_TRUE(each.is_answered()) << value;
      }
    }
  }
}

// Some fail and some stop: that is theirs alone.
TEST(graph_of, runs_overlap_on_a_pool) {
  const int rounds = fg::test::kSlow ? 5 : 30;
  for (const auto time : kNodeTimes) {
    answering_graph answer{time};
    fg::pool pool{fg::test::workers(3)};
    for (int round = 0; round != rounds; ++round) {
      std::vector<request> all(20);
      std::atomic<int> failed{0};
      std::atomic<int> stopped{0};
      pool.run([&] {
        fg::task_group group;
        for (std::size_t each = 0; each != all.size(); ++each) {
          all[each].value = static_cast<int>(each) + round;
          all[each].fails = each % 7 == 3;
          group.spawn([&, each] {
            fg::stop_source source;
            request& own = all[each];
            own.stops = each % 7 == 5 ? &source : nullptr;
            try {
              const bool ended = answer.graph().run(pool, own, source.get_token());
              stopped.fetch_add(ended ? 0 : 1);
            } catch (const std::runtime_error&) {
              failed.fetch_add(1);
            }
          });
        }
        group.wait();
      });
      ASSERT_EQ(failed.load(), 3);
      ASSERT_EQ(stopped.load(), 3);
      for (std::size_t each = 0; each != all.size(); ++each) {
        if (each % 7 == 3 || each % 7 == 5) {
          EXPECT_EQ(all[each].at[3], 0);
        } else {
          ASSERT_TRUE(all[each].is_answered()) << each;
        }
      }
    }
  }
}

TEST(graph_of, runs_overlap_on_threads_of_any_kind) {
  for (const auto time : kNodeTimes) {
    answering_graph answer{time};
    answer.graph().prepare(3);
    std::vector<std::thread> threads;
    std::atomic<int> wrong{0};
    const auto run = [&](auto run_once) {
      for (int value = 0; value != (fg::test::kSlow ? 50 : 500); ++value) {
        request own{.value = value};
        run_once(own);
        wrong.fetch_add(own.is_answered() ? 0 : 1);
      }
    };
    fg::pool pool{fg::test::workers(2)};
    threads.emplace_back([&] {
      fg::relic relic;
      run([&](request& own) { answer.graph().run(relic, own); });
    });
    threads.emplace_back([&] { run([&](request& own) { answer.graph().run(own); }); });
    for (int caller = 0; caller != 2; ++caller) {
      threads.emplace_back([&] { run([&](request& own) { answer.graph().run(pool, own); }); });
    }
    for (std::thread& each : threads) {
      each.join();
    }
    EXPECT_EQ(wrong.load(), 0);
  }
}

// The first runs, with nothing prepared.
TEST(graph_of, may_begin_with_overlapping_runs) {
  for (int round = 0; round != 50; ++round) {
    answering_graph answer{std::chrono::microseconds{0}};
    std::array<request, 3> all{};
    std::vector<std::thread> threads;
    for (request& own : all) {
      own.value = round;
      threads.emplace_back([&] { answer.graph().run(own); });
    }
    for (std::thread& each : threads) {
      each.join();
    }
    for (const request& own : all) {
      ASSERT_TRUE(own.is_answered());
    }
  }
}

TEST(graph_of, a_node_may_run_the_graph_but_not_change_it) {
  struct depth {
    int left;
    int refused = 0;
  };
  fg::pool pool{fg::test::workers(2)};
  fg::graph_of<depth> graph;
  const auto first = graph.add([&](depth& its) {
    if (its.left != 0) {
      depth inner{its.left - 1};
      graph.run(pool, inner);
      its.refused += inner.refused;
    }
    try {
      graph.add([](depth&) {});
    } catch (const std::logic_error&) {
      ++its.refused;
    }
  });
  depth outer{70};  // more at a time than there are places for
  graph.run(pool, outer);
  EXPECT_EQ(outer.refused, 71);
  first.precede(graph.add([](depth& its) { its.refused = -1; }));
  outer = {0};
  graph.run(pool, outer);
  EXPECT_EQ(outer.refused, -1);
}

}  // namespace
