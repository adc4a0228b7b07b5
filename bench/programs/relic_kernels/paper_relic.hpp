// Relic as the paper describes it: the reference to beat.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <boost/lockfree/spsc_queue.hpp>
#include <boost/version.hpp>
#include <cstdint>
#include <stdexcept>
#include <string>
#include <thread>

#include "finegrain/core/atomic.hpp"
#include "finegrain/core/cache_line.hpp"
#include "finegrain/core/pause.hpp"
#include "finegrain/host/affinity.hpp"

namespace fg::bench {

/// The framework of relic-2024, section VI, to the letter: Boost's SPSC queue of 128 entries, each
/// a routine and its argument, the assistant's loop of Fig 2, busy-waiting with pause on both
/// sides. The paper does not say how `wait` learns that the tasks are finished; here the assistant
/// counts them in a word of its own.
class paper_relic {
 public:
  static std::string version() {
    return "relic-2024 over Boost " + std::to_string(BOOST_VERSION / 100000) + "." +
           std::to_string(BOOST_VERSION / 100 % 1000);
  }

  explicit paper_relic(int assistant_cpu)
      : assistant_{[this, assistant_cpu] {
          // Release: pairs with the acquire below.
          pinned_.store(pin_this_thread(assistant_cpu) ? kRefused : kPinned, memory_order_release);
          main_loop();
        }} {
    int pinned = kUnknown;
    while ((pinned = pinned_.load(memory_order_acquire)) == kUnknown) {  // pairs with the thread's
      pause();
    }
    if (pinned == kRefused) {
      stop();
      throw std::runtime_error("cannot run on CPU " + std::to_string(assistant_cpu));
    }
  }
  ~paper_relic() { stop(); }
  paper_relic(const paper_relic&) = delete;
  paper_relic& operator=(const paper_relic&) = delete;

  void submit(void (*routine)(void*), void* arguments) {
    while (!queue_.push(entry{.routine = routine, .arguments = arguments})) {
      pause();
    }
    ++submitted_;
  }

  void wait() const {
    // Acquire: pairs with the release in main_loop; the tasks' effects are visible.
    while (finished_.load(memory_order_acquire) != submitted_) {
      pause();
    }
  }

 private:
  struct entry {
    void (*routine)(void*);
    void* arguments;
  };
  enum : int { kUnknown, kPinned, kRefused };

  void main_loop() {
    std::uint64_t finished = 0;
    for (bool running = true; running;) {
      while (queue_.read_available() == 0) {
        pause();
      }
      const entry task = queue_.front();
      if (task.routine != nullptr) {
        task.routine(task.arguments);
      } else {
        running = false;
      }
      queue_.pop();
      finished_.store(++finished, memory_order_release);  // pairs with the acquire in wait
    }
  }

  void stop() {
    if (assistant_.joinable()) {
      submit(nullptr, nullptr);
      assistant_.join();
    }
  }

  boost::lockfree::spsc_queue<entry, boost::lockfree::capacity<128>> queue_;
  alignas(kCacheLineBytes) std::uint64_t submitted_ = 0;        // main thread only
  alignas(kCacheLineBytes) atomic<std::uint64_t> finished_{0};  // written by the assistant
  alignas(kCacheLineBytes) atomic<int> pinned_{kUnknown};       // written once
  std::thread assistant_;
};

}  // namespace fg::bench
