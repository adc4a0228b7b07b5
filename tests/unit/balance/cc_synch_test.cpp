// Combining: every operation once, one at a time, in order, and not always by the same thread.
// SPDX-License-Identifier: Apache-2.0
#include "finegrain/balance/cc_synch.hpp"

#include <gtest/gtest.h>

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <string>
#include <thread>
#include <vector>

#include "finegrain/core/atomic.hpp"

namespace {

TEST(cc_synch, constructs_its_state_and_applies_operations_to_it) {
  fg::detail::cc_synch<std::string> text{1, 1, "a"};
  std::string seen;
  text.apply(0, [](std::string& state) { state += 'b'; });
  text.apply(0, [&seen](std::string& state) { seen = state; });
  EXPECT_EQ(seen, "ab");
}

TEST(cc_synch, serves_any_number_of_threads_in_turn) {
  fg::detail::cc_synch<std::vector<std::size_t>> order{3, 9};
  for (std::size_t i = 0; i < 12; ++i) {
    order.apply(i * i % 3, [i](std::vector<std::size_t>& state) { state.push_back(i); });
  }
  std::vector<std::size_t> expected(12);
  for (std::size_t i = 0; i < expected.size(); ++i) {
    expected[i] = i;
  }
  order.apply(2, [&expected](std::vector<std::size_t>& state) { EXPECT_EQ(state, expected); });
}

// What the threads below record in the state: which thread asked, and which did it.
struct served {
  std::size_t for_whom;
  std::thread::id by_whom;
};

// Delays a first thread inside its operation until four others have most likely published theirs,
// one after the other. Returns what was done, in order.
std::vector<served> queue_up_behind_the_first(std::size_t most_served) {
  constexpr std::size_t kThreads = 5;
  fg::detail::cc_synch<std::vector<served>> object{kThreads, most_served};
  fg::atomic<bool> inside{false};
  fg::atomic<bool> go_on{false};
  std::vector<std::thread> threads;
  threads.emplace_back([&] {
    object.apply(0, [&](std::vector<served>& state) {
      inside.store(true);
      while (!go_on.load()) {
        std::this_thread::yield();
      }
      state.push_back({0, std::this_thread::get_id()});
    });
  });
  while (!inside.load()) {
    std::this_thread::yield();
  }
  for (std::size_t thread = 1; thread < kThreads; ++thread) {
    threads.emplace_back([&object, thread] {
      object.apply(thread, [thread](std::vector<served>& state) {
        state.push_back({thread, std::this_thread::get_id()});
      });
    });
    std::this_thread::sleep_for(std::chrono::milliseconds{2});
  }
  go_on.store(true);
  for (std::thread& each : threads) {
    each.join();
  }
  std::vector<served> result;
  object.apply(0, [&result](std::vector<served>& state) { result = state; });
  return result;
}

bool is_in_order(const std::vector<served>& all) {
  for (std::size_t i = 0; i < all.size(); ++i) {
    if (all[i].for_whom != i) {
      return false;
    }
  }
  return true;
}

std::size_t served_by_the_first(const std::vector<served>& all) {
  std::size_t count = 0;
  for (const served& each : all) {
    count += each.by_whom == all.front().by_whom ? 1U : 0U;
  }
  return count;
}

// The threads may arrive in another order than they start: so this repeats until they do not.
class queue_of_five : public testing::Test {
 protected:
  std::chrono::steady_clock::time_point deadline_ =
      std::chrono::steady_clock::now() + std::chrono::seconds{30};
  [[nodiscard]] bool has_time() const { return std::chrono::steady_clock::now() < deadline_; }
};

TEST_F(queue_of_five, is_served_by_the_first_in_order_of_arrival) {
  bool done = false;
  while (!done && has_time()) {
    const std::vector<served> all = queue_up_behind_the_first(10);
    ASSERT_EQ(all.size(), 5U);
    done = is_in_order(all) && served_by_the_first(all) == 5;
  }
  EXPECT_TRUE(done);
}

TEST_F(queue_of_five, hands_over_the_office_after_h) {
  bool reached = false;
  while (!reached && has_time()) {
    const std::vector<served> all = queue_up_behind_the_first(3);
    ASSERT_EQ(all.size(), 5U);
    ASSERT_LE(served_by_the_first(all), 3U);
    reached = served_by_the_first(all) == 3 && all[3].by_whom == all[4].by_whom;
  }
  EXPECT_TRUE(reached);
}

class cc_synch_with : public testing::TestWithParam<std::size_t> {};
INSTANTIATE_TEST_SUITE_P(threads, cc_synch_with, testing::Values(1, 2, 3, 8));

TEST_P(cc_synch_with, threads_loses_and_doubles_no_operation) {
  constexpr std::size_t kRounds = 2'000;
  const std::size_t threads = GetParam();
  struct state {
    std::size_t inside = 0;
    std::vector<std::size_t> counts;
  };
  fg::detail::cc_synch<state> object{threads, 2, state{0, std::vector<std::size_t>(threads)}};
  std::vector<std::thread> running;
  running.reserve(threads);
  for (std::size_t thread = 0; thread < threads; ++thread) {
    running.emplace_back([&object, thread] {
      for (std::size_t round = 0; round < kRounds; ++round) {
        const std::size_t argument = thread;  // plain memory in both directions
        std::size_t result = 0;
        object.apply(thread, [&argument, &result](state& now) {
          EXPECT_EQ(now.inside++, 0U);
          result = ++now.counts[argument];
          --now.inside;
        });
        ASSERT_EQ(result, round + 1);
      }
    });
  }
  for (std::thread& each : running) {
    each.join();
  }
  object.apply(
      0, [&](state& now) { EXPECT_EQ(now.counts, std::vector<std::size_t>(threads, kRounds)); });
}

}  // namespace
