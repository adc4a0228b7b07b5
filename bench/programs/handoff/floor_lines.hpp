// The floors: the time two cores need to exchange two words, on one line and on two.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <stdexcept>
#include <string>
#include <thread>
#include <type_traits>

#include "finegrain/core/atomic.hpp"
#include "finegrain/core/cache_line.hpp"
#include "finegrain/host/affinity.hpp"
#include "finegrain/wait/wait.hpp"

namespace fg::bench {

// 128: nothing else on the line or on its neighbour, which some prefetchers also fetch.
struct alignas(128) floor_word {
  atomic<std::uint64_t> value{0};
};

/// There and back on one line, as a task and its completion travel in relic.
struct one_line {
  static constexpr bool kAnsweredOnTheSameLine = true;
  floor_word& there() noexcept { return line_; }
  floor_word& back() noexcept { return line_; }

 private:
  floor_word line_;
};

/// One line per direction, the best case for a queue with a count of completions.
struct two_lines {
  static constexpr bool kAnsweredOnTheSameLine = false;
  floor_word& there() noexcept { return there_; }
  floor_word& back() noexcept { return back_; }

 private:
  floor_word there_;
  floor_word back_;
};

/// Bounces words of `Lines` between the main thread and another thread; both wait by `Wait`.
template <class Lines, class Wait>
class floor_ping_pong {
 public:
  explicit floor_ping_pong(int assistant_cpu) : other_{[this] { answer(); }} {
    if (const std::error_code error = pin_thread(other_, assistant_cpu)) {
      stop();
      throw std::runtime_error("cannot run on CPU " + std::to_string(assistant_cpu) + ": " +
                               error.message());
    }
  }
  ~floor_ping_pong() { stop(); }
  floor_ping_pong(const floor_ping_pong&) = delete;
  floor_ping_pong& operator=(const floor_ping_pong&) = delete;

  /// Every store here (release) pairs with the other thread's load (acquire) of that value: the
  /// weakest orders that a hand-off of data could use.
  void round_trip() noexcept {
    const std::uint64_t question = last_ + 1;
    last_ += 2;
    lines_.there().value.store(question, memory_order_release);  // pairs with await in answer
    await(lines_.back(), last_);
  }

  /// Round trips that the other thread has answered.
  [[nodiscard]] std::uint64_t answered() const noexcept { return last_ / 2; }

 private:
  static constexpr std::uint64_t kEnd = ~std::uint64_t{0};

  static std::uint64_t await(const floor_word& word, std::uint64_t wanted) noexcept {
    for (;;) {
      // Acquire: pairs with the release of the other thread, in round_trip, answer or stop.
      const std::uint64_t seen = word.value.load(memory_order_acquire);
      if (seen == wanted || seen == kEnd) {
        return seen;
      }
      Wait::relax(nullptr, [] { return true; });
      if constexpr (Lines::kAnsweredOnTheSameLine && !std::is_same_v<Wait, spin>) {
        detail::prefetch_for_write(&word);
      }
    }
  }

  void answer() noexcept {
    for (std::uint64_t next = 1; await(lines_.there(), next) != kEnd; next += 2) {
      lines_.back().value.store(next + 1, memory_order_release);  // pairs with await in round_trip
    }
  }

  void stop() {
    if (other_.joinable()) {
      lines_.there().value.store(kEnd, memory_order_release);  // pairs with await in answer
      other_.join();
    }
  }

  Lines lines_;
  std::uint64_t last_ = 0;  // main thread only
  std::thread other_;
};

}  // namespace fg::bench
