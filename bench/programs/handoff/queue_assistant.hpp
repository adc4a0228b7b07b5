// A third-party queue with an assistant that consumes it.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <stdexcept>
#include <string>
#include <thread>

#include "finegrain/core/atomic.hpp"
#include "finegrain/core/cache_line.hpp"
#include "finegrain/host/affinity.hpp"
#include "finegrain/wait/wait.hpp"

namespace fg::bench {

/// Tasks go through `Queue`, completions come back as a count on a line of its own: the cheapest
/// way with a single-producer single-consumer queue, and that of relic-2024. What a task returns is
/// on that line too, which the main thread fetches anyway; so it is there until the next task.
///
/// `Queue` has `try_push(task)` and `try_pop(task&)` of its `Queue::task`: a `routine`, null in a
/// task made of nothing, a type `result`, and `run(result&)`. Both threads wait by `Wait`.
template <class Queue, class Wait>
class queue_assistant {
 public:
  using task = typename Queue::task;

  explicit queue_assistant(int assistant_cpu) : assistant_{[this] { assist(); }} {
    if (const std::error_code error = pin_thread(assistant_, assistant_cpu)) {
      stop();
      throw std::runtime_error("cannot run on CPU " + std::to_string(assistant_cpu) + ": " +
                               error.message());
    }
  }
  ~queue_assistant() { stop(); }
  queue_assistant(const queue_assistant&) = delete;
  queue_assistant& operator=(const queue_assistant&) = delete;

  void submit(const task& next) {
    while (!queue_.try_push(next)) {
      relax();
    }
    ++submitted_;
  }

  void wait() const {
    // Acquire: pairs with the release in assist.
    while (completion_.finished.load(memory_order_acquire) != submitted_) {
      relax();
    }
  }

  /// What the last task returned. Only between its `wait` and the next `submit`.
  [[nodiscard]] const typename task::result& result() const noexcept { return completion_.result; }

 private:
  struct alignas(kCacheLineBytes) completion {
    [[no_unique_address]] typename task::result result;
    atomic<std::uint64_t> finished{0};
  };

  static void relax() noexcept {
    Wait::relax(nullptr, [] { return true; });
  }

  // A task without a routine is the last one.
  void assist() {
    task next;
    for (std::uint64_t finished = 0;;) {
      while (!queue_.try_pop(next)) {
        relax();
      }
      if (next.routine == nullptr) {
        return;
      }
      next.run(completion_.result);
      // Release: pairs with the acquire in wait.
      completion_.finished.store(++finished, memory_order_release);
    }
  }

  void stop() {
    if (assistant_.joinable()) {
      submit(task{});
      assistant_.join();
    }
  }

  Queue queue_;
  alignas(kCacheLineBytes) std::uint64_t submitted_ = 0;  // main thread only
  completion completion_;                                 // written by the assistant
  alignas(kCacheLineBytes) std::thread assistant_;
};

}  // namespace fg::bench
