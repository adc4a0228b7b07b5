// Recycled memory for the tasks that a worker spawns.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <new>

#include "finegrain/core/atomic.hpp"
#include "finegrain/core/cache_line.hpp"

namespace fg::inline FINEGRAIN_ABI::detail {

/// Blocks of one cache line, allocated and recycled by one worker. Other workers return them
/// through a stack, as OMPi returns a descriptor to its creator's pool (ompi-tasking-2012, section
/// 2.1), so that a lone producer does not fill the memory of all workers. In the steady state
/// nothing is allocated. The number of blocks is bounded, and with it the number of tasks in a
/// worker's queues: a worker that gets no block runs the task at once.
///
/// ## The cost of returning a block
/// A block that was elsewhere lies in another CPU's cache. So other workers return blocks in
/// batches: one of the blocks holds the numbers of the rest. The owner waits for that line only,
/// and prefetches the rest before it writes to them. With one producer of tasks of 34 ns and one
/// thief, a task took 83 ns when each block was returned alone, 34 in batches of 8 and 30 in
/// batches of 28 (EPYC 9004, floor 340 ns; producer alone 34).
///
/// ## Races
/// The stack has many pushers and one taker, which takes all of it at once. So no batch can return
/// to the top unseen between a pusher's load and its compare-exchange (ABA does no harm to a push).
class task_blocks {
 public:
  static constexpr std::size_t kBlockBytes = kCacheLineBytes;

  /// Blocks of one worker: 16 KiB, half of a first-level cache. Four tasks for each of 64 thieves.
  /// With 4096, tasks of a lone producer took up to twice as long (setting as above): its queue
  /// outgrew the cache, and publishing half of the queue takes a walk along it.
  static constexpr std::size_t kMostBlocks = 256;

  /// Blocks on their way back, stored in the first of them.
  struct batch {
    batch* next;
    std::uint16_t count;
    std::array<std::uint16_t, (kBlockBytes - sizeof(void*)) / sizeof(std::uint16_t) - 1> numbers;

    [[nodiscard]] bool is_full() const noexcept { return count == numbers.size(); }
  };
  static_assert(sizeof(batch) <= kBlockBytes);

  task_blocks() = default;
  task_blocks(const task_blocks&) = delete;
  task_blocks& operator=(const task_blocks&) = delete;

  // ---- owner only ----

  /// A block, aligned to its size; null if all are in use or memory is short. Constant time except
  /// for the first call.
  void* take() noexcept {
    if (free_count_ == 0 && !refill()) [[unlikely]] {
      return nullptr;
    }
    return free_[--free_count_];
  }

  void give_back(void* block) noexcept { free_[free_count_++] = block; }

  // ---- any other thread, while the owner lives ----

  /// Makes `block`, of this owner, a batch of its own, to which others may be added.
  static batch* begin_batch(void* block) noexcept { return ::new (block) batch{nullptr, 0, {}}; }

  /// Adds a block of this owner. Requires: the batch is not full.
  void add(batch& to, const void* block) const noexcept {
    const auto number = static_cast<const storage*>(block) - blocks_.get();
    to.numbers[to.count++] = static_cast<std::uint16_t>(number);
  }

  /// Returns the blocks of a batch to this owner.
  void give_back_from_afar(batch& blocks) noexcept {
    blocks.next = returned_.load(memory_order_relaxed);  // a guess, corrected by the exchange
    // Release: pairs with the acquire in refill; a block's last use is before its next one.
    while (!returned_.compare_exchange_weak(blocks.next, &blocks, memory_order_release,
                                            memory_order_relaxed)) {
    }
  }

 private:
  struct alignas(kBlockBytes) storage {
    std::byte bytes[kBlockBytes];
  };

  // True if blocks are free afterwards. Most spawns of a producer ahead of all others end here.
  bool refill() noexcept {
    // Relaxed: a look that takes no line away; take_returned acquires.
    if (blocks_ != nullptr && returned_.load(memory_order_relaxed) == nullptr) {
      return false;
    }
    blocks_ == nullptr ? make_blocks() : take_returned();
    return free_count_ != 0;
  }

  FINEGRAIN_NOINLINE void take_returned() noexcept {
    // Acquire: pairs with the release in give_back_from_afar.
    for (batch* each = returned_.exchange(nullptr, memory_order_acquire); each != nullptr;) {
      each = unpack(*each);
    }
  }

  FINEGRAIN_NOINLINE void make_blocks() noexcept {
    blocks_.reset(new (std::nothrow) storage[kMostBlocks]);
    for (std::size_t i = 0; blocks_ != nullptr && i < kMostBlocks; ++i) {
      give_back(&blocks_[i]);
    }
  }

  // Returns the next batch.
  batch* unpack(batch& blocks) noexcept {
    for (std::size_t i = 0; i < blocks.count; ++i) {
      void* const block = &blocks_[blocks.numbers[i]];
      prefetch_for_write(block);
      give_back(block);
    }
    batch* const next = blocks.next;
    give_back(&blocks);
    return next;
  }

  std::size_t free_count_ = 0;
  std::array<void*, kMostBlocks> free_;
  std::unique_ptr<storage[]> blocks_;
  alignas(kCacheLineBytes) atomic<batch*> returned_{nullptr};
};

/// Collects blocks of other workers, and returns them in batches. It collects for one owner at a
/// time. Blocks that it keeps are missing at their owner: `flush` has to be called before the
/// worker idles. All functions: the collecting worker only; constant time.
class returned_blocks {
 public:
  returned_blocks() = default;
  returned_blocks(const returned_blocks&) = delete;
  returned_blocks& operator=(const returned_blocks&) = delete;

  /// Keeps `block`, one of `owner`'s, which lives at least until the next `flush`.
  void add(task_blocks& owner, void* block) noexcept {
    if (owner_ != &owner || batch_->is_full()) {
      flush();
      owner_ = &owner;
      batch_ = task_blocks::begin_batch(block);
    } else {
      owner.add(*batch_, block);
    }
  }

  /// Returns the blocks that it keeps.
  void flush() noexcept {
    if (owner_ != nullptr) {
      owner_->give_back_from_afar(*batch_);
      owner_ = nullptr;
    }
  }

 private:
  task_blocks* owner_ = nullptr;  // null: nothing kept
  task_blocks::batch* batch_ = nullptr;
};

}  // namespace fg::inline FINEGRAIN_ABI::detail
