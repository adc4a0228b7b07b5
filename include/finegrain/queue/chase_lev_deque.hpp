// The textbook work-stealing deque: the baseline for the others.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <new>
#include <utility>
#include <vector>

#include "finegrain/core/atomic.hpp"
#include "finegrain/core/cache_line.hpp"
#include "finegrain/core/errors.hpp"
#include "finegrain/task/pool_task.hpp"

namespace fg::inline FINEGRAIN_ABI::detail {

/// A deque that one owner pushes to and pops from at the bottom, and that thieves take from at the
/// top: Chase, Lev, "Dynamic circular work-stealing deque" (SPAA 2005), in the C11 version of Lê,
/// Pop, Cohen, Zappa Nardelli, "Correct and efficient work-stealing for weak memory models" (PPoPP
/// 2013). Grows; lock-free except for the allocation.
///
/// ## State
/// Tasks have positions top to bottom - 1, in slots modulo the size of a ring. `top_` only grows,
/// by a compare-exchange of the thread that takes the oldest task: that decides all races. Only the
/// owner writes `bottom_`. A full ring is replaced by one of twice the size; the old ones, which a
/// thief may still be reading, are kept until the end: together they are smaller than the newest.
///
/// ## Protocol and races
///
///     owner pops                             thief
///     O1 lower the bottom to b               T1 read top t
///     O2 read top: t < b? task b is ours     T2 read bottom: t < bottom? read slot t
///     O3 t == b? compare-exchange the top    T3 compare-exchange the top t -> t + 1
///     O4 t >= b? the bottom back to b + 1
///
/// * *The same task twice*: requires a thief that takes b to miss O1 at T2, and O2 to miss that the
///   top is already b. But T1 is before T2 before O1 before O2 in the one order of all sequentially
///   consistent operations, and T1 has read b: so does O2, and O3 decides.
/// * *Slot overwritten while a thief reads it*: the owner writes position t + size only after it
///   has read a top beyond t. Then T3 fails, and what was read is dropped.
/// * *Ring replaced while a thief reads it*: the old one is no longer written; what it holds for a
///   position that was not taken is what the new one holds.
///
/// ## Memory order: without fences
/// The paper has seq_cst fences between O1 and O2 and between T1 and T2, and a release fence in
/// push. Here these four accesses, and the compare-exchanges, are themselves sequentially
/// consistent, because ThreadSanitizer does not understand fences. The argument above needs no
/// more, and on x86-64 O1 is one locked instruction either way (on Arm, T1 and T2 are two ldar
/// instead of a dmb). O4 is relaxed, though since C++20 a later store of the same thread no longer
/// continues the release sequence of the push: a thread that reads it has nothing to take, because
/// the top got there before it.
class chase_lev_deque {
 public:
  // 4 KiB. More than a recursion that splits 10^9 elements spawns; wider loops make it grow.
  static constexpr std::size_t kDefaultCapacity = 512;

  /// `capacity`: of the first ring, a power of two. Throws std::bad_alloc.
  explicit chase_lev_deque(std::size_t capacity = kDefaultCapacity)
      : newest_{std::make_unique<ring>(capacity)}, ring_{newest_.get()} {}
  chase_lev_deque(const chase_lev_deque&) = delete;
  chase_lev_deque& operator=(const chase_lev_deque&) = delete;

  // ---- owner only ----

  /// False if it had to grow and there was no memory. Amortized constant time.
  bool push(pool_task& task) noexcept {
    const std::int64_t bottom = bottom_.load(memory_order_relaxed);  // the owner's own
    // Pairs with the thieves' compare-exchange: they have read a slot before we write to it again.
    const std::int64_t top = top_.load(memory_order_acquire);
    if (bottom - top == newest_->size() && !grow(top, bottom)) [[unlikely]] {
      return false;
    }
    newest_->at(bottom).store(&task, memory_order_relaxed);  // published by the next line
    bottom_.store(bottom + 1, memory_order_release);         // pairs with T2
    return true;
  }

