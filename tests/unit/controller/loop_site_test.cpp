// The controller of a loop, given durations instead of calls.
// SPDX-License-Identifier: Apache-2.0
#include "finegrain/controller/loop_site.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>

#include "finegrain/core/clock.hpp"
#include "support/ticks.hpp"

namespace {

using fg::test::us;

double ticks(double ns) { return ns * fg::ticks_per_ns(); }

// A program that runs one loop with varying lengths, on a host with a clock of its own.
class simulated_loop {
 public:
  double each = 0;        // ticks of an iteration, serial
  double slow_down = 1;   // of an iteration when both threads run
  double overhead = 0;    // ticks, fixed: at least half a round trip
  double round_trip = 0;  // ticks, as the relic reports it
  bool stalled = false;
  std::uint64_t period = 0;      // of the loops, as the relic knows it
  bool others_are_busy = false;  // then a loop that is offered runs here
  bool is_on_a_pool = false;     // then a loop that turns out to take 20 us here is shared

  explicit simulated_loop(double each_ns, double round_trip_ns = 300, fg::loop_site site = {})
      : each{ticks(each_ns)},
        overhead{ticks(round_trip_ns) / 2},
        round_trip{ticks(round_trip_ns)},
        site_{site} {}

  [[nodiscard]] double serial(std::uint64_t n) const { return static_cast<double>(n) * each; }
  [[nodiscard]] double shared(std::uint64_t n) const {
    return stalled ? static_cast<double>(us(4000)) : serial(n) * slow_down / 2 + overhead;
  }

  void call(std::uint64_t n) {
    const bool quiet = site_.is_quiet(n);
    const bool shares = site_.shares(n);
    const bool timed = !quiet && site_.look(n, static_cast<std::uint64_t>(now_));
    const double took = shares && !others_are_busy ? shared(n) : serial(n);
    now_ += took;
    best_ += std::min(serial(n), shared(n));
    timed_ += timed ? 1 : 0;
    shared_calls_ += shares ? 1 : 0;
    ++calls_;
    const auto ticks = static_cast<std::uint64_t>(took);
    const auto now = static_cast<std::uint64_t>(now_);
    if ((shares && stalled && site_.stalled(n, {ticks, ticks}, period, now)) || !timed) {
      return;
    }
    if (shares && others_are_busy) {
      site_.timed_untaken(n, ticks, now, static_cast<std::uint64_t>(round_trip));
    } else if (shares) {
      site_.timed_shared(n, ticks, now);
    } else if (is_on_a_pool && took > static_cast<double>(us(20))) {  // its second half was shared
      site_.timed_long(n / 2, ticks / 2, now, static_cast<std::uint64_t>(round_trip));
      ++cut_;
    } else {
      site_.timed_serial(
          n, ticks, now,
          fg::loop_site::wants_round_trip(ticks) ? static_cast<std::uint64_t>(round_trip) : 0);
    }
  }
  void run_for(std::uint64_t ticks, std::uint64_t n) {
    for (const double end = now_ + static_cast<double>(ticks); now_ < end;) {
      call(n);
    }
  }
  void forget_counts() {
    counted_since_ = now_;
    best_ = timed_ = shared_calls_ = calls_ = cut_ = 0;
  }

  [[nodiscard]] double share_shared() const { return shared_calls_ / calls_; }
  // The share of the time that the best decision at each call would have saved.
  [[nodiscard]] double share_lost() const { return 1 - best_ / (now_ - counted_since_); }
  // The share of the time that timing costs, at 50 ns per timed call.
  [[nodiscard]] double share_timing() const { return timed_ * ticks(50) / (now_ - counted_since_); }
  // The loops that turned out long.
  [[nodiscard]] double cut() const { return cut_; }
  fg::loop_site& site() { return site_; }
  [[nodiscard]] std::uint64_t now() const { return static_cast<std::uint64_t>(now_); }

