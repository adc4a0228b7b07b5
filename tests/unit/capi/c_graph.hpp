// Graphs of the C interface, and ways to run them.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <gtest/gtest.h>

#include <chrono>
#include <cstddef>
#include <functional>
#include <stdexcept>
#include <vector>

#include "finegrain/finegrain.h"

namespace fg::test {

/// A graph that ends with its owner. Its routines are C's: no captures.
class c_graph {
 public:
  c_graph() { EXPECT_EQ(fg_graph_create(&graph_), FG_OK) << fg_last_error(); }
  ~c_graph() { fg_graph_destroy(graph_); }
  c_graph(const c_graph&) = delete;
  c_graph& operator=(const c_graph&) = delete;

  // NOLINTNEXTLINE(google-explicit-constructor): as a C program would pass it
  operator fg_graph*() const noexcept { return graph_; }

  std::size_t add(fg_routine routine, void* arguments, const char* name = nullptr) {
    std::size_t node = ~std::size_t{0};
    EXPECT_EQ(fg_graph_add(graph_, name, routine, arguments, &node), FG_OK) << fg_last_error();
    return node;
  }
  std::size_t add_graph(fg_graph* part, const char* name = nullptr) {
    std::size_t node = ~std::size_t{0};
    EXPECT_EQ(fg_graph_add_graph(graph_, name, part, &node), FG_OK) << fg_last_error();
    return node;
  }
  std::size_t add_choice(fg_choose_routine choose, void* arguments,
                         const std::vector<fg_graph*>& parts) {
    std::size_t node = ~std::size_t{0};
    EXPECT_EQ(
        fg_graph_add_choice(graph_, nullptr, choose, arguments, parts.data(), parts.size(), &node),
        FG_OK)
        << fg_last_error();
    return node;
  }
  std::size_t add_loop(fg_again_routine again, void* arguments, fg_graph* part) {
    std::size_t node = ~std::size_t{0};
    EXPECT_EQ(fg_graph_add_loop(graph_, nullptr, again, arguments, part, &node), FG_OK)
        << fg_last_error();
    return node;
  }
  std::size_t add_growing(fg_grow_routine grow, void* arguments, std::size_t nodes,
                          std::size_t edges) {
    std::size_t node = ~std::size_t{0};
    EXPECT_EQ(fg_graph_add_growing(graph_, nullptr, grow, arguments, nodes, edges, 0, &node), FG_OK)
        << fg_last_error();
    return node;
  }
  void edge(std::size_t before, std::size_t after) {
    EXPECT_EQ(fg_graph_add_edge(graph_, before, after), FG_OK) << fg_last_error();
  }

 private:
  fg_graph* graph_ = nullptr;
};

using runner = std::function<fg_status(fg_graph*)>;

inline fg_pool* new_pool(std::size_t workers, bool has_assistants) {
  fg_pool_options options = FG_POOL_OPTIONS_INIT;
  options.workers = workers;
  options.assistants = has_assistants ? 1 : 0;
  fg_pool* pool = nullptr;
  EXPECT_EQ(fg_pool_create(&options, &pool), FG_OK) << fg_last_error();
  return pool;
}

/// Calls `test(run)` for each way to run a graph.
inline void on_each_executor(const std::function<void(const runner&)>& test) {
  test(fg_graph_run);
  fg_relic* relic = nullptr;
  ASSERT_EQ(fg_relic_create(nullptr, &relic), FG_OK) << fg_last_error();
  test([relic](fg_graph* graph) { return fg_graph_run_on_relic(graph, relic); });
  fg_relic_destroy(relic);
  for (const std::size_t workers : {1U, 2U, 3U}) {
    for (const bool has_assistants : {false, true}) {
      fg_pool* const pool = new_pool(workers, has_assistants);
      test([pool](fg_graph* graph) { return fg_graph_run_on_pool(graph, pool); });
      test([pool](fg_graph* graph) {
        struct both {
          fg_graph* graph;
          fg_pool* pool;
          fg_status status;
        } all{graph, pool, FG_INTERNAL_ERROR};
        const auto run_within = [](void* arguments) {
          auto& self = *static_cast<both*>(arguments);
          self.status = fg_graph_run_on_pool(self.graph, self.pool);
        };
        EXPECT_EQ(fg_pool_run(pool, run_within, &all), FG_OK);
        return all.status;
      });
      fg_pool_destroy(pool);
    }
  }
}

inline void count_run(void* number) { ++*static_cast<int*>(number); }
inline void nothing(void* /*arguments*/) {}
inline void throw_bad_luck(void* /*arguments*/) { throw std::runtime_error{"no luck"}; }

/// So long that runs are soon shared.
inline void work(void* /*arguments*/) {
  const auto end = std::chrono::steady_clock::now() + std::chrono::microseconds{30};
  while (std::chrono::steady_clock::now() < end) {
  }
}

}  // namespace fg::test
