// Counting tasks by thread, and checking the counts.
// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <cstddef>
#include <cstdint>
#include <thread>
#include <vector>

#include "programs/frame/counts_by_thread.hpp"
#include "programs/frame/program_errors.hpp"
#include "programs/frame/thread_census.hpp"

namespace {

using fg::bench::counts_by_thread;
using fg::bench::thread_census;

void count(std::size_t tasks) {
  for (std::size_t i = 0; i < tasks; ++i) {
    thread_census::count();
  }
}

// Every test starts new threads: indices stay for the process.
class spawn_census : public testing::Test {
 protected:
  // Counts `first` tasks on one thread and `second` on another, both of them new.
  static void count_on_two(std::size_t first, std::size_t second) {
    std::thread{[first] { count(first); }}.join();
    std::thread{[second] { count(second); }}.join();
  }
};

TEST_F(spawn_census, a_thread_without_tasks_keeps_its_place) {
  thread_census::begin();
  count(3);
  std::thread{[] {
    count(4);
    thread_census::begin();
    count(5);
  }}.join();
  const std::vector<std::uint64_t> counts = thread_census::counts();
  ASSERT_GE(counts.size(), 2U);
  EXPECT_EQ(counts[counts.size() - 2], 0U);
  EXPECT_EQ(counts.back(), 5U);
}

TEST_F(spawn_census, threads_that_have_gone_take_no_place_from_others) {
  thread_census::begin();
  count_on_two(1, 2);
  thread_census::begin();
  count_on_two(3, 4);
  EXPECT_EQ(counts_by_thread(7, 2), (std::vector<std::uint64_t>{3, 4}));
}

TEST_F(spawn_census, a_lost_task_is_a_wrong_result) {
  thread_census::begin();
  count_on_two(1, 2);
  EXPECT_THROW(counts_by_thread(4, 2), fg::bench::wrong_result);
}

TEST_F(spawn_census, more_threads_than_there_are_is_a_wrong_result) {
  thread_census::begin();
  count_on_two(1, 2);
  EXPECT_THROW(counts_by_thread(3, 1), fg::bench::wrong_result);
}

}  // namespace
