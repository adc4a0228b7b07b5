// Ends the threads of a pool together, once no work is left.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>

#include "finegrain/core/atomic.hpp"

namespace fg::inline FINEGRAIN_ABI::detail {

/// Detects when threads that pass tasks to each other have run all of them: none of them works, and
/// no queue holds a task.
///
/// ## Protocol
/// Each participant *works* or *rests*; all work at first. When the end has begun, a participant
///
///     E1 takes and runs tasks until it finds none in any queue that it may have pushed to
///     E2 rests; if no participant works then, it is over
///     E3 sees a task, or that it is over
///     E4 in the first case: works again, then back to E1
///
/// Only a participant that works takes, runs and pushes.
///
/// ## Why nothing is left
/// Suppose that a queue holds a task at the moment when the last participant rests. The one that
/// pushed it worked then, and has looked into that queue since (E1) without finding it. So another
/// participant had taken it before that look, while working, and it is no longer there.
///
/// ## Memory order
/// "Had taken it before that look" has to mean that the taker's E4 comes before the pusher's E2 in
/// the counter. The taker has a fence between E4 and its taking, the pusher one between its look
/// and E2, both sequentially consistent. The look sees what the taking wrote, so the taker's fence
/// is the earlier one of the two, and so is the count before it.
class joint_end {
 public:
  /// One participant, which begins the end.
  joint_end() = default;
  joint_end(const joint_end&) = delete;
  joint_end& operator=(const joint_end&) = delete;

  /// From now on a participant that finds no task rests. Relaxed: it carries no data; a sleeper
  /// reads it after the fence of its sleep gate.
  void begin() noexcept { begun_.store(true, memory_order_relaxed); }
  [[nodiscard]] bool has_begun() const noexcept { return begun_.load(memory_order_relaxed); }

  /// Adds a participant, which works. Called by one that works, or before the end has begun.
  void add_participant() noexcept {
    working_.fetch_add(1, memory_order_relaxed);  // the caller itself keeps the count above zero
  }

  /// E2, after a look that found nothing. True: it is over, and the others have to be woken.
  [[nodiscard]] bool rest() noexcept {
    thread_fence(memory_order_seq_cst);  // after the look; pairs with the one in work_again
    // Acquire and release: all that was done is visible to the last participant. The fence releases
    // as well, but ThreadSanitizer does not see fences.
    if (working_.fetch_sub(1, memory_order_acq_rel) != 1) {
      return false;
    }
    over_.store(true, memory_order_release);  // pairs with the acquire in is_over
    return true;
  }

  /// E4.
  void work_again() noexcept {
    working_.fetch_add(1, memory_order_relaxed);  // ordered by the fence
    thread_fence(memory_order_seq_cst);           // before the taking
  }

  [[nodiscard]] bool is_over() const noexcept { return over_.load(memory_order_acquire); }

 private:
  atomic<std::size_t> working_{1};
  atomic<bool> begun_{false};
  atomic<bool> over_{false};
};

}  // namespace fg::inline FINEGRAIN_ABI::detail
