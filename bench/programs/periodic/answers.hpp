// The timed loop, the same source for every runtime.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <array>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "finegrain/host/affinity.hpp"
#include "kernels/spin/spin_kernel.hpp"
#include "programs/fork_join/runtime.hpp"
#include "programs/frame/program_errors.hpp"
#include "programs/periodic/ticks.hpp"

namespace fg::bench {

/// What is measured.
struct periodic_plan {
  std::chrono::microseconds period{2000};
  double jitter = 0.0;           ///< share of the period, below a half
  std::uint64_t half_steps = 1;  ///< of the spin kernel's chain, in each half of an answer
  std::uint64_t answers = 1000;  ///< timed ones
  std::uint64_t warmup = 20;     ///< ticks before those
  std::uint64_t seed = 1;        ///< of the jitter
  cpu_pair cpus;
};

/// What was measured.
struct periodic_result {
  std::vector<std::int64_t> ns;  ///< of each answer
  std::uint64_t missed = 0;      ///< answers that had not ended by the time of the next tick
  double work_ns = 0.0;          ///< both halves, one after the other, back to back
  double burned_share = 0.0;     ///< CPU time of the process besides its work, over wall time
  double elsewhere = 0.0;        ///< share of the tasks that ran on another thread
  int main_cpu = -1;
  std::set<int> task_cpus;
};

/// A runtime that wants to know when a tick's sleep is over and when its answer has ended.
template <class ForkJoin>
concept follows_ticks = requires(ForkJoin& pair) {
  pair.tick_came();
  pair.answer_ended();
};

namespace detail {

// Its address identifies a thread at the cost of one instruction.
inline thread_local const char periodic_thread_tag = 0;

/// The half that is a task: counts its runs, and those on another thread than the maker's. The
/// counts are next to the kernel, on lines that stay with the thread that runs the tasks.
class alignas(128) counted_half {
 public:
  explicit counted_half(std::uint64_t steps) : kernel_{steps} {}

  void operator()() noexcept {
    kernel_.run();
    ++runs_;
    elsewhere_ += static_cast<std::uint64_t>(&periodic_thread_tag != main_thread_);
  }
  [[nodiscard]] spin_kernel& kernel() noexcept { return kernel_; }
  [[nodiscard]] std::uint64_t runs() const noexcept { return runs_; }
  [[nodiscard]] std::uint64_t elsewhere() const noexcept { return elsewhere_; }

 private:
  spin_kernel kernel_;
  const char* main_thread_ = &periodic_thread_tag;
  std::uint64_t runs_ = 0;
  std::uint64_t elsewhere_ = 0;
};

}  // namespace detail

/// Answers to ticks: at each one half of the work is a task of a runtime, the other half runs on the
/// calling thread, and the answer ends when both have. To be used once.
class periodic_answers {
 public:
  explicit periodic_answers(const periodic_plan& plan) : plan_{plan}, own_{plan.half_steps} {
    result_.ns.reserve(plan.answers);
  }

  /// Sleeps from tick to tick on the calling thread, the main one, and times the answers. First
  /// come some answers without ticks, each checked. Throws wrong_result if a task did not run
  /// exactly once before its answer ended, or computed something else.
  template <class ForkJoin>
  void measure(ForkJoin& pair) {
    detail::counted_half task{plan_.half_steps};
    check_answers(pair, task);
    result_.work_ns = time_of_work();
    // Threads that the runtime starts have its own slack: so not before the first answers.
    sleep_precisely();
    task.kernel().clear();
    own_.clear();
    const std::uint64_t before = task.runs();

    ticks ticks{plan_};
    run_ticks(pair, task, ticks, plan_.warmup, [](std::chrono::nanoseconds, bool) {});
    const std::uint64_t elsewhere = task.elsewhere();
    const clock::time_point begin = clock::now();
    const double cpu_ns = process_cpu_ns();
    run_ticks(pair, task, ticks, plan_.answers, [this](std::chrono::nanoseconds took, bool late) {
      result_.ns.push_back(took.count());
      result_.missed += static_cast<std::uint64_t>(late);
    });
    const double wall_ns = std::chrono::duration<double, std::nano>{clock::now() - begin}.count();
    const auto answers = static_cast<double>(plan_.answers);
    const double worked_ns = answers * result_.work_ns;
    result_.burned_share = (process_cpu_ns() - cpu_ns - worked_ns) / wall_ns;
    result_.elsewhere = static_cast<double>(task.elsewhere() - elsewhere) / answers;

    require_runs(task.runs() - before, plan_.warmup + plan_.answers);
    require_none(task.kernel().check());
    require_none(own_.check());
  }

