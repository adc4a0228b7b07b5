// The timed part: one loop over and over on a runtime, and the proof that each element was done.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "finegrain/host/affinity.hpp"
#include "kernels/spin/lcg_chain.hpp"
#include "programs/frame/program_errors.hpp"
#include "programs/loops/loop_work.hpp"

namespace fg::bench {

struct loop_plan {
  std::size_t elements = 0;
  std::uint64_t steps = 0;
  std::uint64_t loops = 1;  ///< of a batch
  int batches = 1;
  std::chrono::nanoseconds warmup{0};
};

struct loop_result {
  std::vector<double> ns;  ///< of a loop, a number a batch
  double elsewhere = 0;    ///< share of the elements on another CPU than the calling thread's
  std::set<int> cpus;      ///< where elements ran
};

/// Runs loops and times them. A loop is `loop(work)`, which calls `work(i)` for each element and
/// returns when all calls have.
class timed_loops {
 public:
  explicit timed_loops(const loop_plan& plan)
      : plan_{plan},
        results_(plan.elements),
        work_{.elements = plan.elements, .steps = plan.steps, .results = results_.data()} {}

  timed_loops(const timed_loops&) = delete;
  timed_loops& operator=(const timed_loops&) = delete;

  /// Warms up, times the batches, and sees where the elements run. The last loop of each batch is
  /// checked, element by element: throws wrong_result. Call it once.
  template <class Loop>
  void measure(Loop&& loop) {
    const auto end = clock::now() + plan_.warmup;
    do {
      run_batch(loop);
    } while (clock::now() < end);
    for (int batch = 0; batch < plan_.batches; ++batch) {
      result_.ns.push_back(run_batch(loop));
    }
    locate(loop);
  }

  [[nodiscard]] std::size_t elements() const noexcept { return plan_.elements; }
  [[nodiscard]] const loop_result& result() const noexcept { return result_; }

 private:
  using clock = std::chrono::steady_clock;
  // To note a CPU makes an element longer: of so few loops the controllers of ours learn little.
  static constexpr int kLocatedLoops = 2;

  template <class Loop>
  double run_batch(Loop& loop) {
    const clock::time_point begin = clock::now();
    for (std::uint64_t i = 0; i < plan_.loops; ++i) {
      ++work_.seed;
      loop(std::as_const(work_));
    }
    const std::chrono::duration<double, std::nano> taken = clock::now() - begin;
    check();
    return taken.count() / static_cast<double>(plan_.loops);
  }

  void check() const {
    for (std::size_t i = 0; i < plan_.elements; ++i) {
      const std::uint64_t end = jump_lcg_chain(work_.seed + i, plan_.steps);
      if (results_[i] != loop_work::result_of(end)) {
        throw wrong_result("element " + std::to_string(i) + " of " +
                           std::to_string(plan_.elements) + " has another loop's result, or none");
      }
    }
  }

  template <class Loop>
  void locate(Loop& loop) {
    const int own_cpu = fg::current_cpu();
    std::vector<std::int32_t> cpus(plan_.elements);
    work_.cpus = cpus.data();
    work_.current_cpu = [] { return static_cast<std::int32_t>(fg::current_cpu()); };
    std::size_t elsewhere = 0;
    for (int i = 0; i < kLocatedLoops; ++i) {
      ++work_.seed;
      loop(std::as_const(work_));
      for (const std::int32_t cpu : cpus) {
        elsewhere += cpu == own_cpu ? 0U : 1U;
        result_.cpus.insert(cpu);
      }
    }
    check();
    result_.elsewhere =
        static_cast<double>(elsewhere) / static_cast<double>(kLocatedLoops * plan_.elements);
  }

  loop_plan plan_;
  std::vector<std::uint32_t> results_;
  loop_work work_;
  loop_result result_;
};

}  // namespace fg::bench
