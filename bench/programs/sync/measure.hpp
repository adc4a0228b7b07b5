// Times threads that take turns at incrementing one integer.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <exception>
#include <numeric>
#include <string>
#include <thread>
#include <vector>

#include "finegrain/core/atomic.hpp"
#include "finegrain/core/clock.hpp"
#include "finegrain/host/affinity.hpp"
#include "programs/frame/program_errors.hpp"
#include "programs/sync/cpu_set.hpp"
#include "programs/sync/cycle_timer.hpp"
#include "programs/sync/mechanisms.hpp"

namespace fg::bench {

/// What is measured.
struct sync_plan {
  int threads = 1;
  std::vector<int> cpus{0, 1};
  int batches = 5;
  std::uint64_t operations = 0;  ///< per thread and batch; 0: as many as take `batch_ms`
  int batch_ms = 20;

  /// Where thread `index` may run: on a CPU of its own, or on all CPUs if there are too few.
  [[nodiscard]] std::vector<int> cpus_of(std::size_t index) const {
    return pinned() ? std::vector<int>{cpus.at(index)} : cpus;
  }
  [[nodiscard]] bool pinned() const { return static_cast<std::size_t>(threads) <= cpus.size(); }
};

/// The measurements.
struct sync_sample {
  std::uint64_t operations = 0;  ///< per thread and batch
  std::vector<double> ticks;     ///< per operation, mean over the threads; one number per batch
  std::vector<int> cpus;         ///< where threads were seen, ascending
};

namespace detail {

/// The result of one thread in a batch.
struct turn_taker {
  std::uint64_t ticks = 0;
  std::uint64_t tickets = 0;  ///< the sum of what `next` returned
  int cpu = -1;
  std::exception_ptr refusal;  ///< why it could not run where it should
};

/// One batch: all threads are running before any begins, and each has its own time.
struct sync_batch {
  std::vector<turn_taker> threads;
  std::uint64_t value = 0;  ///< of the integer, in the end

  [[nodiscard]] double mean_ticks() const {
    const auto add = [](double sum, const turn_taker& one) {
      return sum + static_cast<double>(one.ticks);
    };
    return std::accumulate(threads.begin(), threads.end(), 0.0, add) /
           static_cast<double>(threads.size());
  }
};

template <sync_mechanism Mechanism>
void take_turns(Mechanism& shared, turn_taker& mine, std::uint64_t operations) {
  const std::uint64_t first = cycle_timer::start();
  std::uint64_t tickets = 0;
  for (std::uint64_t i = 0; i < operations; ++i) {
    tickets += shared.next();
  }
  mine.ticks = cycle_timer::stop() - first;
  mine.tickets = tickets;
  mine.cpu = current_cpu();
}

template <sync_mechanism Mechanism>
sync_batch run_batch(const sync_plan& plan, std::uint64_t operations) {
  sync_batch batch;
  batch.threads.resize(static_cast<std::size_t>(plan.threads));
  Mechanism shared;
  atomic<std::size_t> arrived{0};
  const auto run = [&](std::size_t index) {
    turn_taker& mine = batch.threads[index];
    try {
      require_cpus(plan.cpus_of(index));
    } catch (...) {
      mine.refusal = std::current_exception();
    }
    // Release and acquire: nothing of a batch happens before all threads have arrived.
    arrived.fetch_add(1, memory_order_acq_rel);
    // Acquire: pairs with the release of every arrival, since additions continue one another's
    // release.
    while (arrived.load(memory_order_acquire) != batch.threads.size()) {
      std::this_thread::yield();  // there may be more threads than CPUs
    }
    if (!mine.refusal) {
      take_turns(shared, mine, operations);
    }
  };
  {
    std::vector<std::jthread> threads;
    threads.reserve(batch.threads.size());
    for (std::size_t index = 0; index < batch.threads.size(); ++index) {
      threads.emplace_back(run, index);
    }
  }
  batch.value = shared.value();
  return batch;
}

/// Throws what kept a thread from running, and wrong_result unless every operation has added one
/// and the returned numbers add up as if each had been returned once.
inline void require_right(const sync_batch& batch, std::uint64_t operations) {
  std::uint64_t tickets = 0;
  for (const turn_taker& one : batch.threads) {
    if (one.refusal) {
      std::rethrow_exception(one.refusal);
    }
    tickets += one.tickets;
  }
  const std::uint64_t all = operations * batch.threads.size();
  if (batch.value != all) {
    throw wrong_result(std::to_string(all) + " operations counted to " +
                       std::to_string(batch.value));
  }
  // 0 + 1 + … + all - 1, without the overflow of the product.
  const std::uint64_t wanted = all % 2 == 0 ? all / 2 * (all - 1) : (all - 1) / 2 * all;
  if (tickets != wanted) {
    throw wrong_result("the numbers that " + std::to_string(all) + " operations got do not add up");
  }
}

template <sync_mechanism Mechanism>
sync_batch checked_batch(const sync_plan& plan, std::uint64_t operations) {
  sync_batch batch = run_batch<Mechanism>(plan, operations);
  require_right(batch, operations);
  return batch;
}

/// The least number of operations, a power of two times a thousand, whose batch takes the time. The
/// shorter of two batches counts: in one of them a thread may have been late.
template <sync_mechanism Mechanism>
std::uint64_t fitting_operations(const sync_plan& plan) {
  constexpr std::uint64_t kLeast = 1'000;
  constexpr std::uint64_t kMost = kLeast << 20;  // a billion, the paper's number
  const double wanted_ticks = 1e6 * plan.batch_ms * ticks_per_ns();
  std::uint64_t operations = kLeast;
  while (operations < kMost) {
    const double once = checked_batch<Mechanism>(plan, operations).mean_ticks();
    if (std::min(once, checked_batch<Mechanism>(plan, operations).mean_ticks()) >= wanted_ticks) {
      break;
    }
    operations *= 2;
  }
  return operations;
}

inline void note_cpus(std::vector<int>& seen, const sync_batch& batch) {
  for (const turn_taker& one : batch.threads) {
    const auto at = std::ranges::lower_bound(seen, one.cpu);
    if (at == seen.end() || *at != one.cpu) {
      seen.insert(at, one.cpu);
    }
  }
}

}  // namespace detail

/// Measures a mechanism: a warm-up batch, then `plan.batches` timed ones, each of them checked.
/// Throws wrong_result, std::runtime_error.
template <sync_mechanism Mechanism>
sync_sample measure_sync(const sync_plan& plan) {
  sync_sample sample;
  sample.operations =
      plan.operations != 0 ? plan.operations : detail::fitting_operations<Mechanism>(plan);
  for (int batch = -1; batch < plan.batches; ++batch) {  // the first one is the warm-up
    const detail::sync_batch ended = detail::checked_batch<Mechanism>(plan, sample.operations);
    if (batch >= 0) {
      sample.ticks.push_back(ended.mean_ticks() / static_cast<double>(sample.operations));
      detail::note_cpus(sample.cpus, ended);
    }
  }
  return sample;
}

}  // namespace fg::bench
