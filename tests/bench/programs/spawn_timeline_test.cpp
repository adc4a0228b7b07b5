// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <cstddef>
#include <cstdint>
#include <thread>

#include "finegrain/core/clock.hpp"
#include "programs/spawn/workloads/timeline.hpp"

namespace {

using fg::bench::timeline;

constexpr std::uint64_t kGap = 1'000'000;  // ticks: times are invented, far ahead of the clock

TEST(spawn_timeline, near_tasks_are_one_stretch) {
  timeline::begin(kGap);
  const std::uint64_t from = fg::ticks() + 10 * kGap;
  timeline::note(from, from + 10);
  timeline::note(from + 20, from + 30);
  timeline::note(from + 30 + kGap - 1, from + 40 + kGap);
  timeline::note(from + 40 + 2 * kGap, from + 50 + 2 * kGap);  // a gap from the last one
  const timeline::record record = timeline::end();
  EXPECT_EQ(record.gap_ticks, kGap);
  ASSERT_EQ(record.threads.size(), 1U);
  const timeline::thread_record& thread = record.threads[0];
  EXPECT_EQ(thread.tasks, 4U);
  ASSERT_EQ(thread.busy.size(), 2U);
  EXPECT_EQ(thread.busy[0].end - thread.busy[0].begin, 40 + kGap);
  EXPECT_EQ(thread.busy[1].begin - thread.busy[0].end, kGap);
  EXPECT_EQ(thread.busy[1].end - thread.busy[1].begin, 10U);
}

TEST(spawn_timeline, memory_is_bounded_by_a_greater_gap) {
  timeline::begin(kGap);
  const std::uint64_t from = fg::ticks() + 10 * kGap;
  constexpr std::size_t kTasks = 2 * timeline::kMostStretches;
  // Gaps of one and a half, and every fourth of five.
  std::uint64_t at = from;
  for (std::size_t i = 0; i < kTasks; ++i) {
    timeline::note(at, at + 10);
    at += 10 + (i % 4 == 3 ? 5 * kGap : kGap + kGap / 2);
  }
  const timeline::record record = timeline::end();
  EXPECT_EQ(record.gap_ticks, 2 * kGap);
  EXPECT_EQ(record.threads[0].tasks, kTasks);
  EXPECT_EQ(record.threads[0].busy.size(), kTasks / 4);
}

TEST(spawn_timeline, all_threads_get_the_greatest_gap) {
  timeline::begin(kGap);
  const std::uint64_t from = fg::ticks() + 10 * kGap;
  timeline::note(from, from + 10);
  timeline::note(from + 10 + kGap, from + 20 + kGap);
  std::thread other{[from] {
    for (std::size_t i = 0; i <= timeline::kMostStretches; ++i) {
      timeline::note(from + i * (kGap + 10), from + i * (kGap + 10) + 10);
    }
  }};
  other.join();
  const timeline::record record = timeline::end();
  EXPECT_EQ(record.gap_ticks, 2 * kGap);
  ASSERT_EQ(record.threads.size(), 2U);
  EXPECT_EQ(record.threads[0].busy.size(), 1U);
  EXPECT_EQ(record.threads[1].busy.size(), 1U);
}

TEST(spawn_timeline, nothing_is_before_the_start) {
  timeline::begin(kGap);
  timeline::note(1, 2);  // as on a CPU whose counter is behind
  const timeline::record record = timeline::end();
  EXPECT_EQ(record.threads.at(0).busy.at(0).begin, 0U);
  EXPECT_EQ(record.threads.at(0).busy.at(0).end, 0U);
}

TEST(spawn_timeline, begins_anew) {
  timeline::begin(kGap);
  timeline::note(fg::ticks(), fg::ticks());
  static_cast<void>(timeline::end());
  timeline::begin(kGap);
  EXPECT_EQ(timeline::end().threads.size(), 0U);
}

}  // namespace
