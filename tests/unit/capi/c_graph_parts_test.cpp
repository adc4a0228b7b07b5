// Graphs of the C interface that have others as parts, and what is taken out of them again.
// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <array>
#include <atomic>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <limits>
#include <string>
#include <thread>

#include "finegrain/finegrain.h"
#include "unit/capi/c_graph.hpp"

namespace {

using fg::test::c_graph;
using fg::test::count_run;
using fg::test::nothing;
using fg::test::on_each_executor;
using fg::test::runner;
using fg::test::throw_bad_luck;
using fg::test::work;

// Nodes that note their order.
struct place {
  std::atomic<int>* last;
  int is;
};
void note(void* arguments) {
  auto& self = *static_cast<place*>(arguments);
  self.is = ++*self.last;
}

std::size_t choose_number(void* number) { return *static_cast<std::size_t*>(number); }
int count_down(void* number) { return --*static_cast<int*>(number) >= 0 ? 1 : 0; }
int always(void* /*arguments*/) { return 1; }

TEST(c_graph_parts, run_in_place_of_a_node) {
  on_each_executor([](const runner& run) {
    std::atomic<int> last{0};
    std::array<place, 4> places{};
    places.fill({&last, 0});
    c_graph part;
    part.edge(part.add(note, &places[1]), part.add(note, &places[2]));
    c_graph graph;
    const std::size_t after = graph.add(note, &places[3]);
    const std::size_t middle = graph.add_graph(part);
    const std::size_t before = graph.add(note, &places[0]);
    EXPECT_EQ((std::array{after, middle, before}), (std::array<std::size_t, 3>{0, 1, 2}));
    graph.edge(before, middle);
    graph.edge(middle, after);
    for (int runs = 0; runs != 50; ++runs) {
      last = 0;
      ASSERT_EQ(run(graph), FG_OK) << fg_last_error();
      for (int at = 0; at != 4; ++at) {
        ASSERT_EQ(places[static_cast<std::size_t>(at)].is, at + 1);
      }
    }
    int calls = 0;
    part.add(count_run, &calls);  // the whole follows
    EXPECT_EQ(run(graph), FG_OK);
    EXPECT_EQ(run(part), FG_OK) << "by itself, too";
    EXPECT_EQ(calls, 2);
  });
}

TEST(c_graph_parts, are_chosen_by_number) {
  on_each_executor([](const runner& run) {
    std::array<int, 3> calls{};
    c_graph zero;
    zero.add(count_run, &calls[0]);
    c_graph one;
    one.add(count_run, &calls[1]);
    std::size_t number = 0;
    c_graph graph;
    graph.edge(graph.add_choice(choose_number, &number, {zero, one}),
               graph.add(count_run, &calls[2]));
    constexpr auto kNone = std::numeric_limits<std::size_t>::max();
    for (const std::size_t chosen : {std::size_t{0}, std::size_t{1}, std::size_t{1}, std::size_t{2},
                                     std::size_t{1} << 32U, kNone}) {
      number = chosen;
      ASSERT_EQ(run(graph), FG_OK) << fg_last_error();
    }
    EXPECT_EQ(calls, (std::array{1, 2, 6}));
  });
}

TEST(c_graph_parts, can_be_chosen_from_none) {
  c_graph graph;
  std::size_t number = 0;
  fg_graph* none = nullptr;
  EXPECT_EQ(fg_graph_add_choice(graph, nullptr, choose_number, &number, &none, 0, nullptr), FG_OK);
  EXPECT_EQ(fg_graph_run(graph), FG_OK);
}

TEST(c_graph_parts, are_repeated) {
  on_each_executor([](const runner& run) {
    struct state {
      int inner_left;
      int outer_left;
      int calls;
    } all{};
    c_graph innermost;
    innermost.add(count_run, &all.calls);
    c_graph inner;
    inner.edge(inner.add([](void* left) { *static_cast<int*>(left) = 3; }, &all.inner_left),
               inner.add_loop(count_down, &all.inner_left, innermost));
    c_graph graph;
    graph.edge(graph.add([](void* left) { *static_cast<int*>(left) = 4; }, &all.outer_left),
               graph.add_loop(count_down, &all.outer_left, inner));
    for (int runs = 1; runs <= 50; ++runs) {
      ASSERT_EQ(run(graph), FG_OK) << fg_last_error();
      ASSERT_EQ(all.calls, 12 * runs);
    }
  });
}

// Adds a chain of places.
struct chain {
  std::array<place, 4> places;
  std::size_t length;
};
fg_status grow_chain(void* arguments, fg_graph* more) {
  auto& self = *static_cast<chain*>(arguments);
  fg_status status = FG_OK;
  for (std::size_t at = 0; status == FG_OK && at != self.length; ++at) {
    status = fg_graph_add(more, nullptr, note, &self.places.at(at), nullptr);
    if (status == FG_OK && at != 0) {
      status = fg_graph_add_edge(more, at - 1, at);
    }
  }
  return status;
}

TEST(c_graph_parts, grow_in_each_run) {
  on_each_executor([](const runner& run) {
    std::atomic<int> last{0};
    chain grown{{}, 0};
    c_graph graph;
    place end{&last, 0};
    const std::size_t growing = graph.add_growing(grow_chain, &grown, 4, 3);
    graph.edge(growing, graph.add(note, &end));
    for (std::size_t runs = 0; runs != 50; ++runs) {
      last = 0;
      grown.length = runs % 5;
      grown.places.fill({&last, 0});
      ASSERT_EQ(run(graph), FG_OK) << fg_last_error();
      ASSERT_EQ(end.is, static_cast<int>(grown.length) + 1);
      for (std::size_t at = 0; at != grown.length; ++at) {
        ASSERT_EQ(grown.places[at].is, static_cast<int>(at) + 1);
      }
    }
  });
}

TEST(c_graph_parts, that_cannot_grow_end_the_run_with_their_status) {
  on_each_executor([](const runner& run) {
    std::atomic<int> last{0};
    chain grown{{}, 4};
    grown.places.fill({&last, 0});
    int calls = 0;
    c_graph graph;
    graph.add(work, nullptr);  // so that the other one is also another thread's
    const std::size_t growing = graph.add_growing(grow_chain, &grown, 3, 2);
    graph.edge(graph.add(work, nullptr), growing);
    graph.edge(growing, graph.add(count_run, &calls));
    for (int runs = 0; runs != 50; ++runs) {
      grown.length = 4;
      last = 0;
      EXPECT_EQ(fg_graph_create(nullptr), FG_INVALID_ARGUMENT);  // this thread's last error
      ASSERT_EQ(run(graph), FG_INVALID_ARGUMENT);
      ASSERT_STREQ(fg_last_error(), "graph: only 3 nodes are reserved");
      ASSERT_EQ(last, 0) << "no node has begun";
      ASSERT_EQ(calls, runs);
      grown.length = 3;
      ASSERT_EQ(run(graph), FG_OK) << fg_last_error();
      ASSERT_EQ(last, 3);
    }
  });
}

TEST(c_graph_parts, that_grow_have_as_many_edges_as_are_reserved) {
  std::atomic<int> last{0};
  chain grown{{}, 3};
  grown.places.fill({&last, 0});
  c_graph graph;
  graph.add_growing(grow_chain, &grown, 3, 1);
  EXPECT_EQ(fg_graph_run(graph), FG_INVALID_ARGUMENT);
  EXPECT_STREQ(fg_last_error(), "graph: only 1 edges are reserved");
  EXPECT_EQ(last, 0);
}

TEST(c_graph_parts, that_cannot_be_repeated_are_found_before_any_node_begins) {
  int calls = 0;
  c_graph part;
  part.edge(part.add(nothing, nullptr, "a"), 0);
  c_graph graph;
  int left = 1;
  graph.edge(graph.add(count_run, &calls), graph.add_loop(count_down, &left, part));
  on_each_executor([&](const runner& run) {
    EXPECT_EQ(fg_graph_prepare(graph), FG_INVALID_ARGUMENT);
    EXPECT_STREQ(fg_last_error(), "graph: these nodes wait for each other: a -> a");
    EXPECT_EQ(run(graph), FG_INVALID_ARGUMENT);
  });
  EXPECT_EQ(calls, 0);
}

TEST(c_graph_parts, that_wait_for_each_other_are_named) {
  const auto grow_circle = [](void* /*arguments*/, fg_graph* more) {
    fg_graph_add(more, "a", nothing, nullptr, nullptr);
    return fg_graph_add_edge(more, 0, 0);
  };
  on_each_executor([&](const runner& run) {
    c_graph graph;
    std::size_t node = 17;
    ASSERT_EQ(fg_graph_add_growing(graph, "grow", grow_circle, nullptr, 1, 1, 1, &node), FG_OK);
    EXPECT_EQ(node, 0U);
    EXPECT_EQ(run(graph), FG_INVALID_ARGUMENT);
    EXPECT_STREQ(fg_last_error(), "graph: these nodes wait for each other: a -> a");
  });
  c_graph part;
  part.edge(part.add(nothing, nullptr, "b"), 0);
  c_graph graph;
  graph.add_graph(part, "part");
  EXPECT_EQ(fg_graph_prepare(graph), FG_INVALID_ARGUMENT);
  EXPECT_STREQ(fg_last_error(), "graph: these nodes wait for each other: part/b -> part/b");
}

TEST(c_graph_parts, of_themselves_are_refused) {
  on_each_executor([](const runner& run) {
    c_graph graph;
    c_graph part;
    graph.add_graph(part, "part");
    std::size_t number = 0;
    part.add_choice(choose_number, &number, {graph});
    EXPECT_EQ(fg_graph_prepare(graph), FG_INVALID_ARGUMENT);
    EXPECT_EQ(run(graph), FG_INVALID_ARGUMENT);
    EXPECT_STREQ(fg_last_error(), "graph: it would be a part of itself: part/#0");
    EXPECT_EQ(fg_graph_remove(part, 0), FG_OK);
    EXPECT_EQ(run(graph), FG_OK);

    int left = 2;
    part.add_loop(count_down, &left, graph);
    EXPECT_EQ(run(graph), FG_INVALID_ARGUMENT);
    EXPECT_NE(std::string{fg_last_error()}.find("being run"), std::string::npos) << fg_last_error();
    left = 0;
    EXPECT_EQ(run(graph), FG_OK) << "no round";
  });
}

TEST(c_graph_parts, tell_of_exceptions) {
  const auto choose = [](void* arguments) -> std::size_t {
    throw_bad_luck(arguments);
    return 0;
  };
  const auto again = [](void* arguments) {
    throw_bad_luck(arguments);
    return 1;
  };
  const auto grow = [](void* arguments, fg_graph* /*more*/) {
    throw_bad_luck(arguments);
    return FG_OK;
  };
  const auto grow_unlucky = [](void* /*arguments*/, fg_graph* more) {
    return fg_graph_add(more, nullptr, throw_bad_luck, nullptr, nullptr);
  };
  on_each_executor([&](const runner& run) {
    c_graph part;
    part.add(throw_bad_luck, nullptr);
    const std::array<std::function<void(c_graph&)>, 6> ways{
        [&](c_graph& graph) { graph.add_graph(part); },
        [&](c_graph& graph) { graph.add_choice(choose, nullptr, {part}); },
        [&](c_graph& graph) { graph.add_loop(again, nullptr, part); },
        [&](c_graph& graph) { graph.add_loop(always, nullptr, part); },
        [&](c_graph& graph) { graph.add_growing(grow, nullptr, 1, 0); },
        [&](c_graph& graph) { graph.add_growing(grow_unlucky, nullptr, 1, 0); }};
    for (const auto& add_to : ways) {
      c_graph graph;
      add_to(graph);
      EXPECT_EQ(run(graph), FG_TASK_THREW);
      EXPECT_STREQ(fg_last_error(), "no luck");
    }
  });
}

// A part whose first node cancels a graph, and whose second one counts.
struct cancelling_node {
  fg_graph* whole = nullptr;  // null: it does not
  int begun = 0;
  int after = 0;
};
void cancel_whole(void* arguments) {
  auto& self = *static_cast<cancelling_node*>(arguments);
  ++self.begun;
  if (self.whole != nullptr) {
    EXPECT_EQ(fg_graph_cancel(self.whole), FG_OK);
  }
}
void count_after(void* arguments) { ++static_cast<cancelling_node*>(arguments)->after; }
fg_status add_cancelling(void* arguments, fg_graph* to) {
  fg_graph_add(to, nullptr, cancel_whole, arguments, nullptr);
  fg_graph_add(to, nullptr, count_after, arguments, nullptr);
  return fg_graph_add_edge(to, 0, 1);
}

using way_to_add = std::function<void(c_graph& graph, cancelling_node& state, fg_graph* part)>;

// The ways to have a part that runs at least once.
const std::array<way_to_add, 6>& ways_to_add() {
  static const std::array<way_to_add, 6> all{
      [](c_graph& graph, cancelling_node&, fg_graph* part) { graph.add_graph(part); },
      [](c_graph& graph, cancelling_node&, fg_graph* part) {
        static std::size_t first = 0;
        graph.add_choice(choose_number, &first, {part});
      },
      [](c_graph& graph, cancelling_node& state, fg_graph* part) {
        const auto has_begun = [](void* arguments) {
          return static_cast<cancelling_node*>(arguments)->begun == 0 ? 1 : 0;
        };
        graph.add_loop(has_begun, &state, part);
      },
      [](c_graph& graph, cancelling_node& state, fg_graph*) {
        graph.add_growing(add_cancelling, &state, 2, 1);
      },
      [](c_graph& graph, cancelling_node& state, fg_graph* part) {  // loops within nodes that grow
        struct both {
          cancelling_node* state;
          fg_graph* part;
        };
        static both given;
        given = {&state, part};
        const auto grow = [](void* arguments, fg_graph* more) {
          const auto has_begun = [](void* own) {
            return static_cast<cancelling_node*>(own)->begun == 0 ? 1 : 0;
          };
          const auto& [its, part_of] = *static_cast<both*>(arguments);
          return fg_graph_add_loop(more, "loop", has_begun, its, part_of, nullptr);
        };
        ASSERT_EQ(fg_graph_add_growing(graph, nullptr, grow, &given, 1, 0, 4, nullptr), FG_OK);
      },
      [](c_graph& graph, cancelling_node& state, fg_graph*) { add_cancelling(&state, graph); }};
  return all;
}

TEST(c_graph_parts, are_cancelled_with_the_whole) {
  on_each_executor([](const runner& run) {
    for (const way_to_add& add_to : ways_to_add()) {
      cancelling_node state;
      c_graph part;
      ASSERT_EQ(add_cancelling(&state, part), FG_OK);
      c_graph graph;
      add_to(graph, state, part);
      for (int runs = 0; runs != 10; ++runs) {
        state = {graph, 0, 0};
        ASSERT_EQ(run(graph), FG_CANCELLED);
        ASSERT_STREQ(fg_last_error(), "fg_graph_cancel has ended the run");
        ASSERT_EQ(state.begun, 1);
        ASSERT_EQ(state.after, 0);
        state = {};
        ASSERT_EQ(run(graph), FG_OK) << fg_last_error();
        ASSERT_EQ(state.after, 1);
      }
    }
  });
}

TEST(c_graph_parts, keep_their_own_requests_until_they_run_by_themselves) {
  on_each_executor([](const runner& run) {
    for (const way_to_add& add_to : ways_to_add()) {
      cancelling_node state;
      c_graph part;
      ASSERT_EQ(add_cancelling(&state, part), FG_OK);
      c_graph graph;
      add_to(graph, state, part);
      EXPECT_EQ(run(part), FG_OK);
      state = {part, 0, 0};
      EXPECT_EQ(run(graph), FG_OK);
      EXPECT_EQ(state.after, 1);
      state.whole = nullptr;
      EXPECT_EQ(fg_graph_cancel(part), FG_OK);
      state.begun = 0;
      EXPECT_EQ(run(graph), FG_OK);
      EXPECT_EQ(state.after, 2);
      EXPECT_EQ(run(part), FG_CANCELLED);
      EXPECT_EQ(run(part), FG_OK);
      EXPECT_EQ(state.after, 3);
      state.begun = 0;
      EXPECT_EQ(run(graph), FG_OK);
      EXPECT_EQ(state.after, 4);
    }
  });
}

struct routines_called {
  std::atomic<int> calls;
};

// A request that is there before the run: nothing of the program is called.
TEST(c_graph_parts, of_a_cancelled_run_are_not_asked_for) {
  const auto count = [](void* arguments) { ++static_cast<routines_called*>(arguments)->calls; };
  const auto choose = [](void* arguments) -> std::size_t {
    ++static_cast<routines_called*>(arguments)->calls;
    return 0;
  };
  const auto again = [](void* arguments) {
    return ++static_cast<routines_called*>(arguments)->calls == 1 ? 1 : 0;
  };
  const auto grow = [](void* arguments, fg_graph* /*more*/) {
    ++static_cast<routines_called*>(arguments)->calls;
    return FG_OK;
  };
  on_each_executor([&](const runner& run) {
    routines_called all{0};
    c_graph part;
    part.add(count, &all);
    const std::array<std::function<void(c_graph&)>, 4> ways{
        [&](c_graph& graph) { graph.add_graph(part); },
        [&](c_graph& graph) { graph.add_choice(choose, &all, {part}); },
        [&](c_graph& graph) { graph.add_loop(again, &all, part); },
        [&](c_graph& graph) { graph.add_growing(grow, &all, 0, 0); }};
    for (const auto& add_to : ways) {
      c_graph graph;
      add_to(graph);
      EXPECT_EQ(fg_graph_cancel(graph), FG_OK);
      EXPECT_EQ(run(graph), FG_CANCELLED);
      EXPECT_EQ(all.calls, 0);
      EXPECT_EQ(run(graph), FG_OK) << fg_last_error();
      EXPECT_NE(all.calls.exchange(0), 0);
    }
  });
}

// A loop whose condition is always true, once of a part without nodes.
TEST(c_graph_parts, that_are_repeated_for_ever_end_by_a_request_of_another_thread) {
  on_each_executor([](const runner& run) {
    for (const bool has_nodes : {false, true}) {
      c_graph part;
      if (has_nodes) {
        part.add(work, nullptr);
      }
      c_graph graph;
      int after = 0;
      graph.edge(graph.add_loop(always, nullptr, part), graph.add(count_run, &after));
      std::thread other{[&graph] {
        std::this_thread::sleep_for(std::chrono::milliseconds{2});
        fg_graph_cancel(graph);
      }};
      EXPECT_EQ(run(graph), FG_CANCELLED);
      other.join();
      EXPECT_EQ(after, 0);
    }
  });
}

TEST(c_graph_parts, cannot_be_used_while_they_run_in_a_loop) {
  c_graph part;
  const auto use = [](void* arguments) {
    auto* const self = static_cast<fg_graph*>(arguments);
    EXPECT_EQ(fg_graph_run(self), FG_INVALID_ARGUMENT);
    EXPECT_EQ(fg_graph_clear(self), FG_INVALID_ARGUMENT);
    EXPECT_NE(std::string{fg_last_error()}.find("being run"), std::string::npos);
  };
  part.add(use, part);
  c_graph graph;
  int left = 2;
  graph.add_loop(count_down, &left, part);
  EXPECT_EQ(fg_graph_run(graph), FG_OK);
  EXPECT_EQ(left, -1);
}

TEST(c_graph_changes, take_nodes_and_edges_out) {
  on_each_executor([](const runner& run) {
    std::atomic<int> last{0};
    std::array<place, 3> places{};
    places.fill({&last, 0});
    c_graph graph;
    for (place& each : places) {
      graph.add(note, &each);
    }
    const auto order = [&] {
      last = 0;
      places.fill({&last, 0});
      EXPECT_EQ(run(graph), FG_OK) << fg_last_error();
      return std::array{places[0].is, places[1].is, places[2].is};
    };
    graph.edge(2, 1);
    graph.edge(1, 0);
    EXPECT_EQ(order(), (std::array{3, 2, 1}));
    EXPECT_EQ(fg_graph_remove_edge(graph, 0, 1), FG_INVALID_ARGUMENT);
    EXPECT_STREQ(fg_last_error(), "graph: there is no such edge");
    EXPECT_EQ(order(), (std::array{3, 2, 1}));
    EXPECT_EQ(fg_graph_remove_edge(graph, 1, 0), FG_OK);
    EXPECT_EQ(fg_graph_remove_edge(graph, 1, 0), FG_INVALID_ARGUMENT);
    graph.edge(0, 2);
    EXPECT_EQ(order(), (std::array{1, 3, 2}));
    EXPECT_EQ(fg_graph_remove(graph, 1), FG_OK);
    EXPECT_EQ(order(), (std::array{1, 0, 2}));
    EXPECT_EQ(fg_graph_clear(graph), FG_OK);
    EXPECT_EQ(order(), (std::array{0, 0, 0}));
    EXPECT_EQ(graph.add(note, &places[1]), 0U);
    EXPECT_EQ(order(), (std::array{0, 1, 0}));
  });
}

TEST(c_graph_changes, refuse_nodes_that_are_gone) {
  c_graph graph;
  graph.add(nothing, nullptr);
  graph.add(nothing, nullptr);
  EXPECT_EQ(fg_graph_remove(graph, 1), FG_OK);
  const std::size_t too_large = std::size_t{1} << 32U;
  for (const std::size_t none : {std::size_t{1}, std::size_t{2}, too_large, ~std::size_t{0}}) {
    EXPECT_EQ(fg_graph_remove(graph, none), FG_INVALID_ARGUMENT);
    EXPECT_STREQ(fg_last_error(), "graph: there is no such node");
    EXPECT_EQ(fg_graph_remove_edge(graph, 0, none), FG_INVALID_ARGUMENT);
    EXPECT_EQ(fg_graph_remove_edge(graph, none, 0), FG_INVALID_ARGUMENT);
    EXPECT_STREQ(fg_last_error(), "graph: there is no such node");
    EXPECT_EQ(fg_graph_add_edge(graph, 0, none), FG_INVALID_ARGUMENT);
    EXPECT_EQ(fg_graph_add_edge(graph, none, 0), FG_INVALID_ARGUMENT);
  }
  EXPECT_EQ(graph.add(nothing, nullptr), 2U) << "its number is not given again";
  EXPECT_EQ(fg_graph_run(graph), FG_OK);
}

TEST(c_graph_changes, within_a_reserve) {
  c_graph graph;
  ASSERT_EQ(fg_graph_reserve(graph, 3, 1, 7), FG_OK);
  c_graph part;
  for (int round = 0; round != 3; ++round) {
    int calls = 0;
    graph.add(count_run, &calls, "abc");
    EXPECT_EQ(graph.add_graph(part, "defg"), 1U);
    graph.edge(0, 1);
    EXPECT_EQ(fg_graph_add_edge(graph, 0, 1), FG_INVALID_ARGUMENT);
    EXPECT_STREQ(fg_last_error(), "graph: only 1 edges are reserved");
    graph.add_growing([](void*, fg_graph*) { return FG_OK; }, nullptr, 0, 0);
    std::size_t node = 17;
    EXPECT_EQ(fg_graph_add(graph, nullptr, nothing, nullptr, &node), FG_INVALID_ARGUMENT);
    EXPECT_STREQ(fg_last_error(), "graph: only 3 nodes are reserved");
    EXPECT_EQ(node, 17U);
    EXPECT_EQ(fg_graph_run(graph), FG_OK);
    EXPECT_EQ(calls, 1);
    EXPECT_EQ(fg_graph_clear(graph), FG_OK);
  }
  EXPECT_EQ(fg_graph_add(graph, std::string(1000, 'n').c_str(), nothing, nullptr, nullptr),
            FG_INVALID_ARGUMENT);
}

// Nodes of the largest kind, each after a name that leaves the memory unaligned.
TEST(c_graph_changes, have_room_for_all_that_is_reserved) {
  constexpr std::size_t kNodes = 100;
  c_graph graph;
  c_graph part;
  ASSERT_EQ(fg_graph_reserve(graph, kNodes, 0, kNodes), FG_OK);
  for (std::size_t node = 0; node != kNodes; ++node) {
    ASSERT_EQ(fg_graph_add_loop(graph, "n", always, nullptr, part, nullptr), FG_OK) << node;
  }
}

TEST(c_graph_changes, refuse_a_reserve_that_cannot_be) {
  c_graph graph;
  constexpr std::size_t kTooMany = std::size_t{std::numeric_limits<std::uint32_t>::max()} + 1;
  for (const std::size_t many : {kTooMany, ~std::size_t{0}}) {
    EXPECT_EQ(fg_graph_reserve(graph, many, 0, 0), FG_INVALID_ARGUMENT);
    EXPECT_EQ(fg_graph_reserve(graph, 0, many, 0), FG_INVALID_ARGUMENT);
    EXPECT_EQ(fg_graph_reserve(graph, 0, 0, many), FG_INVALID_ARGUMENT);
    const auto grow = [](void*, fg_graph*) { return FG_OK; };
    std::size_t node = 17;
    EXPECT_EQ(fg_graph_add_growing(graph, nullptr, grow, nullptr, many, 0, 0, &node),
              FG_INVALID_ARGUMENT);
    EXPECT_STREQ(fg_last_error(), "graph: a reserve is of less than 2^32 nodes, edges and bytes");
    EXPECT_EQ(node, 17U);
  }
  EXPECT_EQ(graph.add(nothing, nullptr), 0U);
  EXPECT_EQ(fg_graph_reserve(graph, 10, 10, 10), FG_INVALID_ARGUMENT);
  EXPECT_EQ(fg_graph_remove(graph, 0), FG_OK);
  EXPECT_EQ(fg_graph_reserve(graph, 10, 10, 10), FG_INVALID_ARGUMENT);
  EXPECT_STREQ(fg_last_error(), "graph: a reserve is for a graph without nodes");
  EXPECT_EQ(fg_graph_clear(graph), FG_OK);
  EXPECT_EQ(fg_graph_reserve(graph, 10, 10, 10), FG_OK);
}

TEST(c_graph_changes, are_refused_while_it_runs) {
  c_graph graph;
  const auto use = [](void* arguments) {
    auto* const self = static_cast<fg_graph*>(arguments);
    c_graph part;
    fg_graph* const parts = part;
    const auto grow = [](void*, fg_graph*) { return FG_OK; };
    std::size_t node = 17;
    EXPECT_EQ(fg_graph_add_graph(self, nullptr, part, &node), FG_INVALID_ARGUMENT);
    EXPECT_EQ(fg_graph_add_choice(self, nullptr, choose_number, nullptr, &parts, 1, &node),
              FG_INVALID_ARGUMENT);
    EXPECT_EQ(fg_graph_add_loop(self, nullptr, always, nullptr, part, &node), FG_INVALID_ARGUMENT);
    EXPECT_EQ(fg_graph_add_growing(self, nullptr, grow, nullptr, 1, 0, 0, &node),
              FG_INVALID_ARGUMENT);
    EXPECT_EQ(node, 17U);
    EXPECT_EQ(fg_graph_reserve(self, 9, 9, 9), FG_INVALID_ARGUMENT);
    EXPECT_EQ(fg_graph_remove(self, 1), FG_INVALID_ARGUMENT);
    EXPECT_EQ(fg_graph_remove_edge(self, 0, 1), FG_INVALID_ARGUMENT);
    EXPECT_EQ(fg_graph_clear(self), FG_INVALID_ARGUMENT);
    EXPECT_NE(std::string{fg_last_error()}.find("being run"), std::string::npos);
  };
  int calls = 0;
  graph.add(use, graph);
  graph.edge(0, graph.add(count_run, &calls));
  EXPECT_EQ(fg_graph_run(graph), FG_OK);
  EXPECT_EQ(calls, 1);
}

TEST(c_graph_changes, tell_of_null_pointers) {
  c_graph graph;
  c_graph part;
  const std::array<fg_graph*, 2> parts{part, nullptr};
  std::size_t node = 17;
  const auto says = [](fg_status status, const char* what) {
    EXPECT_EQ(status, FG_INVALID_ARGUMENT);
    EXPECT_EQ(fg_last_error(), std::string{what} + " is a null pointer");
  };
  says(fg_graph_add_graph(nullptr, nullptr, part, &node), "graph");
  says(fg_graph_add_graph(graph, nullptr, nullptr, &node), "part");
  const auto choose = choose_number;
  says(fg_graph_add_choice(nullptr, nullptr, choose, nullptr, parts.data(), 1, &node), "graph");
  says(fg_graph_add_choice(graph, nullptr, nullptr, nullptr, parts.data(), 1, &node), "choose");
  says(fg_graph_add_choice(graph, nullptr, choose, nullptr, nullptr, 0, &node), "parts");
  says(fg_graph_add_choice(graph, nullptr, choose, nullptr, parts.data(), 2, &node), "a part");
  says(fg_graph_add_loop(nullptr, nullptr, always, nullptr, part, &node), "graph");
  says(fg_graph_add_loop(graph, nullptr, nullptr, nullptr, part, &node), "again");
  says(fg_graph_add_loop(graph, nullptr, always, nullptr, nullptr, &node), "part");
  says(fg_graph_add_growing(nullptr, nullptr, grow_chain, nullptr, 1, 0, 0, &node), "graph");
  says(fg_graph_add_growing(graph, nullptr, nullptr, nullptr, 1, 0, 0, &node), "grow");
  says(fg_graph_reserve(nullptr, 1, 1, 1), "graph");
  says(fg_graph_remove(nullptr, 0), "graph");
  says(fg_graph_remove_edge(nullptr, 0, 0), "graph");
  says(fg_graph_clear(nullptr), "graph");
  EXPECT_EQ(node, 17U);
}

}  // namespace
