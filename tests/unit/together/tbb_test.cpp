// Relics inside oneTBB's tasks: oneTBB runs the coarse tasks, and work too fine for it goes to the
// relic of the thread that runs one.
// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>
#include <oneapi/tbb/enumerable_thread_specific.h>
#include <oneapi/tbb/global_control.h>
#include <oneapi/tbb/parallel_for.h>
#include <oneapi/tbb/task_arena.h>
#include <oneapi/tbb/task_group.h>

#include <algorithm>
#include <cstddef>
#include <numeric>
#include <vector>

#include "finegrain/algorithm/relic/fork_join.hpp"
#include "finegrain/core/atomic.hpp"
#include "finegrain/host/affinity.hpp"
#include "finegrain/relic/relic.hpp"

namespace {

// [thread_local relic]
fg::relic& relic_of_this_thread() {
  thread_local fg::relic relic;  // its assistant ends with the thread
  return relic;
}

// Some microseconds.
long sum_of(const std::vector<long>& data) {
  const auto middle = data.begin() + static_cast<std::ptrdiff_t>(data.size() / 2);
  const auto [low, high] = fg::fork_join(
      relic_of_this_thread(), [&] { return std::accumulate(data.begin(), middle, 0L); },
      [&] { return std::accumulate(middle, data.end(), 0L); });
  return low + high;
}
// [thread_local relic]

std::vector<std::vector<long>> rows(std::size_t count) {
  std::vector<std::vector<long>> made(count, std::vector<long>(2000));
  for (std::vector<long>& row : made) {
    std::iota(row.begin(), row.end(), &row - made.data());
  }
  return made;
}

long expected(std::size_t row) { return 1999L * 1000 + 2000 * static_cast<long>(row); }

class relics_in_tbb : public testing::TestWithParam<std::size_t> {};
INSTANTIATE_TEST_SUITE_P(threads, relics_in_tbb, testing::Values(1, 2, 4, 16));

TEST_P(relics_in_tbb, share_the_bodies_of_a_parallel_for) {
  const tbb::global_control threads{tbb::global_control::max_allowed_parallelism, GetParam()};
  tbb::task_arena arena{static_cast<int>(GetParam())};
  const std::vector<std::vector<long>> data = rows(500);
  std::vector<long> sums(data.size());
  arena.execute([&] {
    tbb::parallel_for(std::size_t{0}, data.size(),
                      [&](std::size_t i) { sums[i] = sum_of(data[i]); });
  });
  for (std::size_t i = 0; i < sums.size(); ++i) {
    ASSERT_EQ(sums[i], expected(i));
  }
}

// Submitted and waited for within one task: no other task of oneTBB runs in between on this thread.
TEST_P(relics_in_tbb, run_what_the_tasks_of_a_group_submit) {
  const tbb::global_control threads{tbb::global_control::max_allowed_parallelism, GetParam()};
  tbb::task_arena arena{static_cast<int>(GetParam())};
  const std::vector<std::vector<long>> data = rows(500);
  fg::atomic<long> sum{0};
  arena.execute([&] {
    tbb::task_group group;
    for (const std::vector<long>& row : data) {
      group.run([&] {
        fg::relic& relic = relic_of_this_thread();
        long there = 0;
        relic.submit([&] { there = std::accumulate(row.begin(), row.begin() + 1000, 0L); });
        const long here = std::accumulate(row.begin() + 1000, row.end(), 0L);
        relic.wait();
        sum += here + there;
      });
    }
    group.wait();
  });
  long all = 0;
  for (std::size_t i = 0; i < data.size(); ++i) {
    all += expected(i);
  }
  EXPECT_EQ(sum, all);
}

TEST_P(relics_in_tbb, share_no_cpu) {
  const tbb::global_control threads{tbb::global_control::max_allowed_parallelism, GetParam()};
  tbb::task_arena arena{static_cast<int>(GetParam())};
  tbb::enumerable_thread_specific<int> assistants;
  arena.execute([&] {
    tbb::parallel_for(0, 200, [&](int) {
      const fg::relic& relic = relic_of_this_thread();
      assistants.local() = relic.inline_mode() ? -1 : relic.placement().assistant_cpu.value_or(-1);
      EXPECT_EQ(relic.inline_mode(), !relic.inline_reason().empty());
    });
  });
  std::vector<int> taken(assistants.begin(), assistants.end());
  std::erase(taken, -1);
  std::ranges::sort(taken);
  EXPECT_EQ(std::ranges::adjacent_find(taken), taken.end());
  EXPECT_LE(taken.size(), fg::usable_cpus().size());
}

}  // namespace
