// Lets each allocation fail in turn: std::bad_alloc or a documented fallback, no leak, no thread
// left, no hang; and the next attempt succeeds.
// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <new>
#include <numeric>
#include <string>
#include <string_view>
#include <system_error>
#include <thread>
#include <tuple>
#include <type_traits>
#include <vector>

#include "finegrain/algorithm/pool/broadcast.hpp"
#include "finegrain/algorithm/pool/fork_join.hpp"
#include "finegrain/algorithm/pool/parallel_for.hpp"
#include "finegrain/algorithm/pool/parallel_reduce.hpp"
#include "finegrain/algorithm/pool/parallel_scan.hpp"
#include "finegrain/algorithm/pool/sort.hpp"
#include "finegrain/algorithm/relic/fork_join.hpp"
#include "finegrain/algorithm/relic/parallel_for.hpp"
#include "finegrain/algorithm/relic/parallel_reduce.hpp"
#include "finegrain/core/atomic.hpp"
#include "finegrain/execution/pool_coroutines.hpp"
#include "finegrain/execution/pool_scheduler.hpp"
#include "finegrain/execution/relic_coroutines.hpp"
#include "finegrain/execution/relic_scheduler.hpp"
#include "finegrain/finegrain.h"
#include "finegrain/graph/compiled_graph.hpp"
#include "finegrain/graph/graph.hpp"
#include "finegrain/graph/graph_nodes.hpp"
#include "finegrain/graph/precedence.hpp"
#include "finegrain/host/affinity.hpp"
#include "finegrain/host/cpu_registry.hpp"
#include "finegrain/host/host_view.hpp"
#include "finegrain/hybrid/hybrid_pool.hpp"
#include "finegrain/pipeline/pipeline.hpp"
#include "finegrain/pool/pool.hpp"
#include "finegrain/pool/task_group.hpp"
#include "finegrain/relic/relic.hpp"
#include "support/failing_new.hpp"
#include "support/forked_fib.hpp"
#include "support/on_thread.hpp"
#include "support/process_threads.hpp"
#include "support/restrict_to_cpu.hpp"
#include "support/watchdog.hpp"
#include "unit/execution/test_receiver.hpp"
#include "unit/pool/pool_setting.hpp"

