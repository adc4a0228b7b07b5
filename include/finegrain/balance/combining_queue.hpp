// A bounded queue with one producer whose consumers work for each other.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "finegrain/balance/cc_synch.hpp"
#include "finegrain/core/atomic.hpp"
#include "finegrain/core/cache_line.hpp"
#include "finegrain/task/pool_task.hpp"

namespace fg::inline FINEGRAIN_ABI::detail {

/// OMPi's TASK_QUEUE (Agathos et al., "Speeding up OpenMP tasking", Euro-Par 2012, section 3 and
/// figure 3): a circular queue that its owner fills without a read-modify-write, and that
/// everybody, the owner included, empties from the other end through a CC-Synch object. First in,
/// first out; so are those who wait for it.
///
/// ## State and races
/// `top_` counts what was put in and is written by the owner only; `bottom_` counts what was taken
/// and is written by the combiner only. Between them lie the tasks, so top - bottom is never
/// negative nor more than the capacity.
/// * put against take: they meet in no slot. The owner writes a slot after it read a bottom beyond
///   its last use, the combiner reads one after it read a top beyond it.
/// * An old bottom makes the queue look fuller, an old top emptier, than it is: either is a correct
///   answer of a moment ago.
///
/// ## Departures from figure 3
/// Top and bottom are counters rather than slots: the listing's full queue has an empty slot,
/// because top == bottom means empty there; ours holds all of `capacity`. The owner reads bottom
/// only when the one that it remembers makes the queue look full. (The listing's Dequeue reads
/// `bottom` undeclared and lacks its `else`.)
class combining_queue {
 public:
  /// `takers`: numbers of the threads that take. Throws std::bad_alloc. A capacity of 0 is allowed:
  /// always full.
  combining_queue(std::size_t takers, std::size_t capacity)
      : slots_(capacity), taking_{takers, kServedATaker * takers} {}

  // ---- owner only ----

  /// Puts `task` in; false: the queue is full.
  bool try_put(pool_task& task) noexcept {
    if (top_here_ - bottom_seen_ == slots_.size() && free_slots() == 0) {
      return false;
    }
    slots_[top_slot_] = &task;
    top_slot_ = slot_after(top_slot_);
    ++top_here_;
    top_.store(top_here_, memory_order_release);  // pairs with the acquire in take
    return true;
  }

  /// How many tasks could be put in now, at least.
  [[nodiscard]] std::size_t free_slots() noexcept {
    // Pairs with the release in take: a slot's last reading is before its next writing.
    bottom_seen_ = bottom_.load(memory_order_acquire);
    return slots_.size() - static_cast<std::size_t>(top_here_ - bottom_seen_);
  }

  // ---- any thread ----

  /// The oldest task, null if there is none. `taker`: the calling thread's number. Waits for those
  /// who came before.
  pool_task* take(std::size_t taker) noexcept {
    pool_task* taken = nullptr;
    taking_.apply(taker, [this, &taken](std::size_t& bottom_slot) {
      // Relaxed: only combiners write it, and CC-Synch orders them.
      const std::uint64_t bottom = bottom_.load(memory_order_relaxed);
      if (bottom == top_.load(memory_order_acquire)) {  // pairs with the release in try_put
        return;
      }
      taken = slots_[bottom_slot];
      bottom_slot = slot_after(bottom_slot);
      bottom_.store(bottom + 1, memory_order_release);  // pairs with the acquire in free_slots
    });
    return taken;
  }

  /// Whether `take` is worth its price: false when there was nothing a moment ago.
  [[nodiscard]] bool has_task_guess() const noexcept {
    // Relaxed: a hint. `take` looks again; before sleeping, the sleeper's fence is ahead of it.
    return top_.load(memory_order_relaxed) != bottom_.load(memory_order_relaxed);
  }

 private:
  // h of CC-Synch: three rounds of everybody. OMPi's paper does not say; not tuned, because with 2
  // CPUs the combiner hardly meets anybody.
  static constexpr std::size_t kServedATaker = 3;

  [[nodiscard]] std::size_t slot_after(std::size_t slot) const noexcept {
    return slot + 1 == slots_.size() ? 0 : slot + 1;
  }

  // Plain slots: top and bottom order all accesses.
  std::vector<pool_task*> slots_;
  std::size_t top_slot_ = 0;
  std::uint64_t top_here_ = 0;
  std::uint64_t bottom_seen_ = 0;
  alignas(kCacheLineBytes) atomic<std::uint64_t> top_{0};
  alignas(kCacheLineBytes) atomic<std::uint64_t> bottom_{0};
  cc_synch<std::size_t> taking_;  // its state: the slot of the bottom
};

}  // namespace fg::inline FINEGRAIN_ABI::detail
