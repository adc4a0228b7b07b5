// Memory for tasks that outlive the call that makes them.
#pragma once

#include <array>
#include <cstddef>
#include <memory>
#include <new>
#include <utility>

#include "finegrain/core/atomic.hpp"
#include "finegrain/core/cache_line.hpp"

namespace fg {

/// Blocks of one cache line, made and recycled by one worker; other workers give theirs back
/// through a stack, as OMPi returns a descriptor to its creator's pool (ompi-tasking-2012, section
/// 2.1), so that a lone producer does not fill everybody's memory. In the steady state nothing is
/// allocated. Their number is bounded, and with it the tasks that wait in a worker's queues: who
/// gets none runs the task at once.
///
/// ## Races
/// The stack has many pushers and one taker, who takes all of it at once: so no block can come back
/// to the top between a pusher's load and its compare-exchange unseen (ABA does no harm to a push).
class task_blocks {
 public:
  static constexpr std::size_t kBlockBytes = kCacheLineBytes;

  task_blocks() = default;
  task_blocks(const task_blocks&) = delete;
  task_blocks& operator=(const task_blocks&) = delete;

  /// Blocks that one worker has at most: 256 KiB. More than it takes to keep 64 thieves busy while
  /// the owner is, and few enough for a second-level cache.
  static constexpr std::size_t kMostBlocks = 4096;

  /// A block, aligned to its size; null when all `kMostBlocks` are in use, or there is no memory.
  /// Owner only. Constant time but when more blocks are needed than ever before.
  void* take() noexcept {
    if (free_ == nullptr) [[unlikely]] {
      refill();
      if (free_ == nullptr) {
        return nullptr;
      }
    }
    return std::exchange(free_, free_->next);
  }

  /// Gives a block of this owner back. Owner only.
  void give_back(void* block) noexcept { free_ = ::new (block) free_block{free_}; }

  /// The same on any other thread. Not to be used after the owner is gone.
  void give_back_from_afar(void* block) noexcept {
    auto* const freed = ::new (block) free_block{returned_.load(memory_order_relaxed)};
    // Release: pairs with the acquire in refill; the block's last use is before its next one.
    while (!returned_.compare_exchange_weak(freed->next, freed, memory_order_release,
                                            memory_order_relaxed)) {
    }
  }

 private:
  struct free_block {
    free_block* next;
  };
  struct alignas(kBlockBytes) storage {
    std::byte bytes[kBlockBytes];
  };
  static constexpr std::size_t kBlocksAtOnce = 64;  // a page

  [[gnu::noinline]] void refill() noexcept {
    free_ = returned_.exchange(nullptr, memory_order_acquire);  // pairs with give_back_from_afar
    if (free_ != nullptr || chunks_made_ == chunks_.size()) {
      return;
    }
    std::unique_ptr<storage[]>& chunk = chunks_[chunks_made_];
    chunk.reset(new (std::nothrow) storage[kBlocksAtOnce]);
    if (chunk == nullptr) {
      return;
    }
    ++chunks_made_;
    for (std::size_t i = 0; i < kBlocksAtOnce; ++i) {
      give_back(&chunk[i]);
    }
  }

  free_block* free_ = nullptr;
  std::size_t chunks_made_ = 0;
  std::array<std::unique_ptr<storage[]>, kMostBlocks / kBlocksAtOnce> chunks_;
  alignas(kCacheLineBytes) atomic<free_block*> returned_{nullptr};
};

}  // namespace fg
