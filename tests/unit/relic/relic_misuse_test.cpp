// Calls from the wrong thread: one clear line in debug builds, no guarantee in others.
// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <memory>

#include "finegrain/host/affinity.hpp"
#include "finegrain/relic/relic.hpp"
#include "support/on_thread.hpp"
#include "support/restrict_to_cpu.hpp"

namespace {

#if FINEGRAIN_DEBUG_CHECKS

class relic_misuse : public testing::Test {
 protected:
  void SetUp() override { testing::GTEST_FLAG(death_test_style) = "threadsafe"; }

  // Makes a relic and lets another thread call `use(relic)`.
  template <class Use>
  static void from_another_thread(Use&& use) {
    fg::relic relic;
    fg::test::on_thread([&] { use(relic); });
  }
};

TEST_F(relic_misuse, submit_from_another_thread) {
  EXPECT_DEATH(from_another_thread([](fg::relic& relic) { relic.submit([] {}); }),
               "finegrain: submit is for the thread that made the relic");
}

TEST_F(relic_misuse, try_submit_from_another_thread) {
  EXPECT_DEATH(
      from_another_thread([](fg::relic& relic) { static_cast<void>(relic.try_submit([] {})); }),
      "finegrain: try_submit is for the thread that made the relic");
}

TEST_F(relic_misuse, get_from_another_thread) {
  EXPECT_DEATH(
      {
        fg::relic relic;
        auto task = relic.fork([] { return 1; });
        fg::test::on_thread([&task] { static_cast<void>(task.get()); });
      },
      "finegrain: get is for the thread that made the relic");
}

TEST_F(relic_misuse, get_twice) {
  EXPECT_DEATH(
      {
        fg::relic relic;
        auto task = relic.fork([] { return 1; });
        static_cast<void>(task.get());
        static_cast<void>(task.get());
      },
      "finegrain: the result of a forked task is taken once");
}

TEST_F(relic_misuse, wait_from_another_thread) {
  EXPECT_DEATH(from_another_thread([](fg::relic& relic) { relic.wait(); }),
               "finegrain: wait is for the thread that made the relic");
}

TEST_F(relic_misuse, wait_within_a_task) {
  for (const bool inlined : {false, true}) {
    const auto wait_there = [inlined] {
      if (inlined) {
        fg::test::restrict_this_thread_to(fg::usable_cpus().front());
      }
      fg::relic relic;
      relic.submit([&relic] { relic.wait(); });
      relic.wait();
    };
    EXPECT_DEATH(wait_there(), "finegrain: wait is for the thread that made the relic");
  }
}

TEST_F(relic_misuse, hints_from_another_thread) {
  EXPECT_DEATH(from_another_thread([](fg::relic& relic) { relic.sleep_hint(); }),
               "finegrain: sleep_hint is for the thread that made the relic");
  EXPECT_DEATH(from_another_thread([](fg::relic& relic) { relic.wake_up_hint(); }),
               "finegrain: wake_up_hint is for the thread that made the relic");
}

TEST_F(relic_misuse, submit_from_a_task) {
  EXPECT_DEATH(
      {
        fg::relic relic;
        relic.submit([&relic] { relic.submit([] {}); });
        relic.wait();
      },
      "finegrain: submit is for the thread that made the relic");
}

TEST_F(relic_misuse, destruction_on_another_thread) {
  EXPECT_DEATH(
      {
        auto relic = std::make_unique<fg::relic>();
        fg::test::on_thread([&relic] { relic.reset(); });
      },
      "finegrain: a relic is destroyed by the thread that made it");
}

#endif

}  // namespace
