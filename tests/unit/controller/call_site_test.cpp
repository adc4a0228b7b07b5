// The controller of a call site, given durations instead of calls.
// SPDX-License-Identifier: Apache-2.0
#include "finegrain/controller/call_site.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <chrono>
#include <cstdint>

#include "finegrain/core/clock.hpp"
#include "support/ticks.hpp"

namespace {

using fg::test::ns;
using fg::test::us;

// A program that calls one site repeatedly, with a clock of its own.
class simulated_program {
 public:
  std::uint64_t f = 0;  // ticks that the branches take
  std::uint64_t g = 0;
  std::uint64_t handed_over = 0;  // total time when handed over
  std::uint64_t waited = 0;       // of it, if that is long enough to be noticed
  std::uint64_t period = 0;       // of the calls, as the relic knows it
  std::uint64_t round_trip = 0;

  void call() {
    const bool quiet = site_.is_quiet();
    const bool over = site_.hands_over();
    const std::uint64_t cost = over ? handed_over : f + g;
    const bool timed = !quiet && site_.look(now_);
    now_ += cost;
    ++calls_;
    handed_over_calls_ += static_cast<std::uint64_t>(over);
    const bool stalled = over && waited != 0 && site_.stalled({waited, waited}, period, now_);
    if (!timed || stalled) {
      return;
    }
    ++timed_;
    if (over) {
      site_.timed_hand_over(cost, now_);
    } else {
      site_.timed_serial(f, g, now_, round_trip);
    }
  }
  void run_for(std::uint64_t ticks) {
    for (const std::uint64_t end = now_ + ticks; now_ < end;) {
      call();
    }
  }
  // How many of the calls in the next millisecond are handed over. A single answer of `hands_over`
  // may belong to a trial or a recheck: at most four calls.
  double share_from_now() {
    forget_counts();
    run_for(fg::to_ticks(std::chrono::milliseconds{1}));
    return share_handed_over();
  }
  void forget_counts() {
    calls_ = handed_over_calls_ = timed_ = 0;
    counted_since_ = now_;
  }

  [[nodiscard]] double share_handed_over() const {
    return static_cast<double>(handed_over_calls_) / static_cast<double>(calls_);
  }
  [[nodiscard]] std::uint64_t handed_over_calls() const { return handed_over_calls_; }
  // The share of the time that the best decision at each call would have saved.
  [[nodiscard]] double share_lost() const {
    const auto took = static_cast<double>(now_ - counted_since_);
    return 1 - static_cast<double>(calls_ * std::min(f + g, handed_over)) / took;
  }
  // The share of the time that timing costs, at 50 ns per timed call.
  [[nodiscard]] double share_timing() const {
    return static_cast<double>(timed_ * fg::to_ticks(std::chrono::nanoseconds{50})) /
           static_cast<double>(now_ - counted_since_);
  }
  [[nodiscard]] std::uint64_t now() const { return now_; }
  fg::call_site& site() { return site_; }

