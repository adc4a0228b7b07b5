// The timed loop, the same source for every runtime.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <future>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <thread>

#include "finegrain/host/affinity.hpp"
#include "kernels/kernel.hpp"
#include "programs/fork_join/runtime.hpp"

namespace fg::bench {

/// What a sample measures.
struct sample_plan {
  std::string case_name;
  std::uint64_t iterations = 0;
  std::uint64_t warmup = 0;
  /// Longest time for the timed part, ms; 0 for no limit.
  std::uint64_t max_ms = 0;
  /// If set, the sample is of the task thread's neighbour: how often it gets a task, us; 0: once.
  std::optional<std::uint64_t> task_every_us;
  cpu_pair cpus;
};

/// What was measured.
struct sample_result {
  std::uint64_t iterations = 0;
  double ns = 0.0;  // wall time of one iteration
  double offloaded_share = 0.0;
  int main_cpu = -1;
  std::set<int> task_cpus;
};

namespace detail {

// Its address identifies a thread at the cost of one instruction.
inline thread_local const char thread_tag = 0;

/// The submitted branch: runs the kernel and records whether that was on the main thread. The count
/// is next to the kernel on a line of its own, which stays with the thread that runs the tasks, so
/// that counting transfers no line between the threads.
class alignas(128) observed_task {
 public:
  explicit observed_task(kernel_instance& kernel) : kernel_{kernel} {}

  void operator()() noexcept {
    kernel_.run();
    offloaded_ += static_cast<std::uint64_t>(&thread_tag != main_thread_);
  }
  [[nodiscard]] std::uint64_t offloaded() const noexcept { return offloaded_; }

 private:
  kernel_instance& kernel_;
  const char* main_thread_ = &thread_tag;
  std::uint64_t offloaded_ = 0;
};

}  // namespace detail

/// Two instances of a kernel, checked before and after they are timed.
class sample {
 public:
  /// Throws wrong_arguments for an unknown case (see make_kernel).
  sample(sample_plan plan, const kernel_options& options);

  /// Runs both instances once on the calling thread and checks them; call it before a timing.
  /// Throws wrong_result.
  void check_before();
  /// Checks the results of the timed iterations. Throws wrong_result.
  void check_after() const;

  /// Times the plan's iterations: one instance is a task of `pair`'s runtime, the other runs on the
  /// calling thread, which becomes the main thread. With `task_every_us`: see measure_neighbour.
  template <class ForkJoin>
  void measure(ForkJoin& pair) {
    detail::observed_task task{*task_instance_};
    if (plan_.task_every_us) {
      measure_neighbour(pair, task);
      return;
    }
    auto own = [this]() noexcept { own_instance_->run(); };
    const auto iterate = [&](std::uint64_t iterations) {
      for (std::uint64_t i = 0; i < iterations; ++i) {
        pair(task, own);
      }
    };

    iterate(plan_.warmup);
    const std::uint64_t offloaded_before = task.offloaded();
    const double total_ns = time_iterations(iterate);
    result_.ns = total_ns / static_cast<double>(result_.iterations);
    result_.offloaded_share = static_cast<double>(task.offloaded() - offloaded_before) /
                              static_cast<double>(result_.iterations);
    locate(pair);
  }

  [[nodiscard]] const sample_result& result() const noexcept { return result_; }

 private:
  using clock = std::chrono::steady_clock;
  static constexpr std::uint64_t kIterationsPerClockRead = 64;
  // 16 tasks of 200 us: long compared with a wake-up (86 us for Taskflow in this VM), 3 ms per
  // process.
  static constexpr int kLocateIterations = 16;
  static constexpr std::chrono::microseconds kLocateFor{200};

  // Times an instance that runs over and over on a thread that the runtime does not know, on the
  // CPU of the thread that takes tasks: what that one uses while it is idle, this one lacks.
  // Meanwhile the main thread hands over a task every `task_every_us` and sleeps in between.
  template <class ForkJoin>
  void measure_neighbour(ForkJoin& pair, detail::observed_task& task) {
    const auto nothing = []() noexcept {};
    const auto repeat = [this](std::uint64_t iterations) {
      for (std::uint64_t i = 0; i < iterations; ++i) {
        own_instance_->run();
      }
    };
    locate(pair);
    const std::uint64_t offloaded_before = task.offloaded();
    std::uint64_t tasks = 1;
    std::promise<void> done;
    const std::future<void> is_done = done.get_future();
    pair(task, nothing);
    std::thread neighbour{[&] {
      static_cast<void>(pin_this_thread(plan_.cpus.assistant));
      repeat(plan_.warmup);
      const double total_ns = time_iterations(repeat);
      result_.ns = total_ns / static_cast<double>(result_.iterations);
      done.set_value();
    }};
    if (*plan_.task_every_us != 0) {
      const std::chrono::microseconds period{*plan_.task_every_us};
      while (is_done.wait_for(period) != std::future_status::ready) {
        pair(task, nothing);
        ++tasks;
      }
    }
    neighbour.join();
    result_.offloaded_share =
        static_cast<double>(task.offloaded() - offloaded_before) / static_cast<double>(tasks);
  }

  // Returns nanoseconds and sets result_.iterations.
  template <class Iterate>
  double time_iterations(const Iterate& iterate) {
    const clock::duration limit = plan_.max_ms == 0
                                      ? clock::duration::max()
                                      : clock::duration{std::chrono::milliseconds{plan_.max_ms}};
    std::uint64_t done = 0;
    clock::duration elapsed{};
    const clock::time_point start = clock::now();
    do {
      const std::uint64_t left = plan_.iterations - done;
      const std::uint64_t now = left < kIterationsPerClockRead ? left : kIterationsPerClockRead;
      iterate(now);
      done += now;
      elapsed = clock::now() - start;
    } while (done < plan_.iterations && elapsed < limit);
    result_.iterations = done;
    return std::chrono::duration<double, std::nano>{elapsed}.count();
  }

  // Some untimed iterations, long enough for another thread to take the task.
  template <class ForkJoin>
  void locate(ForkJoin& pair) {
    const auto stay = [] {
      for (const clock::time_point until = clock::now() + kLocateFor; clock::now() < until;) {
      }
    };
    int task_cpu = -1;
    int main_cpu = -1;
    auto task = [&]() noexcept { stay(), task_cpu = current_cpu(); };
    auto own = [&]() noexcept { stay(), main_cpu = current_cpu(); };
    for (int i = 0; i < kLocateIterations; ++i) {
      pair(task, own);
      result_.task_cpus.insert(task_cpu);
      result_.main_cpu = main_cpu;
    }
  }

  sample_plan plan_;
  std::unique_ptr<kernel_instance> task_instance_;
  std::unique_ptr<kernel_instance> own_instance_;
  sample_result result_;
};

}  // namespace fg::bench
