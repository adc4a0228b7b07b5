// The simulator counts what theory says of locks of known shape, at every number of threads.
// SPDX-License-Identifier: Apache-2.0
#include "sim/known_shapes.hpp"

#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <thread>
#include <vector>

#include "sim/simulator/simulator.hpp"

namespace {

// Two packages: transfers of two lengths.
sim::machine small_machine() {
  sim::machine it;
  it.cores_a_cluster = 128;
  it.packages = 2;
  it.pause = 40;
  it.within_cluster = it.within_package = 100;
  it.between_packages = 300;
  it.memory = 200;
  it.occupancy = 10;
  it.system_call = 500;
  it.wake = 1000;
  it.wake_up = 5000;
  return it;
}

// Long enough for all that wait to have looked again, one after the other, before the next change.
constexpr double kInsideNs = 10e3;
// Those of each thread, and between which of the first one's it is counted: when all threads want
// their next one.
constexpr int kTurns = 8;
constexpr int kBegin = 1;
constexpr int kEnd = 4;

struct counted_operations {
  std::uint64_t operations = 0;
  sim::counts counts;
};

// Runs `operation` of a shape on each thread, again and again.
template <class Shape, class Operation>
counted_operations count_steady(std::uint64_t threads, std::uint64_t seed, Operation operation) {
  counted_operations found;
  sim::simulator simulated{small_machine(), seed};
  simulated.run([&] {
    const auto shape = std::make_unique<Shape>();
    std::vector<std::thread> others;
    for (std::uint64_t i = 1; i < threads; ++i) {
      others.emplace_back([&] {
        for (int turn = 0; turn < kTurns; ++turn) {
          operation(*shape);
        }
      });
    }
    sim::counts begin;
    for (int turn = 0; turn < kTurns; ++turn) {
      operation(*shape);
      if (turn == kBegin) {
        begin = sim::counted();
      } else if (turn == kEnd) {
        found.counts.add(sim::counted(), begin, 1);
        found.operations = static_cast<std::uint64_t>(kEnd - kBegin) * threads;
      }
    }
    for (std::thread& each : others) {
      each.join();
    }
  });
  return found;
}

void hold(sim::ticket_lock& lock, double ns) {
  lock.lock();
  sim::spend_ns(ns);
  lock.unlock();
}

template <class Shape>
void expect_what_theory_says(const counted_operations& found, std::uint64_t threads) {
  EXPECT_EQ(found.counts[sim::count::line_transfers], found.operations * Shape::lines(threads));
  EXPECT_EQ(found.counts[sim::count::invalidations],
            found.operations * Shape::invalidations(threads));
  EXPECT_EQ(found.counts[sim::count::read_modify_writes], found.operations);
}

class known_shapes : public testing::TestWithParam<std::uint64_t> {};

TEST_P(known_shapes, a_ticket_lock_moves_a_line_for_each_thread_that_waits) {
  expect_what_theory_says<sim::ticket_lock>(
      count_steady<sim::ticket_lock>(GetParam(), 1, [](auto& lock) { hold(lock, kInsideNs); }),
      GetParam());
}

TEST_P(known_shapes, a_central_queue_moves_the_same_number_of_lines_whoever_waits) {
  expect_what_theory_says<sim::central_queue>(
      count_steady<sim::central_queue>(GetParam(), 1, [](auto& queue) { queue.pop(kInsideNs); }),
      GetParam());
}

INSTANTIATE_TEST_SUITE_P(of, known_shapes, testing::Values(1, 2, 3, 8, 64, 128, 192, 256),
                         [](const auto& each) { return std::to_string(each.param); });

// One access and one pause a look: what a parked thread is said to have done is what it would have.
TEST(parked, a_thread_counts_its_looks) {
  alignas(64) static std::atomic<bool> is_set{false};
  constexpr double kNs = 1e6;
  sim::counts found;
  sim::simulator simulated{small_machine(), 1};
  simulated.run([&] {
    std::thread setter{[] {
      sim::spend_ns(kNs);
      is_set.store(true, std::memory_order_release);
    }};
    const sim::counts begin = sim::counted();
    while (!is_set.load(std::memory_order_acquire)) {
      sim::pause();
    }
    found.add(sim::counted(), begin, 1);
    setter.join();
  });
  const sim::machine on = small_machine();
  const auto shortest_look = static_cast<double>(on.pause + on.hit);
  const auto looks = static_cast<double>(found[sim::count::looks]);
  EXPECT_LE(looks, kNs / shortest_look + 2);
  EXPECT_GE(looks, kNs / (shortest_look * 9 / 8));  // pauses are up to an eighth longer
}

TEST(seeds, the_same_one_gives_the_same_run) {
  const auto run = [](std::uint64_t seed) {
    const auto briefly = [](auto& lock) { hold(lock, 100); };
    return count_steady<sim::ticket_lock>(8, seed, briefly).counts;
  };
  EXPECT_EQ(run(1), run(1));
  EXPECT_NE(run(1), run(2));
}

}  // namespace
