// The check of every batch refuses mechanisms that let threads lose or share a number.
// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

#include "finegrain/core/atomic.hpp"
#include "finegrain/host/affinity.hpp"
#include "programs/sync/measure.hpp"

namespace {

using fg::bench::measure_sync;
using fg::bench::sync_plan;
using fg::bench::sync_sample;

// `threads` on as many CPUs as there are for them.
sync_plan plan_of(int threads) {
  std::vector<int> cpus = fg::usable_cpus();
  cpus.resize(std::min(cpus.size(), static_cast<std::size_t>(threads)));
  return {.threads = threads, .cpus = cpus, .batches = 3, .operations = 5'000, .batch_ms = 1};
}

template <class Mechanism>
class every_mechanism : public testing::Test {};
using mechanisms = testing::Types<fg::bench::mutex_counter, fg::bench::semaphore_counter,
                                  fg::bench::spinlock_counter, fg::bench::fetch_add_counter>;
TYPED_TEST_SUITE(every_mechanism, mechanisms);

TYPED_TEST(every_mechanism, gives_a_number_a_batch) {
  for (const int threads : {1, 2, 5}) {
    const sync_plan plan = plan_of(threads);
    const sync_sample sample = measure_sync<TypeParam>(plan);
    EXPECT_EQ(sample.operations, 5'000);
    ASSERT_EQ(sample.ticks.size(), 3U);
    EXPECT_GT(std::ranges::min(sample.ticks), 0);
    EXPECT_TRUE(std::ranges::includes(plan.cpus, sample.cpus));
    if (plan.pinned()) {
      EXPECT_EQ(sample.cpus, plan.cpus);
    }
  }
}

// Right except for `Fault`, which is applied to each number that it returns.
template <class Fault>
class faulty_counter {
 public:
  std::uint64_t next() noexcept {
    return Fault::apply(value_, value_.fetch_add(1, fg::memory_order_relaxed));
  }
  [[nodiscard]] std::uint64_t value() const noexcept {
    return value_.load(fg::memory_order_relaxed);
  }

 private:
  fg::atomic<std::uint64_t> value_{0};
};

struct loses_an_increment {
  static std::uint64_t apply(fg::atomic<std::uint64_t>& value, std::uint64_t number) {
    return number == 4'999 ? value.fetch_sub(1, fg::memory_order_relaxed) : number;
  }
};

struct counts_twice {
  static std::uint64_t apply(fg::atomic<std::uint64_t>& value, std::uint64_t number) {
    return number == 1'000 ? value.fetch_add(1, fg::memory_order_relaxed) : number;
  }
};

struct gives_a_number_twice {
  static std::uint64_t apply(fg::atomic<std::uint64_t>& /*value*/, std::uint64_t number) {
    return number == 1'000 ? 999 : number;
  }
};

template <class Fault>
std::string complaint(int threads) {
  try {
    static_cast<void>(measure_sync<faulty_counter<Fault>>(plan_of(threads)));
  } catch (const fg::bench::wrong_result& error) {
    return error.what();
  }
  return "none";
}

TEST(sync_check, refuses_a_lost_increment) {
  EXPECT_EQ(complaint<loses_an_increment>(1), "5000 operations counted to 4999");
}

TEST(sync_check, refuses_an_increment_too_many) {
  EXPECT_EQ(complaint<counts_twice>(2), "10000 operations counted to 10001");
}

TEST(sync_check, refuses_a_number_that_two_got) {
  EXPECT_EQ(complaint<gives_a_number_twice>(1),
            "the numbers that 5000 operations got do not add up");
  EXPECT_EQ(complaint<gives_a_number_twice>(2),
            "the numbers that 10000 operations got do not add up");
}

TEST(sync_measure, takes_as_many_operations_as_fill_the_batch) {
  sync_plan plan = plan_of(1);
  plan.operations = 0;
  const sync_sample sample = measure_sync<fg::bench::fetch_add_counter>(plan);
  EXPECT_GT(sample.operations, 1'000);  // at most 1 us each on the slowest machine
  EXPECT_LT(sample.operations, 1'000'000'000);
}

TEST(sync_measure, gives_each_thread_its_cpu_where_there_are_enough) {
  const sync_plan plan{.threads = 3, .cpus = {4, 2, 7}};
  EXPECT_TRUE(plan.pinned());
  EXPECT_EQ(plan.cpus_of(0), (std::vector<int>{4}));
  EXPECT_EQ(plan.cpus_of(2), (std::vector<int>{7}));
  const sync_plan crowded{.threads = 3, .cpus = {4, 2}};
  EXPECT_FALSE(crowded.pinned());
  EXPECT_EQ(crowded.cpus_of(2), crowded.cpus);
}

TEST(sync_measure, refuses_a_cpu_that_there_is_not) {
  const int here = fg::current_cpu();
  for (const int threads : {1, 2, 3}) {
    const sync_plan plan{.threads = threads, .cpus = {5'000, here}, .operations = 10};
    try {
      static_cast<void>(measure_sync<fg::bench::mutex_counter>(plan));
      ADD_FAILURE() << threads;
    } catch (const std::runtime_error& error) {
      EXPECT_TRUE(std::string_view{error.what()}.starts_with("cannot run on CPU 5000")) << threads;
    }
  }
}

}  // namespace
