// The hooks that programs get for a pool's threads.
// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <algorithm>
#include <cstddef>
#include <mutex>
#include <thread>
#include <utility>
#include <vector>

#include "finegrain/core/atomic.hpp"
#include "finegrain/pool/pool.hpp"
#include "finegrain/pool/pool_options.hpp"

namespace {

// Which hooks were called, on which threads.
class told {
 public:
  void add(std::size_t id) {
    const std::lock_guard lock{mutex_};
    all_.emplace_back(id, std::this_thread::get_id());
  }
  [[nodiscard]] std::vector<std::pair<std::size_t, std::thread::id>> sorted() {
    const std::lock_guard lock{mutex_};
    std::ranges::sort(all_);
    return all_;
  }

 private:
  std::mutex mutex_;
  std::vector<std::pair<std::size_t, std::thread::id>> all_;
};

fg::pool_options with_hooks(std::size_t workers, told& starts, told& stops) {
  fg::pool_options options{.workers = workers};
  options.on_thread_start = [&starts](std::size_t id) { starts.add(id); };
  options.on_thread_stop = [&stops](std::size_t id) { stops.add(id); };
  return options;
}

TEST(thread_hooks, tell_of_each_thread_of_the_pool_where_it_runs) {
  told starts;
  told stops;
  {
    const fg::pool pool{with_hooks(3, starts, stops)};
    const auto started = starts.sorted();
    ASSERT_EQ(started.size(), 2U) << "when the constructor has returned, and not the caller's";
    EXPECT_EQ(started[0].first, 1U);
    EXPECT_EQ(started[1].first, 2U);
    EXPECT_NE(started[0].second, started[1].second);
    EXPECT_TRUE(stops.sorted().empty());
  }
  EXPECT_EQ(stops.sorted(), starts.sorted()) << "the same threads, when the destructor has";
}

TEST(thread_hooks, tell_of_the_spare_thread_when_there_is_one) {
  told starts;
  told stops;
  std::thread::id posted_ran_on;
  {
    fg::pool pool{with_hooks(1, starts, stops)};
    EXPECT_TRUE(starts.sorted().empty());
    fg::atomic<bool> ran{false};
    pool.post([&] {
      posted_ran_on = std::this_thread::get_id();
      ran = true;
      ran.notify_one();
    });
    ran.wait(false);
  }
  const auto started = starts.sorted();
  ASSERT_EQ(started.size(), 1U);
  EXPECT_EQ(started[0], std::pair(std::size_t{1}, posted_ran_on));
  EXPECT_EQ(stops.sorted(), started);
}

TEST(thread_hooks, may_call_algorithms_which_run_there) {
  fg::atomic<int> ran{0};
  fg::pool_options options{.workers = 2};
  options.on_thread_start = [&ran](std::size_t) {
    const fg::worker* const here = fg::worker::current();
    ran = here == nullptr ? 1 : 2;
  };
  const fg::pool pool{options};
  EXPECT_EQ(ran.load(), 1) << "it is no worker yet";
}

TEST(policies, are_chosen_by_value_and_by_name) {
  for (const fg::detail::balancing_policy& policy : fg::detail::kBalancingPolicies) {
    const auto which = static_cast<fg::balancing>(&policy - fg::detail::kBalancingPolicies.data());
    EXPECT_EQ(fg::pool({.workers = 1, .policy = which}).policy(), policy.name);
    EXPECT_EQ(fg::pool({.workers = 1, .policy = policy.name}).policy(), policy.name);
  }
  EXPECT_EQ(fg::pool({.workers = 1, .policy = fg::balancing::combining}).policy(), "combining");
  EXPECT_EQ(fg::pool({.workers = 1, .policy = fg::balancing::xqueue_nowait_2}).policy(),
            "xqueue_nowait:2");
  static_assert(static_cast<std::size_t>(fg::balancing::chase_lev) + 1 ==
                fg::detail::kBalancingPolicies.size());
}

}  // namespace