  /// Pops the newest task; null if there is none left.
  pool_task* pop() noexcept {
    const std::int64_t bottom = bottom_.load(memory_order_relaxed) - 1;  // the owner's own
    // O1, in one order with T2. An exchange, which a seq_cst store is on x86 anyway: the emulator
    // that runs the tests for Arm (qemu 7.2) lets a seq_cst load pass a seq_cst store.
    bottom_.exchange(bottom, memory_order_seq_cst);
    std::int64_t top = top_.load(memory_order_seq_cst);  // O2, in one order with T1
    pool_task* newest = nullptr;
    if (top <= bottom) {
      newest = newest_->at(bottom).load(memory_order_relaxed);  // written by this thread
    }
    if (top < bottom) {
      return newest;
    }
    // O3, in one order with T3. On failure acquire: the thief's T2 comes before the next line.
    if (top == bottom &&
        !top_.compare_exchange_strong(top, top + 1, memory_order_seq_cst, memory_order_acquire)) {
      newest = nullptr;
    }
    // O4. Relaxed: a thief that reads it can take nothing, because the top is there, too.
    bottom_.store(bottom + 1, memory_order_relaxed);
    return newest;
  }

  // ---- any thread ----

  /// Steals the oldest task. Null if there was none, or another thread was faster.
  pool_task* steal() noexcept {
    std::int64_t top = top_.load(memory_order_seq_cst);              // T1, in one order with O2
    const std::int64_t bottom = bottom_.load(memory_order_seq_cst);  // T2, pairs with the stores
    if (top >= bottom) {
      return nullptr;
    }
    ring& now = *ring_.load(memory_order_acquire);  // pairs with the release in grow
    pool_task* const oldest = now.at(top).load(memory_order_relaxed);  // T2 ordered it after push
    // T3. Its release pairs with the acquire in push. Relaxed on failure: nothing follows.
    return top_.compare_exchange_strong(top, top + 1, memory_order_seq_cst, memory_order_relaxed)
               ? oldest
               : nullptr;
  }

  /// Whether there was a task a moment ago.
  [[nodiscard]] bool has_task_guess() const noexcept {
    // Relaxed: a hint. Before a sleep, the sleeper's fence precedes it.
    return top_.load(memory_order_relaxed) < bottom_.load(memory_order_relaxed);
  }

 private:
  struct ring {
    explicit ring(std::size_t size) : slots(size) {}

    [[nodiscard]] std::int64_t size() const noexcept {
      return static_cast<std::int64_t>(slots.size());
    }
    atomic<pool_task*>& at(std::int64_t position) noexcept {
      return slots[static_cast<std::size_t>(position) & (slots.size() - 1)];
    }

    std::vector<atomic<pool_task*>> slots;
    std::unique_ptr<ring> older;
  };

  FINEGRAIN_NOINLINE bool grow(std::int64_t top, std::int64_t bottom) noexcept {
    FINEGRAIN_TRY {
      auto bigger = std::make_unique<ring>(2 * newest_->slots.size());
      for (std::int64_t i = top; i < bottom; ++i) {
        // Both relaxed: written by this thread; published by the store below.
        bigger->at(i).store(newest_->at(i).load(memory_order_relaxed), memory_order_relaxed);
      }
      bigger->older = std::move(newest_);
      newest_ = std::move(bigger);
      ring_.store(newest_.get(), memory_order_release);  // pairs with the acquire in steal
      return true;
    }
    FINEGRAIN_CATCH(const std::bad_alloc&) { return false; }
  }

  alignas(kCacheLineBytes) std::unique_ptr<ring> newest_;  // the owner's
  atomic<ring*> ring_;                                     // the same, for thieves
  alignas(kCacheLineBytes) atomic<std::int64_t> bottom_{0};
  alignas(kCacheLineBytes) atomic<std::int64_t> top_{0};
};

}  // namespace fg::inline FINEGRAIN_ABI::detail