  [[nodiscard]] const periodic_result& result() const noexcept { return result_; }

 private:
  using clock = std::chrono::steady_clock;
  // Longer than the threads that there are to start, and their first sleeps; 3 ms at 200 us.
  static constexpr int kCheckedAnswers = 16;
  static constexpr std::chrono::microseconds kCheckedFor{200};
  static constexpr std::size_t kTimedWork =
      25;  // halves: their median is one that nobody disturbed

  // The ticks of one measurement: the next one, and the schedule of the rest.
  struct ticks {
    explicit ticks(const periodic_plan& plan)
        : schedule{plan.period, plan.jitter, plan.seed},
          begin{clock::now()},
          next{begin + schedule.next()} {}

    // Goes on to the first tick that has not passed yet; says whether one has.
    bool advance(clock::time_point now) {
      next = begin + schedule.next();
      const bool late = next < now;
      while (next < now) {
        next = begin + schedule.next();
      }
      return late;
    }

    tick_schedule schedule;
    clock::time_point begin;
    clock::time_point next;
  };

  template <class ForkJoin, class Note>
  void run_ticks(ForkJoin& pair, detail::counted_half& task, ticks& ticks, std::uint64_t count,
                 const Note& note) {
    auto own = [this]() noexcept { own_.run(); };
    for (std::uint64_t i = 0; i < count; ++i) {
      sleep_until(ticks.next);
      const clock::time_point begin = clock::now();
      if constexpr (follows_ticks<ForkJoin>) {
        pair.tick_came();
      }
      pair(task, own);
      const clock::time_point end = clock::now();
      if constexpr (follows_ticks<ForkJoin>) {
        pair.answer_ended();
      }
      note(end - begin, ticks.advance(end));
    }
  }

  // Answers one after the other, long enough for another thread to take the tasks.
  template <class ForkJoin>
  void check_answers(ForkJoin& pair, detail::counted_half& task) {
    const auto stay = [] {
      for (const clock::time_point until = clock::now() + kCheckedFor; clock::now() < until;) {
      }
    };
    int task_cpu = -1;
    auto located_task = [&]() noexcept { stay(), task(), task_cpu = current_cpu(); };
    auto located_own = [&]() noexcept { stay(), own_.run(), result_.main_cpu = current_cpu(); };
    for (std::uint64_t i = 1; i <= kCheckedAnswers; ++i) {
      pair(located_task, located_own);
      require_runs(task.runs(), i);
      result_.task_cpus.insert(task_cpu);
    }
  }

  // Both halves on this thread, ns.
  double time_of_work() {
    std::array<double, kTimedWork> taken{};
    for (double& each : taken) {
      const clock::time_point begin = clock::now();
      own_.run();
      each = std::chrono::duration<double, std::nano>{clock::now() - begin}.count();
    }
    std::ranges::nth_element(taken, taken.begin() + kTimedWork / 2);
    return 2 * taken[kTimedWork / 2];
  }

  static void require_runs(std::uint64_t runs, std::uint64_t tasks) {
    if (runs != tasks) {
      throw wrong_result(std::to_string(tasks) + " tasks ran " + std::to_string(runs) + " times");
    }
  }

  periodic_plan plan_;
  spin_kernel own_;
  periodic_result result_;
};

}  // namespace fg::bench
