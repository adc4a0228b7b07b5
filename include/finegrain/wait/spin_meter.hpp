// Measures the time spent looking for work, without a clock read when work arrives.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "finegrain/core/atomic.hpp"

namespace fg::inline FINEGRAIN_ABI::detail {

/// Counts looks, and times some of them: `spun_ticks` is the number of looks times the mean of the
/// timed ones. A clock read for each task would delay its start after its arrival.
///
/// One writer, any readers. All relaxed: each counter is exact by itself; no data depends on it.
class spin_meter {
 public:
  /// Adds `looks` looks.
  void add_looks(std::uint64_t looks) noexcept { add(looks_, looks); }

  /// Adds a timed span: `looks` of them took `ticks`. A span of more than four times the mean is
  /// left out, because it contains a pre-emption.
  void add_timed(std::uint32_t looks, std::uint64_t ticks) noexcept {
    // Both relaxed: only this thread writes them.
    const std::uint64_t timed = timed_looks_.load(memory_order_relaxed);
    if (timed == 0 ||
        ticks * timed <= std::uint64_t{4} * looks * timed_ticks_.load(memory_order_relaxed)) {
      add(timed_looks_, looks);
      add(timed_ticks_, ticks);
    }
  }

  /// Ticks spent looking so far. Any thread.
  [[nodiscard]] double spun_ticks() const noexcept {
    // All relaxed: no data depends on them, and they may be from different moments.
    const std::uint64_t timed = timed_looks_.load(memory_order_relaxed);
    return timed == 0 ? 0.0
                      : static_cast<double>(looks_.load(memory_order_relaxed)) *
                            static_cast<double>(timed_ticks_.load(memory_order_relaxed)) /
                            static_cast<double>(timed);
  }

 private:
  static void add(atomic<std::uint64_t>& counter, std::uint64_t more) noexcept {
    // One writer: a load and a store, no read-modify-write. Relaxed: a number, no data behind it.
    counter.store(counter.load(memory_order_relaxed) + more, memory_order_relaxed);
  }

  atomic<std::uint64_t> looks_{0};
  atomic<std::uint64_t> timed_looks_{0};
  atomic<std::uint64_t> timed_ticks_{0};
};

}  // namespace fg::inline FINEGRAIN_ABI::detail
