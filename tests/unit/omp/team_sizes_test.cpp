// How many threads a region gets, over a virtual clock: the durations are given.
// SPDX-License-Identifier: Apache-2.0
#include "omp/runtime/team_sizes.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <vector>

#include "finegrain/core/clock.hpp"

namespace {

using fg::omp::runtime::team_sizes;
using namespace std::chrono_literals;
using duration = std::chrono::nanoseconds;

// A loop of a program around one region. Its forks and joins take more for each thread.
class looping_program {
 public:
  duration work = 0ns;
  duration per_thread = 100ns;
  unsigned useful_threads = 1024;                      // more of them make the work no shorter
  std::function<duration(std::uint64_t region)> also;  // what a region takes besides; null: nothing

  explicit looping_program(unsigned most) : most_{most}, sizes_{most} {}

  void run(std::uint64_t regions) {
    for (; regions != 0; --regions) {
      const auto [size, is_timed] = sizes_.choose();
      const std::uint64_t begun = is_timed ? fg::ticks() : 0;
      fg::detail::virtual_now += fg::to_ticks(taken_by(size) + (also ? also(regions_) : 0ns));
      if (is_timed) {
        const std::uint64_t now = fg::ticks();
        sizes_.timed(now - begun, now);
      }
      ++regions_;
      ++regions_of_[size];
    }
  }
  void run_for(duration span) {
    for (const std::uint64_t end = fg::detail::virtual_now + fg::to_ticks(span);
         fg::detail::virtual_now < end;) {
      run(1);
    }
  }

  // The share of the next regions that get so many threads.
  double share_from_now(unsigned size, std::uint64_t regions = 2000) {
    regions_of_.clear();
    run(regions);
    return static_cast<double>(regions_of_[size]) / static_cast<double>(regions);
  }
  // The share of time that the next regions take beyond the best number of threads for each.
  double share_lost(std::uint64_t regions) {
    const std::uint64_t begun = fg::detail::virtual_now;
    run(regions);
    duration best = duration::max();
    for (unsigned size = most_; size != 0; size /= 2) {
      best = std::min(best, taken_by(size));
    }
    return 1 - static_cast<double>(regions * fg::to_ticks(best)) /
                   static_cast<double>(fg::detail::virtual_now - begun);
  }

  [[nodiscard]] const team_sizes& sizes() const { return sizes_; }
  [[nodiscard]] std::uint64_t regions_of(unsigned size) { return regions_of_[size]; }

 private:
  [[nodiscard]] duration taken_by(unsigned size) const {
    return work / std::min(size, useful_threads) + (size > 1 ? size * per_thread : 30ns);
  }

