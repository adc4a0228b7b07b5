// The queues that the X-OpenMP policies share.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <bit>
#include <cstddef>
#include <memory>
#include <new>
#include <vector>

#include "finegrain/core/atomic.hpp"
#include "finegrain/core/cache_line.hpp"
#include "finegrain/core/errors.hpp"
#include "finegrain/queue/spsc_ring.hpp"
#include "finegrain/task/pool_task.hpp"

namespace fg::inline FINEGRAIN_ABI::detail {

/// A many-producer, many-consumer queue made of single-producer, single-consumer rings: every
/// worker has a ring from every worker. The one from itself is its master queue, the others are its
/// auxiliary ones. No locks, no read-modify-write. Order is kept only within a ring.
///
/// Source: Nookala et al., "X-OpenMP" (2024), section 3 (XQueue). As there, a worker's hint is the
/// ring that was last pushed to: producers overwrite each other's hints, so it only says where to
/// look first. Corrected: the auxiliary rings are searched round-robin, an order that the paper
/// leaves open; otherwise the first rings are always emptied first.
///
/// 'Worker' stands here for the thread that acts as that worker at the moment.
class xqueue {
 public:
  static constexpr std::size_t kRingCapacity = 64;

  /// Rings of `ring_capacity`, rounded up to a power of two. Smaller, but at least 8, if they would
  /// take more than 4 MiB together (from 91 workers on with the default). Throws std::bad_alloc.
  explicit xqueue(std::size_t workers, std::size_t ring_capacity = kRingCapacity)
      : cursors_(workers) {
    const std::size_t most =
        std::bit_floor(std::max(kMostSlots / (workers * workers), kLeastSlots));
    ring_capacity_ = std::bit_ceil(std::min(ring_capacity, most));
    rings_.reserve(workers * workers);
    for (std::size_t i = 0; i < workers * workers; ++i) {
      rings_.push_back(std::make_unique<ring_type>(ring_capacity_));
    }
    for (std::size_t worker = 0; worker < workers; ++worker) {
      cursors_[worker].scan_from = worker;
      cursors_[worker].next_target = worker;
    }
  }

  [[nodiscard]] std::size_t workers() const noexcept { return cursors_.size(); }
  [[nodiscard]] std::size_t ring_capacity() const noexcept { return ring_capacity_; }

  /// Reallocates the consumer's rings on its own thread (see `balancer::settle`). Before any push.
  void settle(std::size_t consumer) noexcept {
    FINEGRAIN_TRY {
      for (std::size_t producer = 0; producer < workers(); ++producer) {
        rings_[consumer * workers() + producer] = std::make_unique<ring_type>(ring_capacity_);
      }
    }
    // NOLINTNEXTLINE(bugprone-empty-catch): the existing rings suffice
    FINEGRAIN_CATCH(const std::bad_alloc&) {}
  }

  // ---- the producer only ----

  /// The consumer that `producer` pushes to next: all in turn, its own master queue first.
  std::size_t next_target(std::size_t producer) noexcept {
    std::size_t& next = cursors_[producer].next_target;
    const std::size_t target = next;
    next = target + 1 == workers() ? 0 : target + 1;
    return target;
  }

  /// False: that ring is full, and nothing happened.
  bool push(std::size_t producer, std::size_t consumer, pool_task& task) noexcept {
    if (!ring(consumer, producer).try_push(&task)) {
      return false;
    }
    atomic<std::size_t>& hint = hint_of(consumer);
    // Relaxed, both: a hint; the ring has the task. Stored only on change: the line stays shared.
    if (producer != consumer && hint.load(memory_order_relaxed) != producer) {
      hint.store(producer, memory_order_relaxed);
    }
    return true;
  }

  /// True: the producer's next `push` to this consumer succeeds.
  [[nodiscard]] bool has_room(std::size_t producer, std::size_t consumer) noexcept {
    return ring(consumer, producer).has_room();
  }

  // ---- the consumer only ----

  /// A task from the master queue, else from the hinted ring, else from any ring. Linear in the
  /// workers if there is none.
  pool_task* pop(std::size_t consumer) noexcept {
    pool_task* task = nullptr;
    if (ring(consumer, consumer).try_pop(task) ||
        ring(consumer, hint_of(consumer).load(memory_order_relaxed)).try_pop(task)) {  // a hint
      return task;
    }
    std::size_t& from = cursors_[consumer].scan_from;
    for (std::size_t i = 0; i < workers(); ++i) {
      const std::size_t producer = from;
      from = from + 1 == workers() ? 0 : from + 1;
      if (ring(consumer, producer).try_pop(task)) {
        return task;
      }
    }
    return nullptr;
  }

  // ---- any thread ----

  /// True if the consumer had a task a moment ago; on its own thread: its next `pop` succeeds.
  [[nodiscard]] bool has_task_guess(std::size_t consumer) const noexcept {
    for (std::size_t producer = 0; producer < workers(); ++producer) {
      if (rings_[consumer * workers() + producer]->size_guess() != 0) {
        return true;
      }
    }
    return false;
  }

  /// True if any ring held a task a moment ago. Quadratic in the workers.
  [[nodiscard]] bool any_task_guess() const noexcept {
    return std::any_of(rings_.begin(), rings_.end(),
                       [](const auto& each) { return each->size_guess() != 0; });
  }

 private:
  using ring_type = spsc_ring<pool_task*>;
  static constexpr std::size_t kMostSlots = (std::size_t{4} << 20U) / sizeof(pool_task*);
  static constexpr std::size_t kLeastSlots = 8;

  struct cursors {
    alignas(kCacheLineBytes) std::size_t next_target = 0;  // as a producer
    alignas(kCacheLineBytes) std::size_t scan_from = 0;    // as a consumer
    alignas(kCacheLineBytes) atomic<std::size_t> hint{0};  // written by all
  };

  ring_type& ring(std::size_t consumer, std::size_t producer) noexcept {
    return *rings_[consumer * workers() + producer];
  }
  atomic<std::size_t>& hint_of(std::size_t consumer) noexcept { return cursors_[consumer].hint; }

  std::size_t ring_capacity_ = 0;
  std::vector<cursors> cursors_;
  std::vector<std::unique_ptr<ring_type>> rings_;
};

}  // namespace fg::inline FINEGRAIN_ABI::detail