namespace {

using fg::test::failing_new;
using fg::test::outstanding_allocations;

// A joined thread may still be listed for a moment.
std::size_t threads_down_to(std::size_t expected) {
  std::size_t threads = fg::test::process_threads().size();
  for (int look = 0; threads > expected && look < 1000; ++look) {
    std::this_thread::sleep_for(std::chrono::milliseconds{1});
    threads = fg::test::process_threads().size();
  }
  return threads;
}

// How often a sweep ended in each way.
struct sweep {
  std::size_t threw = 0;
  std::size_t fell_back = 0;
};

// Runs `body()` with the first allocation failing, then the second, and so on, until all succeed.
// `body` returns whether what it did without an exception was right. `counted`: each failed attempt
// has to free what it allocated. Not so for what is allocated once per process: LeakSanitizer
// checks that.
template <class Body>
sweep fail_in_turn(const Body& body, bool counted) {
  sweep done;
  for (std::size_t nth = 1;; ++nth) {
    const std::size_t threads = fg::test::process_threads().size();
    const std::size_t outstanding = outstanding_allocations();
    bool failed = false;
    bool threw = false;
    bool right = true;
    {
      const failing_new failing{nth};
      try {
        right = body();
      } catch (const std::bad_alloc&) {
        threw = true;
      }
      failed = failing_new::happened();
    }
    EXPECT_TRUE(right) << "allocation " << nth;
    EXPECT_EQ(threads_down_to(threads), threads) << "allocation " << nth;
    if (counted) {
      EXPECT_EQ(outstanding_allocations(), outstanding) << "allocation " << nth;
    }
    if (!failed) {
      EXPECT_FALSE(threw);
      return done;
    }
    ++(threw ? done.threw : done.fell_back);
  }
}

// What is allocated once per process fails too, first.
template <class Body>
sweep fail_at_each_allocation(const Body& body) {
  const fg::test::watchdog limit{std::chrono::seconds{60}};
  fail_in_turn(body, false);
  return fail_in_turn(body, true);
}

bool works(fg::relic& relic) {
  int ran = 0;
  for (int i = 0; i < 3; ++i) {
    relic.submit([&ran] { ++ran; });
  }
  relic.wait();
  return ran == 3;
}

TEST(out_of_memory, relic) {
  const sweep done = fail_at_each_allocation([] {
    fg::relic relic;
    return works(relic);
  });
  EXPECT_GT(done.threw, 0U);
}

TEST(out_of_memory, relic_with_a_cpu) {
  const sweep done = fail_at_each_allocation([] {
    fg::relic relic{{.assistant_cpu = fg::current_cpu()}};
    return works(relic);
  });
  EXPECT_GT(done.threw, 0U);
}

bool runs_diamonds(fg::relic& relic, fg::pool& pool) {
  int sum = 0;
  fg::graph graph;
  const auto first = graph.add("the first of four, with a long name", [&sum] { sum = 1; });
  const auto left = graph.add([] {});
  const auto right = graph.add([&sum] { ++sum; });
  const auto last = graph.add([&sum] { sum *= 2; });
  first.precede(left, right);
  last.succeed(left, right);
  graph.run(relic);
  bool all = sum == 4;
  graph.run(pool);
  all = all && sum == 4;
  graph.run();
  return all && sum == 4;
}

TEST(out_of_memory, graph) {
  fg::relic relic;
  fg::pool pool{fg::test::workers(3)};
  const sweep done = fail_at_each_allocation([&] { return runs_diamonds(relic, pool); });
  EXPECT_GT(done.threw, 0U);
}

// Calls `body` on a thread that stays on its CPU: where a main thread has moved, its relic places the
// assistant again, which allocates.
template <class Body>
void on_one_cpu(Body body) {
  fg::test::on_thread([&body] {
    ASSERT_FALSE(fg::pin_this_thread(fg::current_cpu()));
    body();
  });
}

// The same nodes and edges again, in the memory that the first ones have left.
TEST(out_of_memory, a_graph_is_rebuilt_without_allocation) {
  fg::detail::graph_nodes nodes;
  std::vector<fg::detail::graph_edge> edges;
  fg::detail::compiled_graph compiled;
  int calls = 0;
  const auto rebuild_and_run = [&] {
    nodes.clear();
    edges.clear();
    for (std::uint32_t node = 0; node != 100; ++node) {
      nodes.add("a name that is kept", [&calls] { ++calls; });
      if (node > 1) {
        edges.push_back({node, node / 2});  // against the numbers, so an order has to be found
        edges.push_back({node, node / 2});
      }
    }
    const bool is_acyclic = compiled.rebuild(nodes.bodies(), edges);
    compiled.run_by(&calls, 3, nullptr);
    static_cast<void>(compiled.schedule());
    compiled.run_here<true>();
    return is_acyclic;
  };
  EXPECT_TRUE(rebuild_and_run());
  bool succeeds = true;
  bool allocates = false;
  {
    const failing_new failing{1};
    succeeds = rebuild_and_run() && rebuild_and_run();
    allocates = failing_new::happened();
  }
  EXPECT_TRUE(succeeds);
  EXPECT_FALSE(allocates);
  EXPECT_EQ(calls, 300);
}

TEST(out_of_memory, later_runs_of_a_graph_allocate_nothing) {
  on_one_cpu([] {
    fg::relic relic;
    fg::pool two{fg::test::workers(2)};
    fg::pool three{fg::test::workers(3)};
    fg::graph graph;
    std::vector<fg::graph::node> nodes;
    for (int node = 0; node != 20; ++node) {
      nodes.push_back(graph.add([] {
        const auto end = std::chrono::steady_clock::now() + std::chrono::microseconds{5};
        while (std::chrono::steady_clock::now() < end) {
        }
      }));
    }
    for (std::size_t node = 2; node != nodes.size(); ++node) {
      nodes[node].succeed(nodes[node - 2], nodes[node / 2]);
    }
    graph.run(relic);
    graph.run(two);
    graph.run(three);
    const failing_new failing{1};
    for (int runs = 0; runs != 100; ++runs) {
      graph.run(relic);
      graph.run(two);
      graph.run(three);
    }
    EXPECT_FALSE(failing_new::happened());
  });
}

TEST(out_of_memory, a_graph_with_a_reserve_allocates_nothing) {
  on_one_cpu([] {
    fg::relic relic;
    fg::pool pool{fg::test::workers(2)};
    fg::atomic<int> calls{0};
    fg::graph inner;
    inner.add([&calls] { calls.fetch_add(1); });
    fg::graph graph;
    graph.reserve(20, 20, 1000);
    fg::graph growing;
    growing.add_growing(
        "a name that is longer than others",
        [&calls](fg::graph& more) {
          more.add("b", [&calls] { calls.fetch_add(1); }).succeed(more.add("a", [&calls] {
            calls.fetch_add(1);
          }));
        },
        2, 1, 100);
    int left = 0;
    growing.add_loop("loop", [&left] { return left-- > 0; }, inner);
    growing.prepare();
    growing.run(relic);
    growing.run(pool);
    calls.store(0);
    const failing_new failing{1};
    for (int runs = 1; runs <= 20; ++runs) {
      graph.clear();
      const auto last = graph.add("last", [&calls] { calls.fetch_add(1); });
      for (int node = 1; node != runs; ++node) {
        last.succeed(graph.add([&calls] { calls.fetch_add(1); }));
      }
      graph.run(relic);
      graph.run(pool);
      left = 1;  // the loop's part was never run before
      growing.run(relic);
      growing.run(pool);
    }
    const bool allocates = failing_new::happened();
    EXPECT_FALSE(allocates);
    EXPECT_EQ(calls.load(), 2 * 210 + 20 * 5);
  });
}

TEST(out_of_memory, overlapping_runs_of_a_prepared_graph_allocate_nothing) {
  on_one_cpu([] {
    fg::pool pool{fg::test::workers(3)};
    fg::graph_of<int> innermost;
    innermost.add([](int& depth) { ++depth; });
    fg::graph_of<int> graph;
    int inner = 0;
    const auto nested = graph.add([&](int& depth) {
      if (depth != 0) {
        inner = depth - 1;
        graph.run(pool, inner);
      }
    });
    nested.precede(graph.add_choice("choice", [](int& depth) { return depth == 0; }, innermost));
    graph.prepare(4);
    int one = 1;
    graph.run(pool, one);
    const failing_new failing{1};
    for (int depth = 0; depth != 4; ++depth) {
      int outer = depth;
      graph.run(pool, outer);
    }
    EXPECT_FALSE(failing_new::happened());
    EXPECT_EQ(inner, 1);
  });
}

// Tokens that own memory, so that stages throw, too.
bool passes_tokens(fg::relic& relic, fg::pool& pool) {
  int left = 0;
  int sum = 0;
  fg::pipeline pipeline{fg::serial_in_order([&left] { return left-- > 0; }),
                        fg::parallel([] { return std::make_unique<int>(1); }),
                        fg::serial_out_of_order([&sum](std::unique_ptr<int> one) { sum += *one; })};
  const auto passes = [&](auto&... executor) {
    left = 20;
    sum = 0;
    pipeline.run(executor...);
    return sum == 20;
  };
  return passes(relic) && passes(pool) && passes();
}

TEST(out_of_memory, pipeline) {
  fg::relic relic;
  fg::pool pool{fg::test::workers(3)};
  const sweep done = fail_at_each_allocation([&] { return passes_tokens(relic, pool); });
  EXPECT_GT(done.threw, 0U);
}

TEST(out_of_memory, later_runs_of_a_pipeline_allocate_nothing) {
  on_one_cpu([] {
    fg::relic relic;
    fg::pool pool{fg::test::workers(2)};
    int left = 0;
    fg::pipeline pipeline{fg::serial_in_order([&left] { return left-- > 0; }), fg::parallel([] {
                            const auto end =
                                std::chrono::steady_clock::now() + std::chrono::microseconds{5};
                            while (std::chrono::steady_clock::now() < end) {
                            }
                          }),
                          fg::serial_out_of_order([] {})};
    const auto run = [&] {
      left = 100;
      pipeline.run(relic);
      left = 100;
      pipeline.run(pool);
    };
    run();
    const failing_new failing{1};
    for (int runs = 0; runs != 100; ++runs) {
      run();
    }
    EXPECT_FALSE(failing_new::happened());
  });
}

// FG_NO_MEMORY becomes std::bad_alloc again.
void expect_ok(fg_status status) {
  if (status == FG_NO_MEMORY) {
    throw std::bad_alloc{};
  }
  EXPECT_EQ(status, FG_OK) << fg_last_error();
}

void work_for_5_us(void* /*arguments*/) {
  const auto end = std::chrono::steady_clock::now() + std::chrono::microseconds{5};
  while (std::chrono::steady_clock::now() < end) {
  }
}

struct c_handles {
  ~c_handles() {
    fg_graph_destroy(graph);
    fg_relic_destroy(relic);
    fg_pool_destroy(pool);
  }
  fg_graph* graph = nullptr;
  fg_relic* relic = nullptr;
  fg_pool* pool = nullptr;
};

TEST(out_of_memory, graph_in_c) {
  on_one_cpu([] {
    c_handles executors;
    expect_ok(fg_relic_create(nullptr, &executors.relic));
    expect_ok(fg_pool_create(nullptr, &executors.pool));
    const sweep done = fail_at_each_allocation([&executors] {
      c_handles own;
      std::array<int, 3> calls{};
      expect_ok(fg_graph_create(&own.graph));
      for (int& calls_of_node : calls) {
        const auto count = [](void* number) { ++*static_cast<int*>(number); };
        expect_ok(fg_graph_add(own.graph, "one of three, with a long name", count, &calls_of_node,
                               nullptr));
      }
      expect_ok(fg_graph_add_edge(own.graph, 2, 0));
      expect_ok(fg_graph_run_on_relic(own.graph, executors.relic));
      expect_ok(fg_graph_run_on_pool(own.graph, executors.pool));
      const char* text = nullptr;
      expect_ok(fg_graph_explain(own.graph, &text));
      expect_ok(fg_graph_dot(own.graph, &text));
      return calls == std::array{2, 2, 2};
    });
    EXPECT_GT(done.threw, 0U);
    EXPECT_EQ(done.fell_back, 0U);
  });
}

void count_in_c(void* number) { static_cast<fg::atomic<int>*>(number)->fetch_add(1); }
// Adds two nodes, one after the other.
fg_status grow_two(void* number, fg_graph* more) {
  fg_graph_add(more, "one of two, with a long name", count_in_c, number, nullptr);
  fg_graph_add(more, nullptr, count_in_c, number, nullptr);
  return fg_graph_add_edge(more, 0, 1);
}
std::size_t choose_first(void* /*arguments*/) { return 0; }
int count_down(void* left) { return --*static_cast<int*>(left) >= 0 ? 1 : 0; }

// Adds to `graph` a part, a choice, a loop and a node that grows, which call `count_in_c` 1, 1, `left`
// and 2 times.
void add_parts_in_c(fg_graph* graph, fg_graph* part, fg::atomic<int>& calls, int& left) {
  expect_ok(fg_graph_add(part, nullptr, count_in_c, &calls, nullptr));
  expect_ok(fg_graph_add_graph(graph, "a part with a long name", part, nullptr));
  expect_ok(fg_graph_add_choice(graph, nullptr, choose_first, nullptr, &part, 1, nullptr));
  expect_ok(fg_graph_add_loop(graph, nullptr, count_down, &left, part, nullptr));
  expect_ok(fg_graph_add_growing(graph, nullptr, grow_two, &calls, 2, 1, 30, nullptr));
  for (std::size_t node = 1; node != 4; ++node) {
    expect_ok(fg_graph_add_edge(graph, node - 1, node));
  }
}

TEST(out_of_memory, graph_with_parts_in_c) {
  on_one_cpu([] {
    c_handles executors;
    fg_relic_options options = FG_RELIC_OPTIONS_INIT;
    options.main_helps = 0;
    expect_ok(fg_relic_create(&options, &executors.relic));
    expect_ok(fg_relic_submit(executors.relic, [](void*) {}, nullptr));
    expect_ok(fg_relic_wait(executors.relic));  // the assistant has come, for which it may allocate
    const sweep done = fail_at_each_allocation([&executors] {
      c_handles own;
      c_handles part;
      fg::atomic<int> calls{0};
      int left = 1;
      expect_ok(fg_graph_create(&own.graph));
      expect_ok(fg_graph_create(&part.graph));
      add_parts_in_c(own.graph, part.graph, calls, left);
      expect_ok(fg_graph_run_on_relic(own.graph, executors.relic));
      return calls.load() == 5;
    });
    EXPECT_GT(done.threw, 0U);
    EXPECT_EQ(done.fell_back, 0U);
  });
}

// Its nodes are then tasks, which are made in the first run.
TEST(out_of_memory, graph_in_c_on_three_workers) {
  c_handles executors;
  fg_pool_options options = FG_POOL_OPTIONS_INIT;
  options.workers = 3;
  expect_ok(fg_pool_create(&options, &executors.pool));
  const sweep done = fail_at_each_allocation([&executors] {
    c_handles own;
    fg::atomic<int> calls{0};
    expect_ok(fg_graph_create(&own.graph));
    expect_ok(fg_graph_add(own.graph, nullptr, count_in_c, &calls, nullptr));
    expect_ok(fg_graph_add(own.graph, nullptr, count_in_c, &calls, nullptr));
    expect_ok(fg_graph_run_on_pool(own.graph, executors.pool));
    return calls.load() == 2;
  });
  EXPECT_GT(done.threw, 0U);
  EXPECT_EQ(done.fell_back, 0U);
}

TEST(out_of_memory, a_reserve_in_c_that_fails_limits_nothing) {
  const sweep done = fail_at_each_allocation([] {
    c_handles own;
    expect_ok(fg_graph_create(&own.graph));
    const fg_status status = fg_graph_reserve(own.graph, 2, 1, 0);
    for (std::size_t node = 0; node != 3 && status == FG_NO_MEMORY; ++node) {
      expect_ok(
          fg_graph_add(own.graph, "a node with a long name", work_for_5_us, nullptr, nullptr));
      expect_ok(fg_graph_add_edge(own.graph, node, 0));
      expect_ok(fg_graph_add_edge(own.graph, 0, node));
    }
    return true;
  });
  EXPECT_GT(done.fell_back, 0U);
}

TEST(out_of_memory, later_runs_of_a_graph_with_parts_in_c_allocate_nothing) {
  on_one_cpu([] {
    c_handles all;
    c_handles part;
    fg_pool_options options = FG_POOL_OPTIONS_INIT;
    options.workers = 2;
    expect_ok(fg_pool_create(&options, &all.pool));
    expect_ok(fg_relic_create(nullptr, &all.relic));
    expect_ok(fg_graph_create(&all.graph));
    expect_ok(fg_graph_create(&part.graph));
    fg::atomic<int> calls{0};
    int left = 0;
    add_parts_in_c(all.graph, part.graph, calls, left);
    const auto run = [&] {
      left = 5;
      expect_ok(fg_graph_run(all.graph));
      left = 5;
      expect_ok(fg_graph_run_on_relic(all.graph, all.relic));
      left = 5;
      expect_ok(fg_graph_run_on_pool(all.graph, all.pool));
    };
    run();
    calls.store(0);
    const failing_new failing{1};
    for (int runs = 0; runs != 100; ++runs) {
      run();
    }
    const bool allocates = failing_new::happened();
    EXPECT_FALSE(allocates);
    EXPECT_EQ(calls.load(), 100 * 3 * 9);
  });
}

TEST(out_of_memory, a_graph_in_c_with_a_reserve_allocates_nothing) {
  on_one_cpu([] {
    c_handles all;
    expect_ok(fg_relic_create(nullptr, &all.relic));
    expect_ok(fg_graph_create(&all.graph));
    expect_ok(fg_graph_reserve(all.graph, 20, 19, 20 * 30));
    fg::atomic<int> calls{0};
    expect_ok(fg_relic_submit(all.relic, count_in_c, &calls));
    expect_ok(fg_relic_wait(all.relic));  // its assistant has begun, which allocates
    calls.store(0);
    const failing_new failing{1};
    for (std::size_t nodes = 1; nodes <= 20; ++nodes) {
      expect_ok(fg_graph_clear(all.graph));
      for (std::size_t node = 0; node != nodes; ++node) {
        expect_ok(
            fg_graph_add(all.graph, "a node with a long name...", count_in_c, &calls, nullptr));
        if (node != 0) {
          expect_ok(fg_graph_add_edge(all.graph, node, node - 1));
        }
      }
      expect_ok(fg_graph_run(all.graph));
      expect_ok(fg_graph_run_on_relic(all.graph, all.relic));
    }
    const bool allocates = failing_new::happened();
    EXPECT_FALSE(allocates);
    EXPECT_EQ(calls.load(), 2 * 210);
  });
}

TEST(out_of_memory, later_runs_of_a_graph_in_c_allocate_nothing) {
  on_one_cpu([] {
    c_handles all;
    fg_pool_options options = FG_POOL_OPTIONS_INIT;
    options.workers = 3;
    expect_ok(fg_pool_create(&options, &all.pool));
    expect_ok(fg_relic_create(nullptr, &all.relic));
    expect_ok(fg_graph_create(&all.graph));
    for (std::size_t node = 0; node != 20; ++node) {
      expect_ok(fg_graph_add(all.graph, nullptr, work_for_5_us, nullptr, nullptr));
      if (node > 1) {
        expect_ok(fg_graph_add_edge(all.graph, node - 2, node));
      }
    }
    const auto run = [&all] {
      expect_ok(fg_graph_run(all.graph));
      expect_ok(fg_graph_run_on_relic(all.graph, all.relic));
      expect_ok(fg_graph_run_on_pool(all.graph, all.pool));
    };
    run();
    const failing_new failing{1};
    for (int runs = 0; runs != 100; ++runs) {
      run();
    }
    EXPECT_FALSE(failing_new::happened());
  });
}

// The assistant may stay on its CPU.
TEST(out_of_memory, relic_that_follows_its_main_thread) {
  const std::vector<int> cpus = fg::usable_cpus();
  if (cpus.size() < 2) {
    GTEST_SKIP() << "one usable CPU: there is nowhere to go";
  }
  fg::test::on_thread([&cpus] {
    ASSERT_FALSE(fg::pin_this_thread(cpus[0]));
    fg::relic relic;
    std::size_t moves = 0;
    const sweep done = fail_at_each_allocation([&] {
      fg::test::restrict_this_thread_to(cpus[++moves % 2]);
      relic.wake_up_hint();
      return works(relic);
    });
    EXPECT_EQ(done.threw, 0U);
    EXPECT_GT(done.fell_back, 0U);
  });
}

TEST(out_of_memory, algorithms_over_a_relic_need_none) {
  on_one_cpu([] {
    fg::relic relic;
    const sweep done = fail_at_each_allocation([&relic] {
      std::array<int, 500> visited{};
      fg::parallel_for(relic, std::size_t{0}, visited.size(), [&](std::size_t i) { ++visited[i]; },
                       {.grain = 10, .mode = fg::offload::always});
      const int sum = fg::parallel_reduce(relic, std::size_t{0}, visited.size(), 0,
                                          [&](std::size_t i) { return visited[i]; }, std::plus<>{},
                                          {.grain = 10, .mode = fg::offload::always});
      const auto [a, b] = fg::fork_join(relic, [] { return 1; }, [] { return 2; });
      return sum == 500 && a + b == 3;
    });
    EXPECT_EQ(done.threw + done.fell_back, 0U);
  });
}

class out_of_memory_in_pool : public testing::TestWithParam<fg::test::pool_setting> {};

TEST_P(out_of_memory_in_pool, construction) {
  const sweep done = fail_at_each_allocation([options = GetParam().options()] {
    fg::pool pool{options};
    return pool.run([] { return fg::test::forked_fib(10); }) == 55;
  });
  EXPECT_GT(done.threw, 0U);
}

// A task that could not be spawned does not run; those that were spawned do.
TEST_P(out_of_memory_in_pool, spawning) {
  fg::pool pool{GetParam().options()};
  const sweep done = fail_at_each_allocation([&pool] {
    fg::atomic<int> ran{0};
    int spawned = 0;
    bool threw = false;
    pool.run([&] {
      fg::task_group group;
      try {
        for (; spawned < 20; ++spawned) {
          const std::array<int, 20> large{spawned};
          spawned % 2 == 0 ? group.spawn([&ran] { ++ran; })
                           : group.spawn([&ran, large] { ran += large[0] == 0 ? 0 : 1; });
        }
      } catch (const std::bad_alloc&) {
        threw = true;
      }
      group.wait();
    });
    return ran == spawned && threw == (spawned < 20);
  });
  EXPECT_GT(done.fell_back, 0U);
}

// A task that could not be posted does not run, and no thread waits for it.
TEST_P(out_of_memory_in_pool, posting) {
  const sweep done = fail_at_each_allocation([options = GetParam().options()] {
    fg::atomic<int> ran{0};
    int posted = 0;
    {
      fg::pool pool{options};
      try {
        for (; posted < 100; ++posted) {
          pool.post([&ran] { ++ran; });
        }
      } catch (const std::bad_alloc&) {  // NOLINT(bugprone-empty-catch): `posted` tells
      }
    }
    return ran == posted;
  });
  EXPECT_GT(done.fell_back, 0U);
}

TEST_P(out_of_memory_in_pool, algorithms) {
  fg::pool pool{GetParam().options()};
  const sweep done = fail_at_each_allocation([&pool] {
    std::array<int, 1000> visited{};
    const auto visit = [&visited](std::size_t i) { ++visited[i]; };
    for (const auto how : {fg::partition::lazy, fg::partition::dynamic, fg::partition::fixed}) {
      fg::parallel_for(pool, std::size_t{0}, visited.size(), visit, {.how = how, .grain = 10});
    }
    const int sum = fg::parallel_reduce(pool, std::size_t{0}, visited.size(), 0,
                                        [&](std::size_t i) { return visited[i]; }, std::plus<>{},
                                        {.grain = 10});
    const auto [one, two, three] =
        fg::parallel_invoke(pool, [] { return 1; }, [] { return 2; }, [] { return 3; });
    fg::sort(pool, visited);
    return std::ranges::count(visited, 3) == 1000 && sum == 3000 && one + two + three == 6;
  });
  EXPECT_EQ(done.threw, 0U);
}

TEST_P(out_of_memory_in_pool, scan_and_broadcast) {
  fg::pool pool{GetParam().options()};
  const sweep done = fail_at_each_allocation([&pool] {
    std::array<int, 1000> ones{};
    ones.fill(1);
    fg::parallel_scan(pool, ones.begin(), ones.size(), ones.begin());
    fg::atomic<std::size_t> calls{0};
    fg::broadcast(pool, [&calls](std::size_t) { ++calls; });
    return ones.front() == 1 && ones.back() == 1000 && calls == pool.size();
  });
  EXPECT_GT(done.threw, 0U);
}

INSTANTIATE_TEST_SUITE_P(every_policy, out_of_memory_in_pool,
                         testing::ValuesIn(fg::test::pool_settings({1, 3})),
                         fg::test::name_of_pool_setting);

TEST(out_of_memory, pool_under_every_wait_policy) {
  for (const fg::detail::chosen_wait& wait : fg::detail::kWaitPolicies) {
    if (!wait.is_supported()) {
      continue;
    }
    fg::pool_options options = fg::test::workers(3);
    options.wait = wait.name();
    const sweep done = fail_at_each_allocation([&options] {
      fg::pool pool{options};
      return pool.run([] { return fg::test::forked_fib(10); }) == 55;
    });
    EXPECT_GT(done.threw, 0U) << wait.name();
  }
}

// Pinned workers: one moves when the caller has arrived on its CPU.
TEST(out_of_memory, pool_whose_worker_makes_way) {
  const std::vector<int> cpus = fg::usable_cpus();
  if (cpus.size() < 2) {
    GTEST_SKIP() << "one usable CPU: there is nowhere to go";
  }
  fg::test::on_thread([&cpus] {
    fg::test::restrict_this_thread_to(cpus[0]);
    fg::set_allowed_cpus({cpus[0], cpus[1]});
    const sweep done = fail_at_each_allocation([&cpus] {
      fg::test::restrict_this_thread_to(cpus[0]);
      fg::pool_options options = fg::test::workers(2);
      options.placement = fg::worker_placement::every_cpu;
      fg::pool pool{options};
      fg::test::restrict_this_thread_to(cpus[1]);
      return pool.run([] { return fg::test::forked_fib(10); }) == 55;
    });
    EXPECT_GT(done.threw, 0U);
  });
}

TEST(out_of_memory, hybrid_pool) {
  const int cpu = fg::usable_cpus().back();
  const sweep done = fail_at_each_allocation([cpu] {
    fg::hybrid_pool pool{fg::test::workers(2), std::vector<fg::detail::hybrid_cpus>(
                                                   2, {.worker_cpu = -1, .assistant_cpu = cpu})};
    const auto fine = [&pool] {
      const auto [a, b] =
          pool.fork_join_fine([] { return 1; }, [] { return 2; }, fg::offload::always);
      return a + b;
    };
    const auto [a, b] = pool.run([&] { return fg::fork_join(fine, fine); });
    return a + b == 6;
  });
  EXPECT_GT(done.threw, 0U);
}

TEST(out_of_memory, claims_of_cpus) {
  fg::shared::cpu_books books;
  fg::detail::cpu_registry registry{books};
  const sweep done = fail_at_each_allocation([&registry] {
    const fg::detail::cpu_claim named = registry.claim(0, 1);
    const auto chosen = registry.claim_placement(fg::system_host_view(), fg::allowed_cpus(), 0);
    return !named.empty();
  });
  EXPECT_GT(done.threw, 0U);
  EXPECT_TRUE(registry.cpus_in_use().empty());
}

// The room for claims stays, and nothing else may.
TEST(out_of_memory, claims_are_given_back_by_those_who_fail) {
  fg::shared::cpu_books books;
  fg::detail::cpu_registry registry{books};
  for (std::size_t nth = 1; nth < 10; ++nth) {
    try {
      const failing_new failing{nth};
      const fg::detail::cpu_claim first = registry.claim(0, 1);
      const fg::detail::cpu_claim second = registry.claim(2, 3);
    } catch (const std::bad_alloc&) {  // NOLINT(bugprone-empty-catch): the books tell
    }
    EXPECT_TRUE(registry.cpus_in_use().empty());
  }
}

// A long wait checks where it runs, which allocates but works without: so one round is enough.
TEST(without_memory, execution_needs_none) {
  fg::pool pool{fg::test::workers(2)};
  fg::relic relic;
  const auto round = [&] {
    fg::test::completion told;
    const auto nothing = []() noexcept {};
    using receiver = fg::test::receiver<std::decay_t<decltype(nothing)>>;
    auto on_worker = fg::pool_scheduler{pool}.schedule().connect(receiver{&told, nothing});
    on_worker.start();
    static_cast<void>(told.wait());
    auto on_assistant = fg::relic_scheduler{relic}.schedule().connect(receiver{&told, nothing});
    on_assistant.start();
    relic.wait();
    auto call = fg::async(pool, [] { return 1; });
    return call.get() + fg::async(relic, [] { return 2; }).get();
  };
  EXPECT_EQ(round(), 3);  // what a process and a thread allocate once
  bool asked_for_none = false;
  for (int i = 0; i < 100; ++i) {
    const failing_new failing{1};
    ASSERT_EQ(round(), 3);
    asked_for_none = asked_for_none || !failing_new::happened();
  }
  EXPECT_TRUE(asked_for_none);
}

}  // namespace
