// Loops are timed and checked, and an element takes as long as it is said to.
// SPDX-License-Identifier: Apache-2.0
#include "programs/loops/timed_loops.hpp"

#include <gtest/gtest.h>

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <set>

#include "finegrain/host/affinity.hpp"
#include "programs/frame/program_errors.hpp"
#include "programs/loops/loop_work.hpp"

namespace {

using fg::bench::loop_plan;
using fg::bench::loop_work;
using fg::bench::run_serially;
using fg::bench::timed_loops;

constexpr loop_plan kPlan{.elements = 100, .steps = 5, .loops = 3, .batches = 4};

// Called on the main thread alone, and so not atomic.
struct counted_loop {
  std::uint64_t* loops;
  void operator()(const loop_work& work) const {
    ++*loops;
    run_serially(work);
  }
};

TEST(timed_loops, every_batch_is_timed_and_one_ahead_warms_up) {
  timed_loops loops{kPlan};
  std::uint64_t count = 0;
  loops.measure(counted_loop{&count});
  EXPECT_EQ(loops.result().ns.size(), 4U);
  for (const double ns : loops.result().ns) {
    EXPECT_GT(ns, 0);
  }
  EXPECT_EQ(count, (1 + 4) * 3U + 2U);  // two more see where the elements run
}

TEST(timed_loops, warming_up_takes_the_time_that_it_is_given) {
  loop_plan plan = kPlan;
  plan.warmup = std::chrono::milliseconds{5};
  timed_loops loops{plan};
  const auto begin = std::chrono::steady_clock::now();
  loops.measure(run_serially);
  EXPECT_GE(std::chrono::steady_clock::now() - begin, plan.warmup);
}

TEST(timed_loops, elements_here_are_not_elsewhere) {
  timed_loops loops{kPlan};
  ASSERT_FALSE(fg::pin_this_thread(fg::usable_cpus().front()));
  loops.measure(run_serially);
  EXPECT_EQ(loops.result().elsewhere, 0);
  EXPECT_EQ(loops.result().cpus, std::set<int>{fg::usable_cpus().front()});
}

TEST(timed_loops, elements_on_another_cpu_are_elsewhere) {
  timed_loops loops{kPlan};
  loops.measure([](const loop_work& work) {
    run_serially(work);
    for (std::size_t i = 0; work.cpus != nullptr && i < work.elements / 4; ++i) {
      work.cpus[i] = 12345;
    }
  });
  EXPECT_EQ(loops.result().elsewhere, 0.25);
  EXPECT_TRUE(loops.result().cpus.contains(12345));
}

TEST(timed_loops, an_element_that_is_left_out_is_a_wrong_result) {
  for (const std::size_t lost : {std::size_t{0}, kPlan.elements / 2, kPlan.elements - 1}) {
    timed_loops loops{kPlan};
    EXPECT_THROW(loops.measure([lost](const loop_work& work) {
      for (std::size_t i = 0; i < work.elements; ++i) {
        if (i != lost) {
          work(i);
        }
      }
    }),
                 fg::bench::wrong_result);
  }
}

TEST(timed_loops, a_loop_that_is_left_out_is_a_wrong_result) {
  timed_loops loops{kPlan};
  std::uint64_t number = 0;
  EXPECT_THROW(loops.measure([&number](const loop_work& work) {
    if (++number != 9) {  // the last one of the second timed batch
      run_serially(work);
    }
  }),
               fg::bench::wrong_result);
}

TEST(loop_work, the_steps_of_an_element_grow_with_its_length) {
  const std::uint64_t shortest = fg::bench::steps_of_element(0.1);
  const std::uint64_t middle = fg::bench::steps_of_element(20);
  const std::uint64_t longest = fg::bench::steps_of_element(200);
  EXPECT_EQ(shortest, 1U);
  EXPECT_GT(middle, shortest);
  EXPECT_GT(longest, 3 * middle);
}

}  // namespace
