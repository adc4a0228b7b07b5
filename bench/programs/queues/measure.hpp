// The timed loops of the queue experiment.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <exception>
#include <memory>
#include <string>
#include <vector>

#include "finegrain/host/affinity.hpp"
#include "programs/frame/second_thread.hpp"
#include "programs/queues/numbered_items.hpp"
#include "programs/sync/cycle_timer.hpp"

namespace fg::bench {

/// What is measured.
struct queue_plan {
  int other_cpu = 1;
  int batches = 5;
  std::uint64_t items = 50'000;  ///< per batch
  time_limit give_up{10'000};    ///< when a queue counts as wrong; much longer than a host stalls
};

/// The measurements.
struct queue_sample {
  std::vector<double> ticks;  ///< per item; one number per batch
  std::vector<int> cpus;      ///< of the other thread; empty without one
};

namespace detail {

/// Runs both sides to their ends, even if one throws; of two exceptions the other thread's is
/// thrown.
template <class Body>
void run_beside(second_thread& other, Body body) {
  std::exception_ptr fault;
  try {
    body();
  } catch (...) {
    fault = std::current_exception();
  }
  other.join();
  if (fault) {
    std::rethrow_exception(fault);
  }
}

/// Ticks of one item there and back, halved: the latency of an item to the other thread.
template <class Queue>
std::uint64_t one_way_ticks(const queue_plan& plan) {
  const auto there = std::make_unique<Queue>();
  const auto back = std::make_unique<Queue>();
  second_thread other{plan.other_cpu, [&plan, &there = *there, &back = *back] {
                        numbered_consumer<Queue> in{there, plan.give_up};
                        numbered_producer<Queue> out{back, plan.give_up};
                        for (std::uint64_t i = 0; i < plan.items; ++i) {
                          in.pop();
                          out.push();
                        }
                      }};
  numbered_producer<Queue> out{*there, plan.give_up};
  numbered_consumer<Queue> in{*back, plan.give_up};
  std::uint64_t passed = 0;
  run_beside(other, [&] {
    const std::uint64_t first = cycle_timer::start();
    for (std::uint64_t i = 0; i < plan.items; ++i) {
      out.push();
      in.pop();
    }
    passed = cycle_timer::stop() - first;
  });
  in.require_end();
  numbered_consumer<Queue>{*there, plan.give_up}.require_end();
  return passed / 2;
}

/// Ticks of a push and the pop of that item, on one thread.
template <class Queue>
std::uint64_t push_pop_ticks(const queue_plan& plan) {
  const auto queue = std::make_unique<Queue>();
  numbered_producer<Queue> in{*queue, plan.give_up};
  numbered_consumer<Queue> out{*queue, plan.give_up};
  const std::uint64_t first = cycle_timer::start();
  for (std::uint64_t i = 0; i < plan.items; ++i) {
    in.push();
    out.pop();
  }
  const std::uint64_t passed = cycle_timer::stop() - first;
  out.require_end();
  return passed;
}

/// Ticks from the first push to the last pop, one thread pushing and the other one popping.
template <class Queue>
std::uint64_t stream_ticks(const queue_plan& plan) {
  const auto queue = std::make_unique<Queue>();
  std::uint64_t last = 0;
  second_thread other{plan.other_cpu, [&plan, &queue = *queue, &last] {
                        numbered_consumer<Queue> in{queue, plan.give_up};
                        for (std::uint64_t i = 0; i < plan.items; ++i) {
                          in.pop();
                        }
                        last = cycle_timer::stop();
                      }};
  numbered_producer<Queue> out{*queue, plan.give_up};
  std::uint64_t first = 0;
  run_beside(other, [&] {
    first = cycle_timer::start();
    for (std::uint64_t i = 0; i < plan.items; ++i) {
      out.push();
    }
  });
  numbered_consumer<Queue>{*queue, plan.give_up}.require_end();
  return last - first;
}

}  // namespace detail

/// A kind of measurement: `time` times one batch of a queue, in ticks.
struct queue_measure {
  std::uint64_t (*time)(const queue_plan&);
  bool two_threads;
};

/// Measures a queue: a warm-up batch, then `plan.batches` timed ones. In each, every item has to
/// arrive once and in order. Requires: the calling thread is pinned to the main CPU. Throws
/// wrong_result, std::runtime_error.
inline queue_sample measure_queue(const queue_measure& measure, const queue_plan& plan) {
  queue_sample sample;
  for (int batch = -1; batch < plan.batches; ++batch) {  // the first one is the warm-up
    const std::uint64_t ticks = measure.time(plan);
    if (batch >= 0) {
      sample.ticks.push_back(static_cast<double>(ticks) / static_cast<double>(plan.items));
    }
  }
  if (measure.two_threads) {
    sample.cpus.push_back(plan.other_cpu);
  }
  return sample;
}

}  // namespace fg::bench
