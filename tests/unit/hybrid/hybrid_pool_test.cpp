// Workers with assistants.
// SPDX-License-Identifier: Apache-2.0
#include "finegrain/hybrid/hybrid_pool.hpp"

#include <gtest/gtest.h>

#include <chrono>
#include <cstddef>
#include <optional>
#include <stdexcept>
#include <thread>
#include <vector>

#include "finegrain/core/atomic.hpp"
#include "finegrain/host/affinity.hpp"
#include "support/process_threads.hpp"
#include "unit/pool/pool_setting.hpp"

namespace {

using fg::test::workers;

// This machine may have no siblings: the last usable CPU replaces one.
std::vector<fg::detail::hybrid_cpus> cpus_with_assistants(std::size_t count) {
  return std::vector<fg::detail::hybrid_cpus>(
      count, {.worker_cpu = -1, .assistant_cpu = fg::usable_cpus().back()});
}

int coarse_and_fine(fg::hybrid_pool& pool, int depth, fg::offload mode) {
  if (depth == 0) {
    const auto [a, b] = pool.fork_join_fine([] { return 1; }, [] { return 2; }, mode);
    return a + b;
  }
  const auto [a, b] = fg::fork_join([&] { return coarse_and_fine(pool, depth - 1, mode); },
                                    [&] { return coarse_and_fine(pool, depth - 1, mode); });
  return a + b;
}

TEST(hybrid_pool, runs_coarse_and_fine_branches) {
  for (const fg::offload mode : {fg::offload::always, fg::offload::adaptive}) {
    fg::hybrid_pool pool{workers(2), cpus_with_assistants(2)};
    for (int round = 0; round < 3; ++round) {
      EXPECT_EQ(pool.run([&] { return coarse_and_fine(pool, 8, mode); }), 3 * 256);
    }
  }
}

TEST(hybrid_pool, really_uses_the_assistant) {
  fg::hybrid_pool pool{workers(1), cpus_with_assistants(1)};
  pool.run([&] {
    std::thread::id main;
    std::thread::id other;
    // This thread helps while the assistant sleeps or waits for its CPU: beside other programs that
    // may be all of a time slice, many thousand calls.
    const auto given_up = std::chrono::steady_clock::now() + std::chrono::minutes{1};
    while (other == main && std::chrono::steady_clock::now() < given_up) {
      pool.fork_join_fine([&] { main = std::this_thread::get_id(); },
                          [&] { other = std::this_thread::get_id(); }, fg::offload::always);
    }
    EXPECT_EQ(main, std::this_thread::get_id());
    EXPECT_NE(other, main);
  });
}

TEST(hybrid_pool, runs_fine_branches_inline_where_a_core_has_one_cpu) {
  fg::hybrid_pool pool{workers(2), {}};
  pool.run([&] {
    std::thread::id other;
    pool.fork_join_fine([] {}, [&] { other = std::this_thread::get_id(); }, fg::offload::always);
    EXPECT_EQ(other, std::this_thread::get_id());
  });
}

TEST(hybrid_pool, runs_fine_branches_inline_outside_of_run) {
  fg::hybrid_pool pool{workers(1), cpus_with_assistants(1)};
  const auto [a, b] = pool.fork_join_fine([] { return 1; }, [] { return 2; });
  EXPECT_EQ(a + b, 3);
}

TEST(hybrid_pool, takes_the_cpus_of_its_assistants_beside_the_workers) {
  const std::vector<fg::detail::hybrid_cpus> cpus{{.worker_cpu = 0, .assistant_cpu = 2},
                                                  {.worker_cpu = 1, .assistant_cpu = {}},
                                                  {.worker_cpu = -1, .assistant_cpu = 3}};
  EXPECT_EQ(fg::detail::cpus_of_assistants(cpus),
            (std::vector<fg::detail::pool_cpu>{{.cpu = 2, .is_tied = true},
                                               {.cpu = 3, .is_tied = true}}));
}

TEST(hybrid_pool, keeps_the_assistants_of_two_pools_apart) {
  fg::hybrid_pool outer{workers(2), cpus_with_assistants(2)};
  fg::hybrid_pool inner{workers(2), cpus_with_assistants(2)};
  const int sum = outer.run([&] {
    const int before = coarse_and_fine(outer, 3, fg::offload::always);
    const int inside = inner.run([&] { return coarse_and_fine(inner, 3, fg::offload::always); });
    return before + inside + coarse_and_fine(outer, 3, fg::offload::always);
  });
  EXPECT_EQ(sum, 3 * 3 * 8);
}

bool soon_without_assistants() {
  bool are_there = true;
  for (int look = 0; look < 1000 && are_there; ++look) {
    are_there = !fg::test::names_of_threads("fg-relic").empty();
    std::this_thread::sleep_for(std::chrono::milliseconds{are_there ? 5 : 0});
  }
  return !are_there;
}

// Begun by the destructor, when no thread is in `run`.
TEST(hybrid_pool, lets_posted_tasks_fork_to_the_end_and_leaves_no_assistant) {
  int sum = 0;
  {
    fg::hybrid_pool pool{workers(1), cpus_with_assistants(1)};
    pool.workers().post([&] { sum = coarse_and_fine(pool, 3, fg::offload::always); });
  }
  EXPECT_EQ(sum, 3 * 8);
  EXPECT_TRUE(soon_without_assistants());
}

TEST(hybrid_pool, leaves_no_assistant_with_a_caller_of_its_workers) {
  {
    fg::hybrid_pool pool{workers(1), cpus_with_assistants(1)};
    EXPECT_EQ(pool.workers().run([&] { return coarse_and_fine(pool, 3, fg::offload::always); }),
              3 * 8);
  }
  EXPECT_TRUE(soon_without_assistants());
}

TEST(hybrid_pool, passes_on_exceptions_of_fine_branches) {
  fg::hybrid_pool pool{workers(1), cpus_with_assistants(1)};
  EXPECT_THROW(pool.run([&] {
    pool.fork_join_fine([] {}, [] { throw std::runtime_error{"g"}; }, fg::offload::always);
  }),
               std::runtime_error);
}

TEST(hybrid_pool, finds_the_sibling_that_is_allowed) {
  fg::topology machine;
  for (int id = 0; id < 8; ++id) {
    machine.cpus.push_back({.id = id, .core = id % 4});
  }
  using fg::detail::sibling_of;
  EXPECT_EQ(sibling_of(machine, std::vector{0, 1, 4}, 0), 4);
  EXPECT_EQ(sibling_of(machine, std::vector{0, 1, 4}, 4), 0);
  EXPECT_EQ(sibling_of(machine, std::vector{0, 1, 4}, 1), std::nullopt);
  EXPECT_EQ(sibling_of(machine, std::vector{0}, -1), std::nullopt);
}

TEST(hybrid_pool, tells_its_seats) {
  const fg::hybrid_pool pool;
  ASSERT_FALSE(pool.cpus().empty());
  for (const fg::detail::hybrid_cpus& each : pool.cpus()) {
    EXPECT_NE(each.assistant_cpu.value_or(-1), each.worker_cpu);
  }
}

}  // namespace