 private:
  fg::loop_site site_;
  double now_ = 1e12;
  double counted_since_ = now_;
  double best_ = 0;
  double timed_ = 0;
  double shared_calls_ = 0;
  double calls_ = 0;
  double cut_ = 0;
};

TEST(loop_site, shares_what_gains) {
  simulated_loop it{10};
  it.run_for(us(1000), 1000);
  EXPECT_TRUE(it.site().shares(1000));
  it.forget_counts();
  it.run_for(us(100'000), 1000);
  EXPECT_GT(it.share_shared(), 0.99);
}

TEST(loop_site, keeps_what_loses) {
  simulated_loop it{10};
  it.run_for(us(100'000), 20);  // 200 ns compared with a round trip of 300
  EXPECT_EQ(it.share_shared(), 0.0);
}

TEST(loop_site, shares_from_two_round_trips_on) {
  simulated_loop it{10};
  it.run_for(us(10'000), 1000);
  EXPECT_FALSE(it.site().shares(55));
  EXPECT_TRUE(it.site().shares(65));
}

TEST(loop_site, knows_the_cost_of_an_iteration) {
  simulated_loop it{10};
  EXPECT_EQ(it.site().expected_serial(7), 0.0);
  it.run_for(us(1000), 20);
  EXPECT_NEAR(it.site().expected_serial(7), ticks(70), ticks(2)) << "run here";
  it.run_for(us(1000), 1000);
  EXPECT_NEAR(it.site().expected_serial(7), ticks(70), ticks(2)) << "shared";
  EXPECT_EQ(it.site().round_trip(), static_cast<double>(static_cast<std::uint64_t>(ticks(300))));
}

TEST(loop_site, decides_for_each_length) {
  simulated_loop it{10};
  for (int i = 0; i < 20'000; ++i) {
    it.call(4);
    it.call(1000);
  }
  it.forget_counts();
  for (int i = 0; i < 20'000; ++i) {
    it.call(4);
    it.call(1000);
    it.call(30);
  }
  EXPECT_NEAR(it.share_shared(), 1.0 / 3, 0.01);
  EXPECT_LT(it.share_lost(), 0.01);
}

// A body that runs at half the speed on each of two threads: memory, a lock, a counter on one line.
TEST(loop_site, believes_its_eyes_more_than_the_model) {
  simulated_loop it{10};
  it.slow_down = 2.2;
  it.run_for(us(50'000), 1000);
  it.forget_counts();
  it.run_for(us(500'000), 1000);
  EXPECT_LT(it.share_lost(), 0.004);
  EXPECT_LT(it.share_shared(), 0.02);
  it.slow_down = 1;
  it.run_for(us(100'000), 1000);
  EXPECT_TRUE(it.site().shares(1000)) << "tries again now and then";
}

// Timing costs under 0.3 %, and the margin costs what little those loops could gain.
TEST(loop_site, explores_little) {
  for (const double each_ns : {0.3, 2.0, 10.0, 500.0}) {
    for (const std::uint64_t n : {2U, 10U, 40U, 200U, 1000U, 10'000U}) {
      simulated_loop it{each_ns};
      if (it.serial(n) < ticks(20)) {
        continue;  // only makes the test long
      }
      it.run_for(us(50'000), n);
      it.forget_counts();
      it.run_for(us(400'000), n);
      const bool within_margin = it.serial(n) > it.round_trip && it.serial(n) < 2.2 * it.round_trip;
      EXPECT_LT(it.share_lost(), within_margin ? 0.3 : 0.003) << each_ns << " ns, " << n;
      EXPECT_LT(it.share_timing(), 0.003) << each_ns << " ns, " << n;
    }
  }
}

TEST(loop_site, follows_a_change_of_the_body) {
  simulated_loop it{10};
  it.run_for(us(10'000), 1000);
  ASSERT_TRUE(it.site().shares(1000));
  it.each = ticks(0.2);  // 200 ns in total
  it.run_for(us(10'000), 1000);
  EXPECT_FALSE(it.site().shares(1000));
  it.each = ticks(10);
  it.run_for(us(10'000), 1000);
  EXPECT_TRUE(it.site().shares(1000));
}

TEST(loop_site, follows_a_change_of_the_host) {
  simulated_loop it{10, 60};
  it.run_for(us(10'000), 40);
  ASSERT_TRUE(it.site().shares(40)) << "400 ns against a round trip of 60";
  it.round_trip = ticks(400);
  it.overhead = ticks(300);
  it.run_for(us(20'000), 40);
  EXPECT_FALSE(it.site().shares(40));
  it.round_trip = ticks(60);
  it.overhead = ticks(30);
  it.run_for(us(20'000), 40);
  EXPECT_TRUE(it.site().shares(40));
}

TEST(loop_site, one_interrupted_call_changes_nothing) {
  simulated_loop it{10};
  it.run_for(us(10'000), 1000);
  ASSERT_TRUE(it.site().shares(1000));
  const double usual = it.overhead;
  for (int i = 0; i < 20; ++i) {
    it.overhead = ticks(15'000);
    it.call(1000);
    it.overhead = usual;
    it.run_for(us(2000), 1000);
    EXPECT_TRUE(it.site().shares(1000));
  }
}

TEST(loop_site, gives_up_when_stalls_eat_the_gain) {
  simulated_loop it{10};
  it.run_for(us(5000), 1000);
  ASSERT_TRUE(it.site().shares(1000));
  EXPECT_TRUE(it.site().stalled(1000, {us(3500), us(3500)}, 0, it.now()));
  EXPECT_TRUE(it.site().shares(1000)) << "on credit";
  EXPECT_TRUE(it.site().stalled(1000, {us(12'000), us(12'000)}, 0, it.now()));
  EXPECT_FALSE(it.site().shares(1000)) << "never gained as much";
  it.forget_counts();
  it.run_for(us(100'000), 1000);
  EXPECT_EQ(it.share_shared(), 0.0) << "not again so soon";
  it.run_for(us(3'000'000), 1000);
  EXPECT_TRUE(it.site().shares(1000)) << "but later";
}

TEST(loop_site, stalls_that_make_loops_late_weigh_more) {
  for (const std::int64_t period_us : {0, 500, 1300, 10'000}) {
    simulated_loop it{600};
    it.period = us(period_us);
    it.run_for(us(200'000), 1000);
    ASSERT_TRUE(it.site().shares(1000));
    int stalls = 0;
    for (; stalls != 10 && it.site().shares(1000); ++stalls) {
      EXPECT_TRUE(it.site().stalled(1000, {us(2000), us(2000)}, it.period, it.now()));
      it.run_for(us(5000), 1000);
    }
    EXPECT_EQ(stalls, period_us == 1300 ? 6 : 10) << period_us;
  }
}

TEST(loop_site, a_stalled_trial_ends_at_once_and_is_not_repeated_soon) {
  simulated_loop it{10};
  it.stalled = true;
  it.run_for(us(20'000), 1000);
  it.forget_counts();
  it.run_for(us(2'000'000), 1000);
  EXPECT_LT(it.share_lost(), 0.01);
  EXPECT_LT(it.share_shared(), 0.001);
}

TEST(loop_site, long_loops_are_no_stalls) {
  simulated_loop it{1000};
  it.run_for(us(50'000), 1000);
  ASSERT_TRUE(it.site().shares(1000));
  for (int i = 0; i < 1000; ++i) {
    EXPECT_FALSE(it.site().stalled(1000, {us(400), us(400)}, 0, it.now()));
  }
  EXPECT_TRUE(it.site().shares(1000));
}

TEST(loop_site, knows_no_assistant_tries_nothing) {
  simulated_loop it{10};
  it.round_trip = 0;
  it.run_for(us(50'000), 1000);
  EXPECT_EQ(it.share_shared(), 0.0);
}

// ---- pools ----

simulated_loop on_a_pool(double each_ns, double round_trip_ns = 900) {
  return simulated_loop{each_ns, round_trip_ns, fg::loop_site::for_pool()};
}

TEST(loop_site, shares_in_a_pool_what_it_does_not_know) {
  EXPECT_TRUE(fg::loop_site::for_pool().shares(1));
  EXPECT_TRUE(fg::loop_site::for_pool().is_new());
  simulated_loop it = on_a_pool(1000);
  for (int call = 0; call < 100; ++call) {
    it.call(1000);
  }
  EXPECT_EQ(it.share_shared(), 1.0) << "a long loop never runs here, not even to measure it";
}

TEST(loop_site, keeps_short_loops_of_a_pool) {
  for (const std::uint64_t n : {1U, 16U, 100U, 1000U}) {
    simulated_loop it = on_a_pool(1);
    it.run_for(us(1000), n);
    it.forget_counts();
    it.run_for(us(100'000), n);
    EXPECT_EQ(it.share_shared(), 0.0) << n << " ns";
    EXPECT_LT(it.share_timing(), 0.003) << n << " ns";
  }
}

TEST(loop_site, shares_loops_of_a_pool_that_gain) {
  for (const std::uint64_t n : {400U, 1000U, 10'000U}) {
    simulated_loop it = on_a_pool(10);
    it.run_for(us(1000), n);
    it.forget_counts();
    it.run_for(us(100'000), n);
    EXPECT_GT(it.share_shared(), 0.99) << 10 * n << " ns";
  }
}

// 30 us here, 15 shared.
TEST(loop_site, knows_the_cost_of_loops_of_a_pool_that_are_long_only_here) {
  simulated_loop it = on_a_pool(30);
  it.is_on_a_pool = true;
  it.run_for(us(10'000), 1000);
  EXPECT_NEAR(static_cast<double>(it.site().iterations_in(ticks(9000))), 300, 10);
  it.forget_counts();
  it.run_for(us(100'000), 1000);
  EXPECT_GT(it.share_shared(), 0.98);
  EXPECT_GT(it.cut(), 0) << "still rechecked";
}

TEST(loop_site, starts_anew_where_short_loops_of_a_pool_became_long) {
  simulated_loop it = on_a_pool(1);
  it.run_for(us(10'000), 16);
  EXPECT_FALSE(it.site().is_new());
  it.site().timed_long(500, 0, it.now(), us(1));
  EXPECT_TRUE(it.site().is_new());
  EXPECT_TRUE(it.site().shares(16));
  EXPECT_EQ(it.site().round_trip(), static_cast<double>(us(1))) << "a property of the host";
  EXPECT_TRUE(it.site().look(16, it.now())) << "at once";
}

// Also after short loops, which say nothing on what a shared iteration costs.
TEST(loop_site, always_shares_long_loops_of_a_pool) {
  simulated_loop it = on_a_pool(1);
  it.run_for(us(10'000), 16);
  EXPECT_FALSE(it.site().shares(16));
  EXPECT_TRUE(it.site().shares(25'000));
  EXPECT_TRUE(it.site().outweighs_a_wake_up(1'000'000));
  it.slow_down = 3;
  it.run_for(us(100'000), 5000);
  EXPECT_FALSE(it.site().shares(5000)) << "it loses";
  EXPECT_TRUE(it.site().shares(25'000)) << "others may be idle later";
}

TEST(loop_site, shares_longer_loops_of_a_pool_after_short_ones) {
  simulated_loop it = on_a_pool(1);
  it.run_for(us(10'000), 16);
  it.run_for(us(1000), 5000);
  EXPECT_TRUE(it.site().shares(5000));
}

TEST(loop_site, forgets_what_was_shared_at_another_cost) {
  simulated_loop it = on_a_pool(10);
  it.run_for(us(10'000), 1000);
  it.each = ticks(1);
  it.run_for(us(10'000), 50);
  EXPECT_TRUE(it.site().shares(5000)) << "5 ns on two workers were half of 10 on one, not of 1";
}

TEST(loop_site, learns_nothing_on_sharing_where_nobody_takes_a_part) {
  simulated_loop it = on_a_pool(10);
  it.others_are_busy = true;
  it.run_for(us(10'000), 1000);
  EXPECT_TRUE(it.site().shares(1000)) << "still on offer";
  EXPECT_FALSE(it.site().shares(20)) << "its cost is known";
  it.others_are_busy = false;
  it.run_for(us(10'000), 1000);
  it.forget_counts();
  it.run_for(us(10'000), 1000);
  EXPECT_GT(it.share_shared(), 0.99);
}

// A relic's site would notice after up to 1024 calls.
TEST(loop_site, notices_soon_that_a_pools_loops_are_long) {
  simulated_loop it = on_a_pool(1);
  it.run_for(us(1'000'000), 1000);
  ASSERT_FALSE(it.site().shares(1000));
  it.each = ticks(100);  // 100 us
  for (int call = 0; call < 8; ++call) {
    it.call(1000);
  }
  EXPECT_TRUE(it.site().shares(1000));
}

// Real time passes here: the site reads the clock itself.
TEST(loop_site, wakes_a_sleeper_for_dense_calls_only) {
  simulated_loop it{10};
  it.run_for(us(10'000), 1000);
  ASSERT_TRUE(it.site().shares(1000));
  const auto first_wake_up = [&it](std::int64_t apart_us) {
    for (int call = 1; call <= 40; ++call) {
      if (it.site().is_worth_a_wake_up(1000)) {
        return call;
      }
      const std::uint64_t until = fg::ticks() + us(apart_us);
      while (fg::ticks() < until) {
      }
    }
    return 0;
  };
  EXPECT_EQ(first_wake_up(1000), 0);
  EXPECT_NE(first_wake_up(1), 0);
  EXPECT_FALSE(it.site().outweighs_a_wake_up(1000));
  EXPECT_TRUE(it.site().outweighs_a_wake_up(100'000));
}

TEST(loop_site, counts_the_calls_that_ran_here) {
  fg::loop_site site;
  for (int i = 0; i < 5; ++i) {
    static_cast<void>(site.is_quiet(10));
  }
  site.uncount_call();
  EXPECT_EQ(site.take_calls(), 4U);
  EXPECT_EQ(site.take_calls(), 0U);
}

}  // namespace
