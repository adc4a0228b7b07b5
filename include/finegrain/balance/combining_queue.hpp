// A bounded queue with one producer and combining consumers.
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
/// figure 3): a circular queue that its owner fills without a read-modify-write, and that all
/// threads, the owner included, empty from the other end through a CC-Synch object. Tasks are first
/// in, first out; so are the threads that wait for one.
///
/// ## State and races
/// `top_` counts the tasks put in and is written by the owner only; `bottom_` counts the tasks
/// taken and is written by the combiner only. The tasks lie between them, so top - bottom is never
/// negative nor greater than the capacity.
/// * put against take: they never access the same slot at once. The owner writes a slot after it
///   has read a bottom beyond the slot's last use; the combiner reads a slot after it has read a
///   top beyond it.
/// * A stale bottom makes the queue look fuller, a stale top emptier, than it is: either was
///   correct a moment ago.
///
/// ## Departures from figure 3
/// Top and bottom are counters rather than slot indices: in the listing top == bottom means empty,
/// so its full queue keeps one slot empty; ours holds all of `capacity`. The owner reads bottom
/// only if its remembered value makes the queue look full. (The listing's Dequeue reads an
/// undeclared `bottom` and lacks its `else`.)
class combining_queue {
 public:
  /// `takers`: the takers are numbered 0 to takers - 1. Throws std::bad_alloc. A capacity of 0 is
  /// allowed: the queue is always full.
  combining_queue(std::size_t takers, std::size_t capacity)
      : slots_(capacity), taking_{takers, kServedATaker * takers} {}

  // ---- owner only ----

  /// Appends `task`; false: the queue is full.
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

  /// The number of tasks that can be put in now, at least.
  [[nodiscard]] std::size_t free_slots() noexcept {
    // Pairs with the release in take: the last read of a slot comes before its next write.
    bottom_seen_ = bottom_.load(memory_order_acquire);
    return slots_.size() - static_cast<std::size_t>(top_here_ - bottom_seen_);
  }

  // ---- any thread ----

  /// The oldest task or null. `taker`: the calling thread's number. Waits for earlier threads.
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

  /// Whether `take` is worth its cost: false if there was no task a moment ago.
  [[nodiscard]] bool has_task_guess() const noexcept {
    // Relaxed: a hint. `take` looks again; the last look before sleeping comes after a fence.
    return top_.load(memory_order_relaxed) != bottom_.load(memory_order_relaxed);
  }

 private:
  // h of CC-Synch: three rounds of all takers. OMPi's paper does not give it; not tuned, because
  // with 2 CPUs the combiner hardly ever meets another thread.
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
