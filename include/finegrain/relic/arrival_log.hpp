// When tasks came for an assistant that slept.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

#include "finegrain/core/atomic.hpp"
#include "finegrain/core/cache_line.hpp"

namespace fg::inline FINEGRAIN_ABI::detail {

/// The times, in ticks, at which the main thread had a task for a sleeping assistant. One thread
/// adds, one other takes; when more are added than it holds, the oldest are lost. Constant time,
/// never blocks.
///
/// ## Memory order
/// `add` (release) pairs with `take` (acquire): the taker sees the times it counts. A time that is
/// being overwritten may be taken in its old or its new form: times are words of their own.
class arrival_log {
 public:
  static constexpr std::size_t kTimes = 15;  // two cache lines with their count

  // ---- main thread ----

  void add(std::uint64_t ticks) noexcept {
    // Relaxed: only this thread writes the count; the store of the count releases the time.
    const std::uint64_t count = count_.load(memory_order_relaxed);
    times_[count % kTimes].ticks.store(ticks, memory_order_relaxed);
    count_.store(count + 1, memory_order_release);
  }

  // ---- assistant ----

  /// Calls `visit(ticks)` for each time since the last call, the oldest first.
  template <class Visit>
  void take(Visit visit) noexcept {
    const std::uint64_t count = count_.load(memory_order_acquire);
    if (count - taken_ > kTimes) {
      taken_ = count - kTimes;
    }
    for (; taken_ != count; ++taken_) {
      visit(times_[taken_ % kTimes].ticks.load(
          memory_order_relaxed));  // relaxed: the count's acquire
    }
  }

 private:
  // The main thread's lines.
  struct entry {
    atomic<std::uint64_t> ticks{0};
  };
  alignas(kCacheLineBytes) std::array<entry, kTimes> times_;
  atomic<std::uint64_t> count_{0};

  alignas(kCacheLineBytes) std::uint64_t taken_ = 0;
};

}  // namespace fg::inline FINEGRAIN_ABI::detail
