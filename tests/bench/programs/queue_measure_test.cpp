// The check in every batch refuses queues that lose, repeat or reorder items.
// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <array>
#include <chrono>
#include <cstdint>
#include <stdexcept>
#include <string>

#include "finegrain/host/affinity.hpp"
#include "programs/queues/measure.hpp"
#include "programs/queues/mutex_ring.hpp"

namespace {

using fg::bench::queue_measure;
using fg::bench::queue_plan;
using fg::bench::queued_task;

using ring = fg::bench::mutex_ring<queued_task, 128>;

template <class Queue>
constexpr std::array<queue_measure, 3> kMeasures{{
    {&fg::bench::detail::one_way_ticks<Queue>, true},
    {&fg::bench::detail::push_pop_ticks<Queue>, false},
    {&fg::bench::detail::stream_ticks<Queue>, true},
}};

constexpr std::uint64_t kItems = 200;
constexpr std::chrono::minutes kPatient{1};           // a busy host may stall for a while
constexpr std::chrono::milliseconds kImpatient{300};  // if a queue is known to stop

queue_plan plan_of(fg::bench::time_limit give_up) {
  return {.other_cpu = fg::usable_cpus().back(), .batches = 2, .items = kItems, .give_up = give_up};
}

// The error of every measure, one after the other.
template <class Queue>
std::string complaints(fg::bench::time_limit give_up) {
  std::string all;
  for (const queue_measure& measure : kMeasures<Queue>) {
    try {
      static_cast<void>(fg::bench::measure_queue(measure, plan_of(give_up)));
      all += "none; ";
    } catch (const fg::bench::wrong_result& error) {
      all += std::string{error.what()} + "; ";
    }
  }
  return all;
}

// The other thread and the main one may give up in either order, so either reason is possible.
template <class Queue>
void expect_refused() {
  const std::string all = complaints<Queue>(kImpatient);
  EXPECT_EQ(all.find("none"), std::string::npos) << all;
}

TEST(queue_measure, gives_a_number_a_batch) {
  const queue_plan plan = plan_of(kPatient);
  for (const queue_measure& measure : kMeasures<ring>) {
    const fg::bench::queue_sample sample = fg::bench::measure_queue(measure, plan);
    ASSERT_EQ(sample.ticks.size(), 2U);
    for (const double ticks : sample.ticks) {
      EXPECT_GT(ticks, 0);
    }
    EXPECT_EQ(sample.cpus.size(), measure.two_threads ? 1U : 0U);
  }
}

TEST(queue_measure, refuses_a_cpu_that_there_is_not) {
  queue_plan plan = plan_of(kPatient);
  plan.other_cpu = 5'000;
  EXPECT_THROW(fg::bench::measure_queue(kMeasures<ring>[0], plan), std::runtime_error);
  EXPECT_THROW(fg::bench::measure_queue(kMeasures<ring>[2], plan), std::runtime_error);
}

TEST(mutex_ring, is_full_and_empty_at_the_right_time) {
  fg::bench::mutex_ring<int, 3> queue;
  int item = -1;
  EXPECT_FALSE(queue.try_pop(item));
  for (int round = 0; round < 5; ++round) {
    for (int i = 0; i < 3; ++i) {
      EXPECT_TRUE(queue.try_push(i));
    }
    EXPECT_FALSE(queue.try_push(3));
    for (int i = 0; i < 3; ++i) {
      ASSERT_TRUE(queue.try_pop(item));
      EXPECT_EQ(item, i);
    }
    EXPECT_FALSE(queue.try_pop(item));
    EXPECT_EQ(item, 2);
  }
}

// ---- queues that fail at one item, not the first ----

constexpr int kFaultAt = 150;

class drops_one : public ring {
 public:
  bool try_push(const queued_task& task) { return pushes_++ == kFaultAt || ring::try_push(task); }

 private:
  int pushes_ = 0;
};

class repeats_one : public ring {
 public:
  bool try_pop(queued_task& task) {
    if (pops_ == kFaultAt) {
      ++pops_;
      task = last_;
      return true;
    }
    const bool popped = ring::try_pop(task);
    if (popped) {
      ++pops_;
      last_ = task;
    }
    return popped;
  }

 private:
  int pops_ = 0;
  queued_task last_;
};

// Returns an item without its number: what was written is not visible.
class gives_an_old_one : public ring {
 public:
  bool try_pop(queued_task& task) {
    const bool popped = ring::try_pop(task);
    if (popped && pops_++ == kFaultAt) {
      task = {};
    }
    return popped;
  }

 private:
  int pops_ = 0;
};

// Repeats the last item after the end.
class has_one_too_many : public ring {
 public:
  bool try_pop(queued_task& task) {
    if (ring::try_pop(task)) {
      ++pops_;
      return true;
    }
    return pops_ == kItems;
  }

 private:
  std::uint64_t pops_ = 0;
};

class has_no_room : public ring {
 public:
  bool try_push(const queued_task& task) { return pushes_ < kFaultAt && push(task); }

 private:
  bool push(const queued_task& task) {
    const bool pushed = ring::try_push(task);
    pushes_ += static_cast<int>(pushed);
    return pushed;
  }
  int pushes_ = 0;
};

TEST(queue_check, accepts_a_queue_that_is_right) {
  EXPECT_EQ(complaints<ring>(kPatient), "none; none; none; ");
}

TEST(queue_check, refuses_a_lost_item) { expect_refused<drops_one>(); }

TEST(queue_check, refuses_an_item_that_comes_twice) { expect_refused<repeats_one>(); }

TEST(queue_check, refuses_an_item_that_is_another) { expect_refused<gives_an_old_one>(); }

TEST(queue_check, refuses_an_item_after_the_last) {
  const std::string one = "an item came after the last one; ";
  EXPECT_EQ(complaints<has_one_too_many>(kPatient), one + one + one);
}

TEST(queue_check, refuses_a_queue_that_takes_nothing_more) {
  const std::string all = complaints<has_no_room>(kImpatient);
  EXPECT_NE(all.find("no room for item 150; "), std::string::npos) << all;
  EXPECT_EQ(all.find("none"), std::string::npos) << all;
}

}  // namespace
