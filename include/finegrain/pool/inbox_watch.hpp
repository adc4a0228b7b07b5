// Makes sure that some thread takes posted tasks.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cstddef>
#include <vector>

#include "finegrain/core/atomic.hpp"
#include "finegrain/core/cache_line.hpp"

namespace fg::inline FINEGRAIN_ABI::detail {

/// Which threads of a pool are looking for work, so that a posted task that none of them will find
/// is left to the spare thread.
///
/// ## Protocol
///
///     poster                              thread
///     P1 put a task into the inbox        T1 found a task: it no longer looks
///     P2 full fence                       T2 full fence
///     P3 does any thread look?            T3 inbox not empty, and no other thread looks?
///     P4 no: call the spare thread        T4 yes: call the spare thread, then run the task
///
/// P3 misses T1 or T3 misses P1, but not both: either the poster knows that this thread will not
/// come, or the thread knows what it leaves behind. A thread that sleeps after looking still counts
/// as looking: it is woken, and takes the posted task or gets to T1.
class inbox_watch {
 public:
  /// No thread looks yet.
  explicit inbox_watch(std::size_t threads) : threads_(threads) {}

  /// This thread looks for posted tasks repeatedly until `stop_looking`. Thread `id` only.
  // Relaxed: seen late, it costs a needless call of the spare thread.
  void look_out(std::size_t id) noexcept { threads_[id].looks.store(true, memory_order_relaxed); }

  /// T1 and T2: T3 has to follow. Thread `id` only.
  void stop_looking(std::size_t id) noexcept {
    threads_[id].looks.store(false, memory_order_relaxed);  // ordered by the fence
    thread_fence(memory_order_seq_cst);
  }

  /// P2 and P3. Any thread. Linear in the threads while none of them looks.
  [[nodiscard]] bool any_after_publishing() const noexcept {
    thread_fence(memory_order_seq_cst);
    return any_guess();
  }

  /// P3, or T3 without the inbox, after the fence.
  [[nodiscard]] bool any_guess() const noexcept {
    return std::any_of(threads_.begin(), threads_.end(), [](const thread& each) {
      return each.looks.load(memory_order_relaxed);  // after P2 or T2
    });
  }

 private:
  // One cache line each: its thread writes it when its search begins or ends, the others read it.
  struct alignas(kCacheLineBytes) thread {
    atomic<bool> looks{false};
  };
  std::vector<thread> threads_;
};

}  // namespace fg::inline FINEGRAIN_ABI::detail
