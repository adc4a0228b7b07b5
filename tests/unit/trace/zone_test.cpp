// What a profiler receives: compiled once for each, with a header that replaces its own.
// SPDX-License-Identifier: Apache-2.0
#include "finegrain/trace/zone.hpp"

#include <gtest/gtest.h>

#include <chrono>
#include <thread>

#include "finegrain/finegrain.hpp"
#include "support/forked_fib.hpp"
#include "support/profilers/zone_record.hpp"
#include "support/relic_modes.hpp"

namespace {

constexpr unsigned kTasks = 100;

#if defined(FINEGRAIN_ZONES_TRACY)
#define ZONES tracy_zones
#else
#define ZONES itt_zones
#endif

class ZONES : public testing::Test {
 protected:
  void SetUp() override { record.clear(); }
  void TearDown() override { EXPECT_TRUE(record.all_have_ended()); }

  fg::test::zone_record& record = fg::test::zone_record::instance();
};

TEST_F(ZONES, are_of_a_relics_tasks) {
  fg::test::with_relics_of_both_modes([this](fg::relic& relic) {
    record.clear();
    for (unsigned task = 0; task != kTasks; ++task) {
      relic.submit([] {});
    }
    relic.wait();
    EXPECT_EQ(record.begun("task"), kTasks);
  });
}

TEST_F(ZONES, end_where_a_task_throws) {
  fg::test::with_relics_of_both_modes([this](fg::relic& relic) {
    record.clear();
    relic.submit([] { throw 1; });
    EXPECT_THROW(relic.wait(), int);
    EXPECT_EQ(record.ended("task"), 1U);
  });
}

TEST_F(ZONES, are_of_a_pools_tasks_and_its_runs) {
  unsigned long steals = 0;
  {
    fg::pool pool{{.workers = 3}};
    for (unsigned task = 0; task != kTasks; ++task) {
      pool.post([] {});
    }
    EXPECT_EQ(pool.run([] { return fg::test::forked_fib(20); }), 6765);
    while (record.ended("posted task") != kTasks) {
      std::this_thread::yield();
    }
    for (std::size_t id = 0; id != pool.size(); ++id) {
      steals += static_cast<unsigned long>(pool.counters(id).steals);
    }
  }
  EXPECT_EQ(record.begun("stolen task"), steals);
  EXPECT_EQ(record.begun("run"), 1U);
}

TEST_F(ZONES, are_of_sleeps) {
  const fg::relic relic{{.spin_budget = std::chrono::microseconds{0}}};
  const fg::pool pool{{.workers = 2, .spin_budget = std::chrono::microseconds{0}}};
  while (record.begun("sleep") < 2) {
    std::this_thread::yield();
  }
}

}  // namespace
