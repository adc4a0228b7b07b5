// Where a finished task meets the coroutine that awaits it.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "finegrain/core/atomic.hpp"

namespace fg::inline FINEGRAIN_ABI::detail {

/// Where one thread, the runner of a task, and another one, its awaiter, agree on who goes on: the
/// awaiter if the task has finished before it came, else the runner in its stead.
///
/// ## States
///
///     null          not finished, nobody waits
///     an address    not finished; the awaiter left this for the runner    (by the awaiter)
///     this slot's   finished                                              (by the runner)
///
/// ## Races
/// Both write by a read-modify-write, so one of them is second and sees the other: an awaiter that
/// is second finds `finished` and goes on itself; a runner that is second gets the address. Whoever
/// goes on may free the slot: neither touches it after it has lost, and the runner not at all after
/// `finish`.
///
/// ## Memory order
/// `finish` releases what the task wrote, for `has_finished` and a failed `try_leave`, which
/// acquire. A successful `try_leave` releases what the awaiter wrote, for `finish`, which acquires.
class continuation_slot {
 public:
  continuation_slot() = default;
  continuation_slot(const continuation_slot&) = delete;
  continuation_slot& operator=(const continuation_slot&) = delete;

  /// The runner, once. The address that the awaiter left, which the caller has to continue; null if
  /// there is none (yet): then the awaiter will see that the task has finished.
  [[nodiscard]] void* finish() noexcept {
    return state_.exchange(this, memory_order_acq_rel);  // pairs with both sides of try_leave
  }

  /// The awaiter. True: the task has finished.
  [[nodiscard]] bool has_finished() const noexcept {
    return state_.load(memory_order_acquire) == this;  // pairs with finish
  }

  /// The awaiter, once: leaves `continuation`, neither null nor the slot's own address. False: the
  /// task has finished. True: the runner has it, and the caller touches nothing of it any more.
  [[nodiscard]] bool try_leave(void* continuation) noexcept {
    void* nobody = nullptr;
    // Release, and acquire where it fails: both pair with finish.
    return state_.compare_exchange_strong(nobody, continuation, memory_order_release,
                                          memory_order_acquire);
  }

 private:
  atomic<void*> state_{nullptr};
};

}  // namespace fg::inline FINEGRAIN_ABI::detail
