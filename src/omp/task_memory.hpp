// Memory for the tasks that one thread creates: recycled blocks, and batches of other threads'
// blocks.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <new>

#include "finegrain/core/atomic.hpp"
#include "finegrain/core/cache_line.hpp"

namespace fg::omp {

/// Per-thread free lists of blocks in a few size classes. Other threads return the owner's blocks
/// through a stack, in batches, as with `fg::detail::task_blocks` in the pool (and in OMPi,
/// ompi-tasking-2012, section 2.1). Unlike there the number is not bounded, since OpenMP needs a
/// task's data wherever the task runs; a thread that creates too many tasks runs them immediately
/// (see throttle.hpp). In the steady state nothing is allocated. The blocks never go back to the
/// system: a thread that ends leaves them to the next one (thread.hpp).
class task_memory {
 public:
  task_memory() = default;
  task_memory(const task_memory&) = delete;
  task_memory& operator=(const task_memory&) = delete;

  /// Returns the size class for `bytes`, or `kAlone` if that is too large to be recycled.
  static constexpr std::uint8_t class_for(std::size_t bytes) noexcept {
    const std::size_t lines = (bytes + kCacheLineBytes - 1) / kCacheLineBytes;
    return lines < kClassOfLines.size() ? kClassOfLines[lines] : kAlone;
  }

  /// Returns a block of this class, aligned to a cache line, if one is available; otherwise null,
  /// without any effect: see `take`. Owner only.
  void* take_at_hand(std::uint8_t size_class) noexcept {
    free_block*& first = free_[size_class];
    free_block* const block = first;
    if (block != nullptr) [[likely]] {
      first = block->next;
      ++pending_;
    }
    return block;
  }

  /// Returns a block of at least `bytes`, or null if memory runs out. Owner only.
  void* take(std::uint8_t size_class, std::size_t bytes) noexcept {
    if (size_class == kAlone) [[unlikely]] {
      ++pending_;
      return ::operator new(bytes, std::align_val_t{kCacheLineBytes}, std::nothrow);
    }
    if (free_[size_class] == nullptr) [[unlikely]] {
      refill(size_class);
    }
    return take_at_hand(size_class);
  }

  /// Records that the owner begins to run the task in one of its blocks, or has stopped while the
  /// block is still in use. Owner only.
  void begin_running() noexcept { --pending_; }
  void stop_running() noexcept { ++pending_; }

  /// Frees a block. Owner only.
  void give_back(void* block, std::uint8_t size_class) noexcept {
    --pending_;
    give_back_running(block, size_class);
  }
  /// Does `stop_running` and `give_back`.
  void give_back_running(void* block, std::uint8_t size_class) noexcept {
    if (size_class == kAlone) [[unlikely]] {
      release_alone(block);
    } else {
      put(block, size_class);
    }
  }

  /// Number of tasks in these blocks that have not begun or are with other threads, as far as the
  /// owner knows: blocks that other threads have given back count until `collect`. Owner only.
  [[nodiscard]] std::uint64_t pending() const noexcept { return pending_; }

  /// Collects the blocks that other threads have given back. Owner only.
  void collect() noexcept {
    // The loads are relaxed: checks that take no line away. The number orders nothing.
    if (alone_returned_.load(memory_order_relaxed) != 0) {
      pending_ -= alone_returned_.exchange(0, memory_order_relaxed);
    }
    if (returned_.load(memory_order_relaxed) != nullptr) {
      take_returned();
    }
  }

  static constexpr std::uint8_t kClasses = 6;
  static constexpr std::uint8_t kAlone = kClasses;

 private:
  friend class returned_tasks;

  // Whole cache lines. The smallest holds the task of a recursive function with a few arguments.
  static constexpr std::array<std::size_t, kClasses> kBlockBytes{192, 256, 384, 512, 1024, 4096};
  static constexpr std::size_t kChunkBytes = 16384;

  // Size class by number of lines.
  static constexpr auto kClassOfLines = [] {
    std::array<std::uint8_t, kBlockBytes.back() / kCacheLineBytes + 1> classes{};
    for (std::size_t lines = 0; lines < classes.size(); ++lines) {
      while (kBlockBytes[classes[lines]] < lines * kCacheLineBytes) {
        ++classes[lines];
      }
    }
    return classes;
  }();

  struct free_block {
    free_block* next;
  };

