// SPDX-License-Identifier: Apache-2.0
#include "finegrain/host/affinity.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <thread>

#include "support/on_thread.hpp"

namespace {

TEST(usable_cpus, are_ascending_and_hold_the_current_one) {
  const std::vector<int> cpus = fg::usable_cpus();
  ASSERT_FALSE(cpus.empty());
  EXPECT_TRUE(std::ranges::is_sorted(cpus));
  EXPECT_NE(std::ranges::find(cpus, fg::current_cpu()), cpus.end());
}

TEST(pin_this_thread, moves_it_to_every_usable_cpu) {
  fg::test::on_thread([] {
    for (const int cpu : fg::usable_cpus()) {
      ASSERT_FALSE(fg::pin_this_thread(cpu));
      EXPECT_EQ(fg::current_cpu(), cpu);
      EXPECT_EQ(fg::usable_cpus(), std::vector<int>{cpu});
    }
  });
}

TEST(pin_this_thread, refuses_what_is_no_cpu) {
  fg::test::on_thread([] {
    const std::vector<int> before = fg::usable_cpus();
    EXPECT_EQ(fg::pin_this_thread(-1), std::errc::invalid_argument);
    EXPECT_EQ(fg::pin_this_thread(5000), std::errc::invalid_argument);
    EXPECT_EQ(fg::usable_cpus(), before);
  });
}

TEST(pin_thread, moves_another_thread) {
  const int last = fg::usable_cpus().back();
  int seen = -1;
  std::error_code error;
  fg::atomic<bool> pinned{false};
  std::thread other{[&] {
    pinned.wait(false);
    seen = fg::current_cpu();
  }};
  error = fg::pin_thread(other, last);
  pinned = true;
  pinned.notify_one();
  other.join();
  EXPECT_FALSE(error);
  EXPECT_EQ(seen, last);
}

}  // namespace
