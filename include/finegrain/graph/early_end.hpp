// Whether a run of a graph ends early: an exception, or a stop request.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <exception>
#include <utility>

#include "finegrain/core/atomic.hpp"
#include "finegrain/core/cache_line.hpp"

namespace fg::inline FINEGRAIN_ABI::detail {

/// Once it is set, nodes that have not begun are dropped. Read before each node, written hardly ever:
/// so on a line of its own.
class alignas(kCacheLineBytes) early_end {
 public:
  /// Both relaxed: a request orders nothing. A node that would have come after a dropped one is
  /// dropped, too: its thread has acquired what was released after `set`.
  void set() noexcept { is_set_.store(true, memory_order_relaxed); }
  [[nodiscard]] bool is_set() const noexcept { return is_set_.load(memory_order_relaxed); }

  /// A node has thrown; the first exception is kept. Any thread of the run.
  void keep(std::exception_ptr thrown) noexcept {
    // Relaxed: decides which thread writes; the end of its part of the run orders it before `take`.
    if (!has_thrown_.exchange(true, memory_order_relaxed)) {
      exception_ = std::move(thrown);
    }
    set();
  }

  /// After the run, on the thread that has waited for it: the exception, and it is as new.
  [[nodiscard]] std::exception_ptr take() noexcept {
    is_set_.store(false, memory_order_relaxed);
    has_thrown_.store(false, memory_order_relaxed);
    return std::exchange(exception_, nullptr);
  }

 private:
  atomic<bool> is_set_{false};
  atomic<bool> has_thrown_{false};
  std::exception_ptr exception_;  // written by the thread that set `has_thrown_`
};

}  // namespace fg::inline FINEGRAIN_ABI::detail
