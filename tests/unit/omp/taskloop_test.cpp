// How loops are cut: some by hand, then properties of all of them.
// SPDX-License-Identifier: Apache-2.0
#include "omp/taskloop.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <limits>
#include <random>
#include <vector>

namespace {

using fg::omp::cut_loop;
using fg::omp::loop_cut;
using fg::omp::loop_schedule;

constexpr std::uint64_t kHuge = std::numeric_limits<std::uint64_t>::max();
constexpr std::uint64_t kThreads = 3;

struct loop {
  std::uint64_t trips;
  loop_schedule schedule;
  std::uint64_t value;
  bool strict;
  std::uint64_t threads;
};

loop_cut cut(const loop& of) {
  return cut_loop(of.trips, of.schedule, of.value, of.strict, of.threads);
}

// The iterations of each task, as the maker of the tasks computes them.
std::vector<std::uint64_t> pieces(const loop& of) {
  const loop_cut made = cut(of);
  std::vector<std::uint64_t> all;
  std::uint64_t left = of.trips;
  for (std::uint64_t i = 0; i < made.tasks; ++i) {
    all.push_back(std::min(left, made.iterations + (i < made.longer ? 1U : 0U)));
    left -= all.back();
  }
  EXPECT_EQ(left, 0U);
  return all;
}

using sizes = std::vector<std::uint64_t>;

TEST(taskloop, num_tasks_is_that_many_of_about_the_same_size) {
  EXPECT_EQ(pieces({10, loop_schedule::num_tasks, 4, false, kThreads}), (sizes{3, 3, 2, 2}));
  EXPECT_EQ(pieces({12, loop_schedule::num_tasks, 4, true, kThreads}), (sizes{3, 3, 3, 3}));
}

TEST(taskloop, num_tasks_is_no_more_than_there_are_iterations) {
  EXPECT_EQ(pieces({3, loop_schedule::num_tasks, 8, false, kThreads}), (sizes{1, 1, 1}));
  EXPECT_EQ(pieces({1, loop_schedule::num_tasks, kHuge, true, kThreads}), (sizes{1}));
}

TEST(taskloop, grainsize_is_that_many_iterations_and_less_than_twice_as_many) {
  EXPECT_EQ(pieces({10, loop_schedule::grainsize, 4, false, kThreads}), (sizes{5, 5}));
  EXPECT_EQ(pieces({11, loop_schedule::grainsize, 4, false, kThreads}), (sizes{6, 5}));
  EXPECT_EQ(pieces({7, loop_schedule::grainsize, 4, false, kThreads}), (sizes{7}));
  EXPECT_EQ(pieces({3, loop_schedule::grainsize, 4, false, kThreads}), (sizes{3}));
}

TEST(taskloop, strict_grainsize_is_that_many_iterations_but_for_the_last) {
  EXPECT_EQ(pieces({10, loop_schedule::grainsize, 4, true, kThreads}), (sizes{4, 4, 2}));
  EXPECT_EQ(pieces({12, loop_schedule::grainsize, 4, true, kThreads}), (sizes{4, 4, 4}));
  EXPECT_EQ(pieces({3, loop_schedule::grainsize, 4, true, kThreads}), (sizes{3}));
}

TEST(taskloop, without_a_clause_is_some_tasks_athread) {
  const loop_cut many = cut({1'000'000, loop_schedule::none, 0, false, kThreads});
  EXPECT_GE(many.tasks, 4 * kThreads);
  EXPECT_LE(many.tasks, 100 * kThreads);
  EXPECT_EQ(cut({1'000'000, loop_schedule::none, 0, false, 2 * kThreads}).tasks, 2 * many.tasks);
  EXPECT_EQ(pieces({2, loop_schedule::none, 0, false, kThreads}), (sizes{1, 1}));
}

TEST(taskloop, values_that_a_program_should_not_give_are_taken_for_one) {
  EXPECT_EQ(pieces({3, loop_schedule::num_tasks, 0, false, kThreads}), (sizes{3}));
  EXPECT_EQ(pieces({3, loop_schedule::grainsize, 0, false, kThreads}), (sizes{1, 1, 1}));
  EXPECT_EQ(pieces({3, loop_schedule::grainsize, 0, true, kThreads}), (sizes{1, 1, 1}));
}

// ---- properties of all ----

// Every iteration once. Nothing here overflows if the cut is right.
bool is_whole(const loop& of, const loop_cut& made) {
  if (made.tasks < 1 || made.tasks > of.trips || made.iterations < 1 ||
      made.iterations > of.trips) {
    return false;
  }
  if (of.schedule == loop_schedule::grainsize && of.strict) {
    const std::uint64_t before_last = made.tasks - 1;
    if (made.longer != 0 || before_last > (of.trips - 1) / made.iterations) {
      return false;
    }
    const std::uint64_t last = of.trips - before_last * made.iterations;
    return last >= 1 && last <= made.iterations;
  }
  return made.longer < made.tasks && made.iterations == of.trips / made.tasks &&
         made.tasks * made.iterations + made.longer == of.trips;
}

bool keeps_to_its_clause(const loop& of, const loop_cut& made) {
  const std::uint64_t value = std::clamp<std::uint64_t>(of.value, 1, of.trips);
  switch (of.schedule) {
    case loop_schedule::none:
      return made.tasks <= of.trips;
    case loop_schedule::num_tasks:
      return made.tasks == value;
    case loop_schedule::grainsize:
      break;
  }
  const std::uint64_t longest = made.iterations + (made.longer > 0 ? 1 : 0);
  return of.strict ? made.iterations == value : made.iterations >= value && longest - value < value;
}

void expect_well_cut(const loop& of) {
  const loop_cut made = cut(of);
  ASSERT_TRUE(is_whole(of, made) && keeps_to_its_clause(of, made))
      << of.trips << " iterations, schedule " << static_cast<int>(of.schedule) << " of " << of.value
      << (of.strict ? ", strict" : "") << ", " << of.threads << " threads: " << made.tasks
      << " tasks of " << made.iterations << ", " << made.longer << " of them longer";
}

void expect_all_schedules_well_cut(std::uint64_t trips, std::uint64_t value,
                                   std::uint64_t threads) {
  for (const loop_schedule schedule :
       {loop_schedule::none, loop_schedule::grainsize, loop_schedule::num_tasks}) {
    for (const bool strict : {false, true}) {
      expect_well_cut({trips, schedule, value, strict, threads});
    }
  }
}

TEST(taskloop, small_ones_are_well_cut) {
  for (std::uint64_t trips = 1; trips <= 60; ++trips) {
    for (std::uint64_t value = 0; value <= 70; ++value) {
      expect_all_schedules_well_cut(trips, value, 1 + value % 5);
    }
  }
}

TEST(taskloop, huge_ones_are_well_cut) {
  constexpr std::array kValues{
      std::uint64_t{1},      std::uint64_t{2}, std::uint64_t{3},  kHuge / 3, kHuge / 2,
      kHuge / 2 + 1,         kHuge / 2 + 2,    kHuge - kHuge / 3, kHuge - 1, kHuge,
      std::uint64_t{1} << 32};
  for (const std::uint64_t trips : kValues) {
    for (const std::uint64_t value : kValues) {
      expect_all_schedules_well_cut(trips, value, 1024);
    }
  }
}

TEST(taskloop, any_are_well_cut) {
  std::mt19937_64 random{6};
  // Of any length: a random number of bits.
  const auto some = [&] { return random() >> (random() % 64); };
  for (int i = 0; i < 100'000 && !HasFailure(); ++i) {
    const std::uint64_t trips = std::max<std::uint64_t>(some(), 1);
    expect_all_schedules_well_cut(trips, some(), 1 + random() % 1024);
  }
}

}  // namespace
