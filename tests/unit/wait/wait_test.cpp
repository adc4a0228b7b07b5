// SPDX-License-Identifier: Apache-2.0
#include "finegrain/wait/wait.hpp"

#include <gtest/gtest.h>

#include <cstdint>
#include <stdexcept>
#include <string>
#include <thread>

#include "finegrain/core/atomic.hpp"
#include "finegrain/core/clock.hpp"
#include "finegrain/host/affinity.hpp"
#include "finegrain/wait/chosen_wait.hpp"
#include "support/on_thread.hpp"

namespace {

// Two threads on one CPU play ping-pong. A waiter that only spins uses up its time slice, some
// milliseconds, before the other one may answer; one that yields does so after 20 us. Counts pauses
// instead of time, so a busy machine changes nothing: at 25 ns per pause (EPYC 9004) a slice of 3
// ms is 120,000 pauses, 20 us are 800.
TEST(spin_wait, gives_way_to_the_thread_that_it_waits_for) {
  constexpr std::uint64_t kTurns = 500;
  constexpr std::uint64_t kMostPausesPerTurn = 15'000;
  std::uint64_t pauses = 0;
  fg::test::on_thread([&pauses] {
    ASSERT_FALSE(fg::pin_this_thread(fg::usable_cpus().front()));
    fg::atomic<std::uint64_t> turn{0};
    const auto play = [&turn](std::uint64_t mine) {
      std::uint64_t count = 0;
      for (std::uint64_t next = mine; next < kTurns; next += 2) {
        for (fg::spin_wait pause; turn.load() != next; ++count) {
          pause();
        }
        turn.store(next + 1);
      }
      return count;
    };
    std::uint64_t others = 0;
    std::thread other{[&] { others = play(1); }};  // inherits the one CPU
    const std::uint64_t own = play(0);
    other.join();
    pauses = own + others;
  });
  EXPECT_LT(pauses / kTurns, kMostPausesPerTurn);
}

// What a waiter gives away by a yield is part of its wait: another program may have taken a whole
// time slice. The clock read after it is closer to the yield's end than to its beginning.
TEST(spin_wait, counts_what_a_yield_takes) {
  bool counted = false;
  for (int attempt = 0; attempt != 100 && !counted; ++attempt) {
    fg::spin_wait pause;
    std::uint64_t before = 0;
    do {
      before = fg::ticks();
    } while (!pause.count_look() || !pause.just_yielded());
    counted = fg::ticks() - pause.now() < pause.now() - before;
  }
  EXPECT_TRUE(counted);
}

TEST(chosen_wait, is_found_by_name_where_the_processor_supports_it) {
  for (const fg::detail::chosen_wait& policy : fg::detail::kWaitPolicies) {
    if (policy.is_supported()) {
      EXPECT_EQ(fg::detail::find_wait_policy(policy.name()).name(), policy.name());
      policy();
    } else {
      EXPECT_THROW(fg::detail::find_wait_policy(policy.name()), std::invalid_argument);
    }
  }
  EXPECT_EQ(fg::detail::kWaitPolicies.front().name(), fg::spin_then_sleep::kName);
}

TEST(chosen_wait, names_what_there_is_when_asked_for_what_there_is_not) {
  try {
    fg::detail::find_wait_policy("doze");
    FAIL();
  } catch (const std::invalid_argument& error) {
    const std::string told = error.what();
    EXPECT_NE(told.find("'doze'"), std::string::npos);
    for (const fg::detail::chosen_wait& policy : fg::detail::kWaitPolicies) {
      EXPECT_EQ(told.find(std::string{policy.name()}) != std::string::npos, policy.is_supported());
    }
  }
}

}  // namespace
