// Where a finished task meets the coroutine that awaits it.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "finegrain/core/atomic.hpp"

namespace fg::inline FINEGRAIN_ABI::detail {

/// Lets the thread that runs a task, the runner, and the thread that awaits it, the awaiter, agree
/// on which one continues: the awaiter if the task has finished before it came, otherwise the
/// runner in its place.
///
/// ## States
///
///     null          not finished, no awaiter
///     an address    not finished; the awaiter left this for the runner    (by the awaiter)
///     this slot's   finished                                              (by the runner)
///
/// ## Races
/// Both write by a read-modify-write, so one of them is second and sees the other: an awaiter that
/// is second finds `finished` and continues itself; a runner that is second gets the address. The
/// thread that continues may free the slot: neither touches it after it has lost, and the runner
/// never after `finish`.
///
/// ## Memory order
/// `finish` releases what the task wrote, for `has_finished` and a failed `try_leave`, which
/// acquire. A successful `try_leave` releases what the awaiter wrote, for `finish`, which acquires.
class continuation_slot {
 public:
  continuation_slot() = default;
  continuation_slot(const continuation_slot&) = delete;
  continuation_slot& operator=(const continuation_slot&) = delete;

  /// The runner, once. Returns the address that the awaiter left, which the caller has to continue;
  /// null if there is none yet: then the awaiter will see that the task has finished.
  [[nodiscard]] void* finish() noexcept {
    return state_.exchange(this, memory_order_acq_rel);  // pairs with both sides of try_leave
  }

  /// The awaiter. True: the task has finished.
  [[nodiscard]] bool has_finished() const noexcept {
    return state_.load(memory_order_acquire) == this;  // pairs with finish
  }

  /// The awaiter, once: leaves `continuation`, neither null nor the slot's own address. False: the
  /// task has finished. True: it belongs to the runner, and the caller must not touch it any more.
  [[nodiscard]] bool try_leave(void* continuation) noexcept {
    void* nobody = nullptr;
    // Release, and acquire on failure: both pair with finish.
    return state_.compare_exchange_strong(nobody, continuation, memory_order_release,
                                          memory_order_acquire);
  }

 private:
  atomic<void*> state_{nullptr};
};

}  // namespace fg::inline FINEGRAIN_ABI::detail
