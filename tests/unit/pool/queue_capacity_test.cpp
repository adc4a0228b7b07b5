// The number of tasks that the queues of a pool hold.
// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

#include "finegrain/core/atomic.hpp"
#include "finegrain/pool/pool.hpp"
#include "finegrain/pool/task_group.hpp"
#include "support/forked_fib.hpp"
#include "unit/pool/pool_setting.hpp"

namespace {

fg::pool_options with_capacity(std::string_view policy, std::size_t workers, std::size_t capacity) {
  fg::pool_options options = fg::test::pool_setting{std::string{policy}, workers}.options();
  options.queue_capacity = capacity;
  return options;
}

bool is_xqueue(std::string_view policy) { return policy.starts_with("xqueue"); }
bool is_bounded(std::string_view policy) { return is_xqueue(policy) || policy == "combining"; }

class queue_capacity : public testing::TestWithParam<fg::test::pool_setting> {};
INSTANTIATE_TEST_SUITE_P(policies, queue_capacity,
                         testing::ValuesIn(fg::test::pool_settings({1, 2, 8})),
                         fg::test::name_of_pool_setting);

TEST_P(queue_capacity, any_runs_each_task_once) {
  constexpr std::size_t kTasks = 1'000;
  for (const std::size_t capacity : {1U, 2U, 4096U}) {
    fg::pool pool{with_capacity(GetParam().policy, GetParam().workers, capacity)};
    std::vector<fg::atomic<int>> runs(kTasks);
    pool.run([&] {
      fg::task_group group;
      for (auto& count : runs) {
        group.spawn([&count] { count.fetch_add(1, fg::memory_order_relaxed); });
      }
      group.wait();
      EXPECT_EQ(fg::test::forked_fib(12), 144);
    });
    EXPECT_TRUE(std::ranges::all_of(runs, [](const auto& count) { return count == 1; }));
  }
}

// One worker, so no thread takes anything: the first task that finds its queue full runs at once.
TEST(queue_capacity, says_how_many_tasks_wait) {
  for (const fg::detail::balancing_policy& policy : fg::detail::kBalancingPolicies) {
    for (const std::size_t asked : {1U, 3U, 50U, 100U}) {
      fg::pool pool{with_capacity(policy.name, 1, asked)};
      const std::size_t held = is_xqueue(policy.name) ? std::bit_ceil(asked) : asked;
      pool.run([&] {
        fg::task_group group;
        std::size_t ran = 0;
        for (std::size_t task = 0; task < held; ++task) {
          group.spawn([&ran] { ++ran; });
        }
        EXPECT_EQ(ran, 0U) << policy.name << ", " << asked;
        group.spawn([&ran] { ++ran; });
        EXPECT_EQ(ran, is_bounded(policy.name) ? 1U : 0U) << policy.name << ", " << asked;
        group.wait();
      });
    }
  }
}

TEST(queue_capacity, is_what_was_asked_for_else_the_policys_own) {
  for (const fg::detail::balancing_policy& policy : fg::detail::kBalancingPolicies) {
    const auto capacity_for = [&policy](std::size_t workers, std::size_t asked) {
      return fg::pool{with_capacity(policy.name, workers, asked)}.queue_capacity();
    };
    const bool bounded = is_bounded(policy.name);
    EXPECT_EQ(capacity_for(2, 0), !bounded ? 0 : is_xqueue(policy.name) ? 64U : 24U) << policy.name;
    EXPECT_EQ(capacity_for(2, 5), !bounded ? 0 : is_xqueue(policy.name) ? 8U : 5U) << policy.name;
    EXPECT_EQ(capacity_for(8, 8192), bounded ? 8192U : 0U) << policy.name;
    // 64 rings of 8 bytes per task, 4 MiB.
    EXPECT_EQ(capacity_for(8, 8193), !bounded                 ? 0
                                     : is_xqueue(policy.name) ? 8192U
                                                              : 8193U)
        << policy.name;
  }
}

TEST(queue_capacity, beyond_the_most_is_refused) {
  constexpr std::size_t kMost = fg::pool_options::kMostQueueCapacity;
  for (const fg::detail::balancing_policy& policy : fg::detail::kBalancingPolicies) {
    EXPECT_NO_THROW(fg::pool{with_capacity(policy.name, 1, kMost)});
    for (const std::size_t asked : {kMost + 1, SIZE_MAX}) {
      try {
        const fg::pool pool{with_capacity(policy.name, 1, asked)};
        FAIL() << policy.name;
      } catch (const std::invalid_argument& error) {
        EXPECT_NE(std::string_view{error.what()}.find(std::to_string(asked)), std::string::npos);
      }
    }
  }
}

}  // namespace
