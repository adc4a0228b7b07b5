// A bounded queue with one producer and one consumer.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <bit>
#include <cstddef>
#include <type_traits>
#include <vector>

#include "finegrain/core/atomic.hpp"
#include "finegrain/core/cache_line.hpp"

namespace fg::inline FINEGRAIN_ABI::detail {

/// First in, first out, for one producer and one consumer: no read-modify-write, no fence.
///
/// Batched on both sides, after B-Queue (Wang et al., "B-Queue: efficient and practical queuing for
/// fast core-to-core communication", IJPP 2013) and MCRingBuffer (Lee et al., IPDPS 2010): each
/// side keeps a copy of the other's position and rereads it only when the room, or the items, that
/// it knew of are used up. Unlike there, each item is published at once: an item held back for a
/// full batch would be stuck when the producer has nothing more to push.
///
/// ## State
/// `tail_` items have been pushed, `head_` popped, both counting up without end; the queue holds
/// tail - head of them, at most the capacity. `known_head_` <= `head_` and `known_tail_` <=
/// `tail_`, so an outdated copy understates what a side may do.
///
/// ## Memory order
/// The producer's release of `tail_`, read with acquire by the consumer, hands over the slots. The
/// consumer's release of `head_`, read with acquire by the producer, returns them: the producer
/// does not overwrite what is still being read. A side reads its own position relaxed: no other
/// thread writes it.
///
/// T: trivially copyable. All functions: constant time.
template <class T>
class spsc_ring {
  static_assert(std::is_trivially_copyable_v<T> && std::is_default_constructible_v<T>);

 public:
  /// `capacity` is rounded up to a power of two. Throws std::bad_alloc.
  explicit spsc_ring(std::size_t capacity)
      : capacity_{std::bit_ceil(capacity)}, lines_((capacity_ + kPerLine - 1) / kPerLine) {}
  spsc_ring(const spsc_ring&) = delete;
  spsc_ring& operator=(const spsc_ring&) = delete;

  [[nodiscard]] std::size_t capacity() const noexcept { return capacity_; }

  // ---- producer only ----

  /// False if it is full; nothing has changed then.
  bool try_push(T item) noexcept {
    if (!has_room()) {
      return false;
    }
    const std::size_t tail = tail_.load(memory_order_relaxed);  // own position
    slot(tail) = item;
    tail_.store(tail + 1, memory_order_release);  // pairs with the acquire in try_pop
    return true;
  }

  /// True if the next `try_push` will succeed.
  [[nodiscard]] bool has_room() noexcept {
    const std::size_t tail = tail_.load(memory_order_relaxed);  // own position
    if (tail - known_head_ == capacity_) {
      known_head_ = head_.load(memory_order_acquire);  // pairs with the release in try_pop
    }
    return tail - known_head_ != capacity_;
  }

  // ---- consumer only ----

  /// False if it is empty; `item` is unchanged then.
  bool try_pop(T& item) noexcept {
    const std::size_t head = head_.load(memory_order_relaxed);  // own position
    if (head == known_tail_) {
      known_tail_ = tail_.load(memory_order_acquire);  // pairs with the release in try_push
      if (head == known_tail_) {
        return false;
      }
    }
    item = slot(head);
    head_.store(head + 1, memory_order_release);  // pairs with the acquire in has_room
    return true;
  }

  // ---- any thread ----

  /// The number of items a moment ago. If not 0 for the consumer, its next `try_pop` succeeds.
  [[nodiscard]] std::size_t size_guess() const noexcept {
    // The head first: it never passes a tail that is read later. Acquire keeps the two in order.
    const std::size_t head = head_.load(memory_order_acquire);
    // Acquire: a thread that sleeps or not by this must see what was published before.
    return tail_.load(memory_order_acquire) - head;
  }

 private:
  // NOLINTBEGIN(bugprone-sizeof-expression): T may be a pointer, and its own size is meant
  static constexpr std::size_t kPerLine =
      sizeof(T) < kCacheLineBytes ? kCacheLineBytes / sizeof(T) : 1;
  // NOLINTEND(bugprone-sizeof-expression)

  // Whole lines, so that two rings never share one.
  struct alignas(kCacheLineBytes) line {
    std::array<T, kPerLine> items;
  };

  T& slot(std::size_t position) noexcept {
    const std::size_t at = position & (capacity_ - 1);
    return lines_[at / kPerLine].items[at % kPerLine];
  }

  const std::size_t capacity_;
  std::vector<line> lines_;
  alignas(kCacheLineBytes) atomic<std::size_t> tail_{0};
  std::size_t known_head_ = 0;
  alignas(kCacheLineBytes) atomic<std::size_t> head_{0};
  std::size_t known_tail_ = 0;
};

}  // namespace fg::inline FINEGRAIN_ABI::detail