  unsigned most_;
  team_sizes sizes_;
  std::uint64_t regions_ = 0;
  std::map<unsigned, std::uint64_t> regions_of_;
};

TEST(team_sizes, a_region_begins_with_all_threads) {
  for (const unsigned most : {2U, 3U, 8U}) {
    looping_program it{most};
    it.run(256);
    EXPECT_EQ(it.regions_of(most), 256U);
    EXPECT_FALSE(it.sizes().is_smaller());
  }
}

TEST(team_sizes, an_empty_region_ends_with_one_thread) {
  for (const unsigned most : {2U, 3U, 8U, 64U}) {
    looping_program it{most};
    it.run_for(300ms);
    EXPECT_GT(it.share_from_now(1), 0.95) << most;
    EXPECT_TRUE(it.sizes().is_smaller()) << most;
    EXPECT_EQ(it.sizes().chosen(), 1U) << most;
  }
}

TEST(team_sizes, never_has_more_threads_than_it_may) {
  looping_program it{6};
  it.useful_threads = 3;
  it.work = 20us;
  it.run_for(10s);
  EXPECT_GT(it.share_from_now(3), 0.95);
  for (unsigned size = 7; size <= 64; ++size) {
    EXPECT_EQ(it.regions_of(size), 0U) << size;
  }
}

TEST(team_sizes, a_region_keeps_what_it_gains_from) {
  for (const unsigned best : {1U, 2U, 4U, 8U}) {
    looping_program it{8};
    it.useful_threads = best;
    it.work = 2us;
    it.per_thread = 50ns;
    it.run_for(20s);
    EXPECT_GT(it.share_from_now(best, 50'000), 0.9) << best;
    EXPECT_LT(it.share_lost(1'000'000), 0.01) << "0.34 with one thread";
  }
}

// It may be all that the program does.
TEST(team_sizes, long_regions_are_tried_with_fewer_threads_late) {
  looping_program it{2};
  it.work = 5ms;
  it.run(250);
  EXPECT_EQ(it.regions_of(2), 250U);
  it.run(250);
  EXPECT_EQ(it.regions_of(1), 1U) << "when that costs little";
  it.run(2000);
  EXPECT_LT(it.regions_of(1), 9U) << "and rarely again";
  EXPECT_EQ(it.sizes().chosen(), 2U);
}

TEST(team_sizes, half_of_them_are_tried_first) {
  looping_program it{8};
  it.work = 1ms;
  while (it.regions_of(4) == 0) {
    it.run(1);
    EXPECT_EQ(it.regions_of(2) + it.regions_of(1), 0U);
  }
  it.run(100'000);
  EXPECT_EQ(it.regions_of(2), 0U);
  EXPECT_GT(it.regions_of(1), 0U) << "as half of them had lost";
  EXPECT_GT(it.share_from_now(8), 0.99);
  EXPECT_LT(it.share_lost(100'000), 0.02);
}

// As on CPUs that another program's threads share.
TEST(team_sizes, one_thread_is_found_although_half_of_them_lose) {
  for (const unsigned most : {4U, 8U, 64U}) {
    looping_program it{most};
    it.also = [&](std::uint64_t) {
      const unsigned size = it.sizes().chosen();
      return size == most ? 10us : size == 1 ? 0us : 240us;
    };
    it.run_for(500ms);
    EXPECT_GT(it.share_from_now(1), 0.95) << most;
  }
}

TEST(team_sizes, the_best_number_is_left_rarely) {
  for (const duration work : {10ns, 100ns, 300ns, 1000ns, 5000ns, 50'000ns, 500'000ns}) {
    for (const duration per_thread : {50ns, 200ns, 1000ns}) {
      looping_program it{2};
      it.work = work;
      it.per_thread = per_thread;
      it.run_for(500ms + 2000 * work);
      // Beside the clock, which two measurements of 10 ns see, too.
      EXPECT_LT(it.share_lost(1'000'000), work < 100ns ? 0.03 : 0.01)
          << work.count() << " ns, " << per_thread.count() << " ns a thread";
    }
  }
}

TEST(team_sizes, follow_the_work) {
  looping_program it{2};
  for (int round = 0; round < 3; ++round) {
    it.work = 100ns;
    it.run(20'000);
    EXPECT_GT(it.share_from_now(1), 0.95) << round;
    it.work = 20us;
    it.run(2000);
    EXPECT_GT(it.share_from_now(2), 0.95) << round;
  }
}

TEST(team_sizes, regions_that_become_a_million_times_longer_are_noticed_soon) {
  looping_program it{2};
  it.work = 20ns;
  it.run_for(1s);
  ASSERT_GT(it.share_from_now(1, 100'000), 0.95);
  it.work = 20ms;
  it.run(50);
  EXPECT_EQ(it.share_from_now(2, 100), 1.0);
}

// As those of a solver that calls one loop for each of its grids: fifteen of sixteen are best alone.
TEST(team_sizes, regions_of_several_sizes_are_judged_by_their_sum) {
  for (const bool is_long : {false, true}) {
    looping_program it{2};
    it.also = [&](std::uint64_t region) {
      const bool large = is_long && region % 16 == 5;
      const duration whole = large ? 32us : 50ns;
      return it.sizes().chosen() == 1 ? whole : whole / 2;
    };
    it.run_for(1s);
    const double share = it.share_from_now(is_long ? 2 : 1, 100'000);
    EXPECT_GT(share, 0.95) << is_long;
  }
}

// It is part of what the outer one takes.
TEST(team_sizes, a_region_within_a_timed_one_is_not_timed) {
  team_sizes sizes{2};
  const auto outer = sizes.choose();
  ASSERT_TRUE(outer.is_timed);
  for (int inner = 0; inner < 100; ++inner) {
    const auto [size, is_timed] = sizes.choose();
    EXPECT_EQ(size, 2U);
    EXPECT_FALSE(is_timed);
  }
  sizes.timed(fg::to_ticks(1us), fg::ticks());
  EXPECT_TRUE(sizes.choose().is_timed) << "again";
}

TEST(team_sizes, pre_empted_runs_decide_nothing) {
  looping_program it{2};
  it.work = 20us;
  it.also = [](std::uint64_t region) { return region % 100 == 7 ? 4ms : 0ms; };
  it.run_for(20s);
  EXPECT_GT(it.share_from_now(2), 0.9);
  it.work = 0ns;
  it.run_for(5s);
  EXPECT_GT(it.share_from_now(1), 0.5) << "trials cost little beside that";
}

TEST(team_sizes, threads_that_begin_on_one_cpu_are_tried_again_soon) {
  looping_program it{2};
  it.work = 2500ns;
  it.also = [&](std::uint64_t) { return it.sizes().chosen() == 2 ? 47us : 0us; };
  it.run_for(30ms);
  EXPECT_EQ(it.sizes().chosen(), 1U);
  it.also = nullptr;
  it.run_for(30ms);
  EXPECT_GT(it.share_from_now(2, 10'000), 0.95);
}

// One that was interrupted says nothing for long.
TEST(team_sizes, one_long_region_that_was_interrupted_decides_for_seconds_only) {
  looping_program it{2};
  it.work = 100us;
  it.per_thread = 60us;
  it.also = [&](std::uint64_t) {
    return it.sizes().chosen() == 1 && it.regions_of(1) == 0 ? 150us : 0us;
  };
  it.run_for(5s);
  EXPECT_GT(it.share_from_now(1), 0.95);
}

TEST(team_sizes, regions_that_become_much_shorter_are_judged_anew) {
  looping_program it{2};
  it.work = 5ms;
  it.run_for(10s);
  ASSERT_GT(it.share_from_now(2), 0.95);
  it.work = 40ns;
  it.run_for(300ms);
  EXPECT_GT(it.share_from_now(1), 0.95);
  EXPECT_LT(it.share_lost(1'000'000), 0.03);
}

// Each region with two threads waits for a time slice of another program, which ends some time. The
// second that this has lost is to be 3 % of the time before it is tried again.
TEST(team_sizes, a_lost_cpu_that_comes_back_is_used_again) {
  looping_program it{2};
  it.work = 100us;
  it.run_for(1s);
  ASSERT_GT(it.share_from_now(2), 0.98);
  it.also = [&](std::uint64_t) { return it.sizes().chosen() == 2 ? 4ms : 0ms; };
  it.run_for(10s);
  EXPECT_GT(it.share_from_now(1), 0.98);
  it.also = nullptr;
  it.run_for(60s);
  EXPECT_GT(it.share_from_now(2), 0.98);
}

}  // namespace
