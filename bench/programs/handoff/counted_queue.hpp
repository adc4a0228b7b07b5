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

/// An entry of the queue.
struct queued_task {
  void (*routine)(void*) = nullptr;
  void* argument = nullptr;
};

/// Tasks go through `Queue`, completions come back as a count on a line of its own: the cheapest
/// way with a single-producer single-consumer queue, and that of relic-2024.
///
/// `Queue` has `try_push(queued_task)` and `try_pop(queued_task&)`. Both threads wait by `Wait`.
template <class Queue, class Wait>
class counted_queue {
 public:
  explicit counted_queue(int assistant_cpu) : assistant_{[this] { assist(); }} {
    if (const std::error_code error = pin_thread(assistant_, assistant_cpu)) {
      stop();
      throw std::runtime_error("cannot run on CPU " + std::to_string(assistant_cpu) + ": " +
                               error.message());
    }
  }
  ~counted_queue() { stop(); }
  counted_queue(const counted_queue&) = delete;
  counted_queue& operator=(const counted_queue&) = delete;

  void submit(void (*routine)(void*), void* argument) {
    while (!queue_.try_push(queued_task{routine, argument})) {
      relax();
    }
    ++submitted_;
  }

  void wait() const {
    // Acquire: pairs with the release in assist.
    while (finished_.load(memory_order_acquire) != submitted_) {
      relax();
    }
  }

 private:
  static void relax() noexcept {
    Wait::relax(nullptr, [] { return true; });
  }

  // A task without a routine is the last one.
  void assist() {
    queued_task task;
    for (std::uint64_t finished = 0;;) {
      while (!queue_.try_pop(task)) {
        relax();
      }
      if (task.routine == nullptr) {
        return;
      }
      task.routine(task.argument);
      finished_.store(++finished, memory_order_release);  // pairs with the acquire in wait
    }
  }

  void stop() {
    if (assistant_.joinable()) {
      submit(nullptr, nullptr);
      assistant_.join();
    }
  }

  Queue queue_;
  alignas(kCacheLineBytes) std::uint64_t submitted_ = 0;        // main thread only
  alignas(kCacheLineBytes) atomic<std::uint64_t> finished_{0};  // written by the assistant
  alignas(kCacheLineBytes) std::thread assistant_;
};

}  // namespace fg::bench