 private:
  fg::call_site site_;
  std::uint64_t now_ = 1'000'000'000;
  std::uint64_t calls_ = 0;
  std::uint64_t handed_over_calls_ = 0;
  std::uint64_t timed_ = 0;
  std::uint64_t counted_since_ = now_;
};

// Branches of this length on a host with this round trip.
simulated_program program(std::int64_t f_ns, std::int64_t g_ns, std::int64_t round_trip_ns) {
  simulated_program it;
  it.f = ns(f_ns);
  it.g = ns(g_ns);
  it.round_trip = ns(round_trip_ns);
  it.handed_over = std::max(it.f, it.g + it.round_trip);
  return it;
}

TEST(call_site, has_one_first_call) {
  fg::call_site site;
  EXPECT_TRUE(site.is_first_call());
  EXPECT_FALSE(site.is_first_call());
}

TEST(call_site, tries_to_hand_over_long_branches_after_one_timed_call) {
  const std::uint64_t longer = fg::to_ticks(std::chrono::microseconds{21});
  const std::uint64_t shorter = fg::to_ticks(std::chrono::microseconds{19});
  fg::call_site of_long;
  of_long.timed_serial(longer, longer, 3 * longer, 0);
  EXPECT_TRUE(of_long.hands_over());
  fg::call_site of_one_long;
  of_one_long.timed_serial(longer, shorter, 3 * longer, 0);
  EXPECT_FALSE(of_one_long.hands_over());
}

TEST(call_site, hands_over_what_gains) {
  auto it = program(2000, 2000, 100);
  it.run_for(us(1000));
  EXPECT_TRUE(it.site().hands_over());
  it.forget_counts();
  it.run_for(us(100'000));
  EXPECT_GT(it.share_handed_over(), 0.99);
}

TEST(call_site, keeps_what_loses) {
  auto it = program(10, 10, 100);
  it.run_for(us(100'000));
  EXPECT_EQ(it.share_handed_over(), 0.0);
}

TEST(call_site, keeps_a_short_branch_beside_a_long_one) {
  auto it = program(2000, 50, 300);
  it.handed_over = ns(2080);
  it.run_for(us(20'000));
  EXPECT_FALSE(it.site().hands_over());
  it.forget_counts();
  it.run_for(us(200'000));
  EXPECT_LT(it.share_lost(), 0.003);
}

TEST(call_site, believes_its_eyes_more_than_the_model) {
  auto it = program(1000, 1000, 100);
  it.handed_over = ns(3000);  // because of caches, for instance
  it.run_for(us(20'000));
  it.forget_counts();
  it.run_for(us(200'000));
  EXPECT_LT(it.share_lost(), 0.003);

  auto other = program(1000, 1000, 1300);  // the model: a loss of 15 %
  other.handed_over = ns(1200);
  other.run_for(us(20'000));
  other.forget_counts();
  other.run_for(us(200'000));
  EXPECT_GT(other.share_handed_over(), 0.99);
}

TEST(call_site, follows_a_change_of_the_input) {
  auto it = program(50, 50, 100);
  it.run_for(us(10'000));
  EXPECT_LT(it.share_from_now(), 0.02);
  it.f = it.g = ns(2000);
  it.handed_over = ns(2100);
  it.run_for(us(4000));
  EXPECT_GT(it.share_from_now(), 0.98);
  it.f = it.g = ns(50);
  it.handed_over = ns(150);
  it.run_for(us(1000));
  EXPECT_LT(it.share_from_now(), 0.02);
}

// The first change is noticed late, because it hides among very short calls: after up to 1024 of
// the long ones, 20 ms. The later ones are noticed soon.
TEST(call_site, follows_a_site_that_changes_again_and_again) {
  auto it = program(10, 10, 100);
  for (int change = 0; change < 12; ++change) {
    const bool is_long = change % 2 == 1;
    it.f = it.g = is_long ? ns(10'000) : ns(10);
    it.handed_over = it.f + ns(100);
    it.forget_counts();
    it.run_for(change == 1 ? us(30'000) : us(10'000));
    if (change > 1) {
      // 0.66 to 0.9, depending on where in a phase the controller checks, and so on the clock's
      // rate.
      EXPECT_GT(it.share_handed_over(), is_long ? 0.5 : -1.0) << change;
      EXPECT_LT(it.share_handed_over(), is_long ? 1.1 : 0.01) << change;
    }
  }
}

// The first calls that are handed over gain, as the other thread is just awake, and the later ones lose.
// As often as they are tried, that costs less than 3 % of serial code.
TEST(call_site, believes_trials_less_that_were_mistaken) {
  auto it = program(5500, 5500, 900);
  const std::uint64_t serial = it.f + it.g;
  std::uint64_t over = 0;  // calls in a row that were handed over
  const auto run_for = [&](std::uint64_t ticks) {
    it.forget_counts();
    std::uint64_t calls = 0;
    const std::uint64_t begin = it.now();
    while (it.now() - begin < ticks) {
      it.handed_over = over < 5 ? serial * 89 / 100 : serial * 163 / 100;
      const std::uint64_t before = it.handed_over_calls();
      it.call();
      over = it.handed_over_calls() == before ? 0 : over + 1;
      ++calls;
    }
    return static_cast<double>(it.now() - begin) / static_cast<double>(calls * serial);
  };
  EXPECT_GT(run_for(us(2000)), 1.1) << "it is mistaken";
  EXPECT_LT(run_for(us(1'000'000)), 1.03);
  over = 0;
  it.handed_over = serial * 60 / 100;  // and if it gains then, it is found
  it.run_for(us(200'000));
  EXPECT_GT(it.share_from_now(), 0.98);
}

TEST(call_site, follows_a_change_of_the_host) {
  auto it = program(200, 200, 90);
  it.run_for(us(10'000));
  EXPECT_GT(it.share_from_now(), 0.98);
  it.round_trip = ns(340);
  it.handed_over = ns(540);
  it.run_for(us(10'000));
  EXPECT_LT(it.share_from_now(), 0.02);
  it.round_trip = ns(90);
  it.handed_over = ns(290);
  it.run_for(us(10'000));
  EXPECT_GT(it.share_from_now(), 0.98);
}

// At most 0.3 % of the time is lost to other than the best decision, for all grains and both sides.
TEST(call_site, explores_little) {
  for (const std::int64_t grain : {10, 50, 90, 110, 200, 1000, 5000, 20'000}) {
    for (const std::int64_t round_trip : {60, 100, 350}) {
      auto it = program(grain, grain, round_trip);
      it.run_for(us(50'000));  // learned by then
      it.forget_counts();
      it.run_for(us(400'000));
      EXPECT_LT(it.share_lost(), 0.003) << grain << " ns, round trip " << round_trip;
      EXPECT_LT(it.share_timing(), 0.003) << grain << " ns, round trip " << round_trip;
    }
  }
}

TEST(call_site, one_interrupted_call_changes_nothing) {
  auto it = program(1000, 1000, 100);
  it.run_for(us(10'000));
  ASSERT_TRUE(it.site().hands_over());
  const std::uint64_t usual = it.handed_over;
  for (int i = 0; i < 20; ++i) {
    it.handed_over = us(4000);
    it.call();
    it.handed_over = usual;
    EXPECT_GT(it.share_from_now(), 0.98);
    it.run_for(us(1000));
  }
}

TEST(call_site, gives_up_when_stalls_eat_the_gain) {
  auto it = program(1000, 1000, 100);
  it.run_for(us(5000));  // gained about 4 ms
  ASSERT_TRUE(it.site().hands_over());
  EXPECT_TRUE(it.site().stalled({us(3500), us(3500)}, 0, it.now()));
  EXPECT_TRUE(it.site().hands_over()) << "on credit";
  it.run_for(us(5000));
  EXPECT_TRUE(it.site().stalled({us(3500), us(3500)}, 0, it.now()));
  EXPECT_TRUE(it.site().hands_over()) << "paid for";
  EXPECT_TRUE(it.site().stalled({us(8000), us(8000)}, 0, it.now()));
  EXPECT_FALSE(it.site().hands_over());
  it.forget_counts();
  it.run_for(us(100'000));
  EXPECT_EQ(it.share_handed_over(), 0.0) << "not again so soon";
  it.run_for(us(3'000'000));
  EXPECT_GT(it.share_from_now(), 0.98) << "but later";
}

TEST(call_site, a_stalled_trial_ends_at_once_and_is_not_repeated_soon) {
  auto it = program(1000, 1000, 100);
  it.handed_over = it.waited = us(4000);  // the assistant has no CPU
  it.run_for(us(1'000'000));
  EXPECT_LE(it.handed_over_calls(), 2U) << "two half seconds";
  it.run_for(us(20'000'000));
  EXPECT_LT(it.share_lost(), 0.01);
}

TEST(call_site, a_stall_in_a_trial_is_paid_for_too) {
  auto it = program(1000, 1000, 100);
  const std::uint64_t usual = it.handed_over;
  while (!it.site().hands_over()) {
    it.call();
  }
  it.handed_over = it.waited = us(3500);
  it.call();
  it.handed_over = usual;
  it.waited = 0;
  it.run_for(us(100));
  EXPECT_GT(it.share_from_now(), 0.98);
}

// If they did, every second call would be enough to make them the usual ones.
TEST(call_site, stalls_do_not_count_as_what_a_call_takes) {
  auto it = program(300'000, 300'000, 100);
  const std::uint64_t usual = it.handed_over;
  it.run_for(us(10'000));
  ASSERT_TRUE(it.site().hands_over());
  for (int stalls = 1; it.site().hands_over(); ++stalls) {
    ASSERT_LT(stalls, 10) << "2 ms for twice 0.3 ms";
    it.handed_over = it.waited = us(2000);
    it.call();
    it.handed_over = usual;
    it.waited = 0;
    it.call();
  }
  it.forget_counts();
  it.run_for(us(100'000));
  EXPECT_EQ(it.share_handed_over(), 0.0);
}

// In calls that take 0.6 ms here, and half of it with the assistant. If no other program has run on
// the main thread's CPU, the call may have had more to do.
TEST(call_site, stalls_that_make_calls_late_weigh_more) {
  for (const std::int64_t period_us : {0, 500, 1300, 10'000}) {
    auto it = program(300'000, 300'000, 100);
    it.period = us(period_us);
    it.run_for(us(200'000));
    for (int heavy = 0; heavy != 10; ++heavy) {
      EXPECT_TRUE(it.site().stalled({us(2000), 0}, it.period, it.now()));
      it.run_for(us(5000));
    }
    ASSERT_TRUE(it.site().hands_over());
    int stalls = 0;
    for (; stalls != 10 && it.site().hands_over(); ++stalls) {
      EXPECT_TRUE(it.site().stalled({us(2000), us(2000)}, it.period, it.now()));
      it.run_for(us(5000));
    }
    const bool late = period_us == 1300;  // of 10 ms: in time; of 0.5 ms: late here too
    EXPECT_EQ(stalls, late ? 4 : 10) << period_us << ": three times 64 ms of 0.2 s";
    it.run_for(us(2'000'000));
    EXPECT_EQ(it.share_from_now() > 0.98, !late) << "much longer";
    it.run_for(us(8'000'000));
    EXPECT_GT(it.share_from_now(), 0.98) << period_us;
  }
}

TEST(call_site, wants_no_round_trip_for_branches_that_no_host_could_speed_up) {
  auto it = program(5, 5, 100);
  EXPECT_FALSE(it.site().wants_round_trip());
  it.run_for(us(1000));
  EXPECT_FALSE(it.site().wants_round_trip());
  auto other = program(50, 50, 300);
  other.run_for(us(1000));
  EXPECT_TRUE(other.site().wants_round_trip());
}

TEST(call_site, long_branches_are_no_stalls) {
  auto it = program(100, 50'000, 100);
  it.handed_over = ns(40'000);  // the other core is faster
  it.run_for(us(10'000));
  ASSERT_TRUE(it.site().hands_over());
  for (int i = 0; i < 1000; ++i) {
    EXPECT_FALSE(it.site().stalled({ns(39'000), ns(39'000)}, 0, it.now()));
  }
  EXPECT_TRUE(it.site().hands_over());
}

TEST(call_site, knows_nothing_of_the_assistant_tries_nothing) {
  auto it = program(2000, 2000, 0);
  it.run_for(us(50'000));
  EXPECT_EQ(it.share_handed_over(), 0.0);
}

// A sleeping assistant is woken for many calls in a row, not for an occasional one. Real time
// passes here: the site reads the clock itself.
TEST(call_site, wakes_a_sleeper_for_dense_calls_only) {
  for (const std::int64_t grain : {2000, 30'000}) {
    auto it = program(grain, grain, 100);
    it.run_for(us(1000));
    ASSERT_TRUE(it.site().hands_over());
    EXPECT_FALSE(it.site().outweighs_a_wake_up());
    const auto wakes_within = [&it](int calls, std::chrono::microseconds apart) {
      for (; calls != 0; --calls) {
        if (!it.site().is_quiet() && it.site().is_worth_a_wake_up()) {
          return true;
        }
        const std::uint64_t until = fg::ticks() + fg::to_ticks(apart);
        while (fg::ticks() < until) {
        }
      }
      return false;
    };
    EXPECT_FALSE(wakes_within(20, std::chrono::microseconds{2000})) << grain;
    EXPECT_TRUE(wakes_within(100, std::chrono::microseconds{2 * grain / 1000})) << grain;
  }
}

TEST(call_site, one_long_call_is_worth_a_wake_up) {
  auto it = program(200'000, 200'000, 100);
  it.run_for(us(10'000));
  ASSERT_TRUE(it.site().hands_over());
  EXPECT_TRUE(it.site().outweighs_a_wake_up());
}

}  // namespace