  // Blocks being returned, listed in the first of them. The low bits of each address, which is
  // aligned to a cache line, hold the block's class.
  struct batch {
    batch* next;
    std::uint64_t count;
    std::array<std::uintptr_t, 15> blocks;
  };
  static_assert(sizeof(batch) <= kBlockBytes[0]);

  [[gnu::noinline]] void refill(std::uint8_t size_class) noexcept {
    collect();
    if (free_[size_class] == nullptr) {
      make_blocks(size_class);
    }
  }

  void put(void* block, std::uint8_t size_class) noexcept {
    free_[size_class] = ::new (block) free_block{free_[size_class]};
  }

  static void release_alone(void* block) noexcept {
    ::operator delete(block, std::align_val_t{kCacheLineBytes});
  }

  [[gnu::noinline]] void take_returned() noexcept {
    // Acquire: pairs with the release in returned_tasks::flush.
    for (batch* each = returned_.exchange(nullptr, memory_order_acquire); each != nullptr;) {
      each = unpack(*each);
    }
  }

  batch* unpack(batch& from) noexcept {
    batch* const next = from.next;
    // By value: the batch is stored in one of the blocks, which is overwritten.
    const batch blocks = from;
    for (std::uint64_t i = 0; i < blocks.count; ++i) {
      // A task's two lines.
      auto* const block = static_cast<std::byte*>(block_of(blocks.blocks[i]));
      fg::detail::prefetch_for_write(block);
      fg::detail::prefetch_for_write(block + kCacheLineBytes);
    }
    for (std::uint64_t i = 0; i < blocks.count; ++i) {
      put(block_of(blocks.blocks[i]),
          static_cast<std::uint8_t>(blocks.blocks[i] % kCacheLineBytes));
    }
    pending_ -= blocks.count;
    return next;
  }

  static void* block_of(std::uintptr_t tagged) noexcept {
    return reinterpret_cast<void*>(tagged - tagged % kCacheLineBytes);
  }

  // The blocks live as long as the process; `chunks_` keeps them reachable for leak checkers.
  void make_blocks(std::uint8_t size_class) noexcept {
    auto* const chunk = static_cast<std::byte*>(
        ::operator new(kChunkBytes, std::align_val_t{kCacheLineBytes}, std::nothrow));
    if (chunk == nullptr) {
      return;
    }
    chunks_ = ::new (chunk) free_block{chunks_};
    const std::size_t size = kBlockBytes[size_class];
    for (std::size_t at = kCacheLineBytes; at + size <= kChunkBytes; at += size) {
      put(chunk + at, size_class);
    }
  }

  std::uint64_t pending_ = 0;
  std::array<free_block*, kClasses + 1> free_{};  // always empty for `kAlone`
  free_block* chunks_ = nullptr;
  alignas(kCacheLineBytes) atomic<batch*> returned_{nullptr};
  atomic<std::uint64_t> alone_returned_{0};
};

/// Collects the blocks that one thread frees for others, one owner at a time, and gives them back
/// in batches. `flush` must be called before the thread idles. Collecting thread only.
class returned_tasks {
 public:
  void add(task_memory& owner, void* block, std::uint8_t size_class) noexcept {
    if (size_class == task_memory::kAlone) {
      task_memory::release_alone(block);
      // Relaxed: the number orders nothing.
      owner.alone_returned_.fetch_add(1, memory_order_relaxed);
      return;
    }
    const std::uintptr_t tagged = reinterpret_cast<std::uintptr_t>(block) + size_class;
    if (owner_ != &owner || batch_->count == batch_->blocks.size()) {
      flush();
      owner_ = &owner;
      batch_ = ::new (block) task_memory::batch;
      batch_->count = 1;
      batch_->blocks[0] = tagged;
    } else {
      batch_->blocks[batch_->count++] = tagged;
    }
  }

  void flush() noexcept {
    if (owner_ == nullptr) {
      return;
    }
    atomic<task_memory::batch*>& stack = owner_->returned_;
    batch_->next = stack.load(memory_order_relaxed);  // a guess, corrected by the exchange
    // Release: pairs with the acquire in take_returned; a block's last use precedes its next one.
    while (!stack.compare_exchange_weak(batch_->next, batch_, memory_order_release,
                                        memory_order_relaxed)) {
    }
    owner_ = nullptr;
  }

 private:
  task_memory* owner_ = nullptr;  // null: nothing is kept
  task_memory::batch* batch_ = nullptr;
};

}  // namespace fg::omp
