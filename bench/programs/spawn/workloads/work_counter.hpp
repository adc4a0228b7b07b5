// Reports the completed work of one process to another.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "finegrain/core/atomic.hpp"
#include "finegrain/core/cache_line.hpp"

namespace fg::bench {

/// Tasks done so far, on a line of its own, in memory that processes share. One writer, any number
/// of readers. Relaxed: only the number is read.
class alignas(kCacheLineBytes) work_counter {
 public:
  /// Called by the writer only.
  void add(std::uint64_t tasks) noexcept {
    done_.store(done_.load(memory_order_relaxed) + tasks, memory_order_relaxed);
  }
  [[nodiscard]] std::uint64_t done() const noexcept { return done_.load(memory_order_relaxed); }

 private:
  atomic<std::uint64_t> done_{0};
};

}  // namespace fg::bench
