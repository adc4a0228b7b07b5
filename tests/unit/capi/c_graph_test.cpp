// Graphs by the C interface.
// SPDX-License-Identifier: Apache-2.0
#include "unit/capi/c_graph.hpp"

#include <gtest/gtest.h>

#include <array>
#include <atomic>
#include <cstddef>
#include <stdexcept>
#include <string>
#include <thread>

#include "finegrain/finegrain.h"

namespace {

using fg::test::c_graph;
using fg::test::count_run;
using fg::test::new_pool;
using fg::test::nothing;
using fg::test::on_each_executor;
using fg::test::runner;
using fg::test::throw_bad_luck;
using fg::test::work;

TEST(c_graphs, run_each_node_once_in_order) {
  on_each_executor([](const runner& run) {
    struct state {
      std::array<int, 4> at;
      int runs;
    } seen{};
    c_graph graph;
    // Added in another order than that of the edges.
    const std::size_t last = graph.add(
        [](void* arguments) {
          auto& at = static_cast<state*>(arguments)->at;
          at[3] = at[1] + at[2];
        },
        &seen);
    const std::size_t left = graph.add(
        [](void* arguments) {
          auto& at = static_cast<state*>(arguments)->at;
          at[1] = at[0] + 10;
        },
        &seen);
    const std::size_t right = graph.add(
        [](void* arguments) {
          auto& at = static_cast<state*>(arguments)->at;
          at[2] = at[0] + 20;
        },
        &seen);
    const std::size_t first = graph.add(
        [](void* arguments) {
          auto& self = *static_cast<state*>(arguments);
          work(nullptr);
          self.at[0] = ++self.runs;
        },
        &seen);
    EXPECT_EQ((std::array{last, left, right, first}), (std::array<std::size_t, 4>{0, 1, 2, 3}));
    for (const std::size_t side : {left, right, left}) {
      graph.edge(first, side);
      graph.edge(side, last);
    }
    EXPECT_EQ(fg_graph_prepare(graph), FG_OK);
    for (int runs = 1; runs <= 200; ++runs) {
      ASSERT_EQ(run(graph), FG_OK) << fg_last_error();
      ASSERT_EQ(seen.at, (std::array{runs, runs + 10, runs + 20, 2 * runs + 30}));
    }
  });
}

TEST(c_graphs, can_be_empty_and_change_between_runs) {
  on_each_executor([](const runner& run) {
    c_graph graph;
    EXPECT_EQ(run(graph), FG_OK);
    int calls = 0;
    EXPECT_EQ(fg_graph_add(graph, nullptr, count_run, &calls, nullptr), FG_OK);
    EXPECT_EQ(run(graph), FG_OK);
    graph.edge(0, graph.add(count_run, &calls));
    EXPECT_EQ(run(graph), FG_OK);
    EXPECT_EQ(calls, 3);
  });
}

TEST(c_graphs, tell_of_an_exception_and_drop_what_has_not_begun) {
  on_each_executor([](const runner& run) {
    c_graph graph;
    int later = 0;
    const auto throws_if_told = [](void* is_told) {
      work(nullptr);
      if (*static_cast<bool*>(is_told)) {
        throw_bad_luck(nullptr);
      }
    };
    bool is_told = false;
    const std::size_t last = graph.add(count_run, &later);
    for (int node = 0; node != 4; ++node) {
      graph.edge(graph.add(node == 2 ? throws_if_told : work, &is_told), last);
    }
    for (int runs = 0; runs != 20; ++runs) {
      is_told = true;
      EXPECT_EQ(run(graph), FG_TASK_THREW);
      EXPECT_STREQ(fg_last_error(), "no luck");
      EXPECT_EQ(later, runs);
      is_told = false;
      EXPECT_EQ(run(graph), FG_OK);
      EXPECT_EQ(later, runs + 1);
    }
  });
}

// An exception of any type is the node's, also of the types that the library throws.
TEST(c_graphs, take_what_a_node_throws_for_its_own) {
  on_each_executor([](const runner& run) {
    c_graph graph;
    graph.add([](void*) { throw std::invalid_argument{"of the node"}; }, nullptr);
    EXPECT_EQ(run(graph), FG_TASK_THREW);
    EXPECT_STREQ(fg_last_error(), "of the node");
  });
}

struct cancelling {
  fg_graph* graph;
  bool cancels;
  int before;
  int after;
};

void cancel_if_told(void* arguments) {
  auto& self = *static_cast<cancelling*>(arguments);
  work(nullptr);
  ++self.before;
  if (self.cancels) {
    EXPECT_EQ(fg_graph_cancel(self.graph), FG_OK);
    EXPECT_EQ(fg_graph_cancel(self.graph), FG_OK) << "counts once";
  }
}

TEST(c_graphs, are_cancelled_by_a_node) {
  on_each_executor([](const runner& run) {
    c_graph graph;
    cancelling state{graph, false, 0, 0};
    const std::size_t first = graph.add(cancel_if_told, &state);
    const std::size_t beside = graph.add(work, nullptr);
    const std::size_t last =
        graph.add([](void* arguments) { ++static_cast<cancelling*>(arguments)->after; }, &state);
    graph.edge(first, last);
    graph.edge(beside, last);
    for (int runs = 0; runs != 20; ++runs) {
      state.cancels = true;
      EXPECT_EQ(run(graph), FG_CANCELLED);
      EXPECT_STREQ(fg_last_error(), "fg_graph_cancel has ended the run");
      EXPECT_EQ(state.after, runs);
      state.cancels = false;
      EXPECT_EQ(run(graph), FG_OK);
      EXPECT_EQ(state.before, 2 * runs + 2);
      EXPECT_EQ(state.after, runs + 1);
    }
  });
}

TEST(c_graphs, keep_a_request_for_the_next_run_that_has_nodes_to_begin) {
  on_each_executor([](const runner& run) {
    c_graph graph;
    EXPECT_EQ(fg_graph_cancel(graph), FG_OK);
    EXPECT_EQ(fg_graph_cancel(graph), FG_OK);
    EXPECT_EQ(run(graph), FG_OK) << "it has no nodes";
    cancelling state{graph, false, 0, 0};
    graph.add(cancel_if_told, &state);
    EXPECT_EQ(run(graph), FG_CANCELLED);
    EXPECT_EQ(state.before, 0);
    state.cancels = true;
    EXPECT_EQ(run(graph), FG_OK) << "it has begun all nodes";
    state.cancels = false;
    EXPECT_EQ(state.before, 1);
    EXPECT_EQ(run(graph), FG_CANCELLED);
    EXPECT_EQ(state.before, 1);
    EXPECT_EQ(run(graph), FG_OK);
    EXPECT_EQ(state.before, 2);
  });
}

TEST(c_graphs, that_fail_otherwise_answer_no_request) {
  c_graph graph;
  int calls = 0;
  const std::size_t node = graph.add(
      [](void* arguments) {
        fg_graph_cancel(static_cast<fg_graph*>(arguments));
        throw_bad_luck(nullptr);
      },
      graph);
  graph.edge(node, graph.add(count_run, &calls));
  EXPECT_EQ(fg_graph_run(graph), FG_TASK_THREW);
  EXPECT_EQ(fg_graph_run(graph), FG_CANCELLED);
  EXPECT_EQ(fg_graph_cancel(graph), FG_OK);
  graph.edge(node, node);
  EXPECT_EQ(fg_graph_run(graph), FG_INVALID_ARGUMENT);
  EXPECT_EQ(calls, 0);
}

// Each of another thread's requests is answered once, whenever it comes, and what that thread has
// written before is visible then.
TEST(c_graphs, are_cancelled_by_another_thread_at_any_time) {
  constexpr int kRequests = 20;
  on_each_executor([](const runner& run) {
    c_graph graph;
    int calls = 0;
    graph.add(count_run, &calls);
    for (std::size_t node = 1; node != 10; ++node) {
      graph.edge(node - 1, graph.add(count_run, &calls));
    }
    int reason = 0;  // not atomic: the answer orders it
    std::atomic<int> answered{0};
    std::thread other{[&] {
      for (int request = 1; request <= kRequests; ++request) {
        while (answered.load() < request - 1) {
          std::this_thread::yield();
        }
        reason = request;
        fg_graph_cancel(graph);
      }
    }};
    bool right = true;
    while (right && answered.load() != kRequests) {
      calls = 0;
      const fg_status status = run(graph);
      if (status == FG_OK) {
        right = calls == 10;
      } else {
        right = status == FG_CANCELLED && calls < 10 && reason == answered.load() + 1;
        answered.store(answered.load() + 1);
      }
    }
    EXPECT_TRUE(right) << fg_last_error();
    answered.store(kRequests);
    other.join();
    EXPECT_EQ(run(graph), FG_OK);
  });
}

// A node that runs a cancelled graph goes on: the request is the inner graph's.
TEST(c_graphs, run_within_nodes_of_others) {
  c_graph inner;
  int calls = 0;
  inner.add(count_run, &calls);
  struct state {
    fg_graph* inner;
    fg_status status;
  } run_of{inner, FG_OK};
  c_graph outer;
  const std::size_t runs_inner = outer.add(
      [](void* arguments) {
        auto& self = *static_cast<state*>(arguments);
        self.status = fg_graph_run(self.inner);
      },
      &run_of);
  outer.edge(runs_inner, outer.add(count_run, &calls));
  fg_graph_cancel(inner);
  EXPECT_EQ(fg_graph_run(outer), FG_OK);
  EXPECT_EQ(run_of.status, FG_CANCELLED);
  EXPECT_EQ(calls, 1);
  EXPECT_EQ(fg_graph_run(outer), FG_OK);
  EXPECT_EQ(run_of.status, FG_OK);
  EXPECT_EQ(calls, 3);
}

TEST(c_graphs, have_nodes_that_share_their_work) {
  struct state {
    fg_pool* pool;
    std::atomic<int> ran;
  } all{nullptr, 0};
  const auto fork = [](void* arguments) {
    auto& self = *static_cast<state*>(arguments);
    const auto count = [](void* number) { static_cast<std::atomic<int>*>(number)->fetch_add(1); };
    fg_site site{};
    EXPECT_EQ(fg_fork_join(count, &self.ran, count, &self.ran), FG_OK);
    EXPECT_EQ(fg_fork_join_fine(self.pool, &site, count, &self.ran, count, &self.ran), FG_OK);
  };
  c_graph graph;
  const std::size_t first = graph.add(fork, &all);
  graph.edge(first, graph.add(fork, &all));
  graph.edge(first, graph.add(fork, &all));
  for (const bool has_assistants : {false, true}) {
    all.pool = new_pool(2, has_assistants);
    for (int runs = 1; runs <= 20; ++runs) {
      ASSERT_EQ(fg_graph_run_on_pool(graph, all.pool), FG_OK);
      ASSERT_EQ(all.ran.exchange(0), 12);
    }
    fg_pool_destroy(all.pool);
  }
}

TEST(c_graphs, with_a_cycle_name_its_nodes) {
  c_graph graph;
  int calls = 0;
  const std::size_t before = graph.add(count_run, &calls, "before");
  const std::size_t a = graph.add(nothing, nullptr, "a");
  const std::size_t unnamed = graph.add(nothing, nullptr);
  graph.edge(before, a);
  graph.edge(a, unnamed);
  EXPECT_EQ(fg_graph_prepare(graph), FG_OK);
  graph.edge(unnamed, a);
  const char* text = nullptr;
  on_each_executor([&](const runner& run) { EXPECT_EQ(run(graph), FG_INVALID_ARGUMENT); });
  EXPECT_EQ(fg_graph_explain(graph, &text), FG_INVALID_ARGUMENT);
  EXPECT_EQ(fg_graph_dot(graph, &text), FG_INVALID_ARGUMENT);
  EXPECT_EQ(fg_graph_prepare(graph), FG_INVALID_ARGUMENT);
  EXPECT_STREQ(fg_last_error(), "graph: these nodes wait for each other: a -> #2 -> a");
  EXPECT_EQ(text, nullptr);
  EXPECT_EQ(calls, 0);
}

TEST(c_graphs, cut_the_names_of_a_long_cycle) {
  c_graph graph;
  const std::string name(300, 'n');
  const std::size_t node = graph.add(nothing, nullptr, name.c_str());
  graph.edge(node, node);
  EXPECT_EQ(fg_graph_run(graph), FG_INVALID_ARGUMENT);
  EXPECT_EQ(std::string{fg_last_error()}.size(), 255U);
}

TEST(c_graphs, refuse_nodes_that_do_not_exist) {
  c_graph graph;
  int calls = 0;
  EXPECT_EQ(fg_graph_add_edge(graph, 0, 0), FG_INVALID_ARGUMENT);
  const std::size_t node = graph.add(count_run, &calls);
  const std::size_t too_large = (std::size_t{1} << 32U) + node;
  for (const std::size_t none : {node + 1, too_large, ~std::size_t{0}}) {
    EXPECT_EQ(fg_graph_add_edge(graph, node, none), FG_INVALID_ARGUMENT);
    EXPECT_EQ(fg_graph_add_edge(graph, none, node), FG_INVALID_ARGUMENT);
    EXPECT_STREQ(fg_last_error(), "graph: there is no such node");
  }
  EXPECT_EQ(fg_graph_run(graph), FG_OK) << "no edge was added";
  EXPECT_EQ(calls, 1);
}

TEST(c_graphs, refuse_to_be_used_while_they_run) {
  c_graph graph;
  const auto use = [](void* arguments) {
    auto* const self = static_cast<fg_graph*>(arguments);
    std::size_t node = 17;
    const char* text = nullptr;
    EXPECT_EQ(fg_graph_add(self, nullptr, nothing, nullptr, &node), FG_INVALID_ARGUMENT);
    EXPECT_NE(std::string{fg_last_error()}.find("being run"), std::string::npos);
    EXPECT_EQ(node, 17U);
    EXPECT_EQ(fg_graph_add_edge(self, 0, 1), FG_INVALID_ARGUMENT);
    EXPECT_EQ(fg_graph_prepare(self), FG_INVALID_ARGUMENT);
    EXPECT_EQ(fg_graph_run(self), FG_INVALID_ARGUMENT);
    EXPECT_EQ(fg_graph_explain(self, &text), FG_INVALID_ARGUMENT);
    EXPECT_EQ(fg_graph_dot(self, &text), FG_INVALID_ARGUMENT);
    EXPECT_EQ(text, nullptr);
  };
  graph.add(use, graph);
  graph.add(nothing, nullptr);
  EXPECT_EQ(fg_graph_run(graph), FG_OK);
}

TEST(c_graphs, say_what_they_know) {
  c_graph graph;
  std::string name{"one"};
  const std::size_t one = graph.add(work, nullptr, name.c_str());
  name = "gone";
  graph.edge(one, graph.add(work, nullptr));
  const char* text = nullptr;
  const char* dot = nullptr;
  ASSERT_EQ(fg_graph_explain(graph, &text), FG_OK);
  ASSERT_EQ(fg_graph_dot(graph, &dot), FG_OK);
  EXPECT_STREQ(text, "2 nodes, 1 edges: so far run by no relic and no pool\n  one\n  #1\n");
  EXPECT_NE(std::string{dot}.find("0 -> 1\n"), std::string::npos) << dot;
  fg_relic* relic = nullptr;
  ASSERT_EQ(fg_relic_create(nullptr, &relic), FG_OK) << fg_last_error();
  EXPECT_EQ(fg_graph_run_on_relic(graph, relic), FG_OK);
  fg_relic_destroy(relic);
  ASSERT_EQ(fg_graph_explain(graph, &text), FG_OK);
  EXPECT_EQ(std::string{text}.find("so far"), std::string::npos) << text;
}

TEST(c_graphs, tell_of_null_pointers) {
  const c_graph graph;
  std::size_t node = 17;
  const char* text = nullptr;
  fg_graph_destroy(nullptr);
  EXPECT_EQ(fg_graph_create(nullptr), FG_INVALID_ARGUMENT);
  EXPECT_STREQ(fg_last_error(), "graph is a null pointer");
  EXPECT_EQ(fg_graph_add(nullptr, "name", nothing, nullptr, &node), FG_INVALID_ARGUMENT);
  EXPECT_EQ(fg_graph_add(graph, "name", nullptr, nullptr, &node), FG_INVALID_ARGUMENT);
  EXPECT_STREQ(fg_last_error(), "routine is a null pointer");
  EXPECT_EQ(node, 17U);
  EXPECT_EQ(fg_graph_add_edge(nullptr, 0, 0), FG_INVALID_ARGUMENT);
  EXPECT_EQ(fg_graph_prepare(nullptr), FG_INVALID_ARGUMENT);
  EXPECT_EQ(fg_graph_run(nullptr), FG_INVALID_ARGUMENT);
  EXPECT_EQ(fg_graph_run_on_relic(graph, nullptr), FG_INVALID_ARGUMENT);
  EXPECT_STREQ(fg_last_error(), "relic is a null pointer");
  EXPECT_EQ(fg_graph_run_on_pool(graph, nullptr), FG_INVALID_ARGUMENT);
  EXPECT_STREQ(fg_last_error(), "pool is a null pointer");
  EXPECT_EQ(fg_graph_cancel(nullptr), FG_INVALID_ARGUMENT);
  EXPECT_EQ(fg_graph_explain(nullptr, &text), FG_INVALID_ARGUMENT);
  EXPECT_EQ(fg_graph_explain(graph, nullptr), FG_INVALID_ARGUMENT);
  EXPECT_STREQ(fg_last_error(), "text is a null pointer");
  EXPECT_EQ(fg_graph_dot(nullptr, &text), FG_INVALID_ARGUMENT);
  EXPECT_EQ(fg_graph_dot(graph, nullptr), FG_INVALID_ARGUMENT);
}

}  // namespace
