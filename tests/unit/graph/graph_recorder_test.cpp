// Graphs that are recorded from code for task groups.
// SPDX-License-Identifier: Apache-2.0
#include "finegrain/graph/graph_recorder.hpp"

#include <gtest/gtest.h>

#include <cstddef>
#include <numeric>
#include <stdexcept>
#include <vector>

#include "finegrain/graph/graph.hpp"
#include "finegrain/pool/pool.hpp"
#include "finegrain/pool/task_group.hpp"
#include "finegrain/relic/relic.hpp"
#include "unit/pool/pool_setting.hpp"

namespace {

// Each pass reads what the one before has written everywhere.
template <class Group>
void smooth(std::vector<std::vector<int>>& passes, Group& group) {
  for (std::size_t pass = 1; pass != passes.size(); ++pass) {
    const std::vector<int>& before = passes[pass - 1];
    std::vector<int>& now = passes[pass];
    for (std::size_t at = 0; at != now.size(); ++at) {
      group.spawn([&before, &now, at] {
        now[at] = static_cast<int>(at) + std::accumulate(before.begin(), before.end(), 0) % 1000;
      });
    }
    group.wait();
  }
}

TEST(graph_recorder, does_the_same_and_again) {
  fg::pool pool{fg::test::workers(3)};
  std::vector<std::vector<int>> expected(4, std::vector<int>(5, 1));
  pool.run([&] {
    fg::task_group group;
    smooth(expected, group);
  });
  std::vector<std::vector<int>> passes(4, std::vector<int>(5, 1));
  fg::graph again;
  {
    fg::graph_recorder group{again};
    smooth(passes, group);
    EXPECT_EQ(passes, expected);
  }
  EXPECT_EQ(again.size(), 3U * 6);
  fg::relic relic;
  for (int runs = 0; runs != 20; ++runs) {
    for (std::size_t pass = 1; pass != passes.size(); ++pass) {
      passes[pass].assign(5, 0);
    }
    runs % 2 == 0 ? again.run(pool) : again.run(relic);
    ASSERT_EQ(passes, expected);
  }
}

TEST(graph_recorder, runs_at_its_end_what_nobody_has_waited_for) {
  int calls = 0;
  fg::graph graph;
  graph.add([&] { calls += 100; });  // there before
  {
    fg::graph_recorder group{graph};
    group.wait();
    group.spawn([&] { ++calls; });
    EXPECT_EQ(calls, 0);
  }
  EXPECT_EQ(calls, 1);
  EXPECT_EQ(graph.size(), 2U);
  graph.run();
  EXPECT_EQ(calls, 102);
}

TEST(graph_recorder, passes_exceptions_on) {
  bool throws = true;
  int calls = 0;
  fg::graph graph;
  fg::graph_recorder group{graph};
  group.spawn([&] {
    if (throws) {
      throw std::runtime_error{"told to"};
    }
  });
  group.spawn([&] { ++calls; });
  EXPECT_THROW(group.wait(), std::runtime_error);
  EXPECT_EQ(calls, 0);
  throws = false;
  graph.run();
  EXPECT_EQ(calls, 1);
  group.spawn([] { throw std::runtime_error{"dropped"}; });
}

TEST(graph_recorder, refuses_its_own_tasks_but_no_other_groups) {
  int calls = 0;
  fg::pool pool{fg::test::workers(2)};
  fg::graph graph;
  fg::graph_recorder recorder{graph};
  recorder.spawn([&] { recorder.spawn([] {}); });
  EXPECT_THROW(recorder.wait(), std::logic_error);
  fg::graph other;
  fg::graph_recorder second{other};
  second.spawn([&] {
    fg::task_group group;
    group.spawn([&] { ++calls; });
    group.wait();
  });
  second.wait();
  other.run(pool);
  EXPECT_EQ(calls, 2);
}

}  // namespace
