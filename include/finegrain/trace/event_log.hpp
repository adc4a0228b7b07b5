// An append-only log of one thread that other threads may read.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <new>

#include "finegrain/core/atomic.hpp"

namespace fg::inline FINEGRAIN_ABI::detail {

/// A log that grows by chunks, up to a bound, and never moves its events. One thread, the writer,
/// adds; any thread may read at the same time.
///
/// ## Protocol
/// The writer fills in an event, and the pointer to its chunk if that is new, then publishes both
/// with a release store of the count. A reader acquires the count and reads nothing beyond it.
template <class Event, std::size_t ChunkEvents, std::size_t MostChunks>
class event_log {
 public:
  event_log() = default;
  event_log(const event_log&) = delete;
  event_log& operator=(const event_log&) = delete;
  ~event_log() {
    for (const chunk* each : chunks_) {
      delete each;
    }
  }

  /// For the writer. Beyond the bound, or without memory for another chunk, the event is counted
  /// and dropped. Allocates once per chunk; otherwise constant time.
  void add(const Event& event) noexcept {
    const std::size_t at = size_.load(memory_order_relaxed);  // the writer's own
    if (at % ChunkEvents == 0 && !make_chunk(at / ChunkEvents)) [[unlikely]] {
      // Both relaxed: a counter of one writer.
      dropped_.store(dropped_.load(memory_order_relaxed) + 1, memory_order_relaxed);
      return;
    }
    chunks_[at / ChunkEvents]->events[at % ChunkEvents] = event;
    size_.store(at + 1, memory_order_release);  // pairs with size
  }

  /// The number of events that can be read. Any thread.
  [[nodiscard]] std::size_t size() const noexcept {
    return size_.load(memory_order_acquire);  // pairs with add
  }
  /// Requires: `at` is less than what `size` returned on this thread.
  [[nodiscard]] const Event& operator[](std::size_t at) const noexcept {
    return chunks_[at / ChunkEvents]->events[at % ChunkEvents];
  }
  /// The number of dropped events. Any thread.
  [[nodiscard]] std::uint64_t dropped() const noexcept {
    return dropped_.load(memory_order_relaxed);  // a counter
  }

 private:
  struct chunk {
    std::array<Event, ChunkEvents> events;
  };

  bool make_chunk(std::size_t index) noexcept {
    if (index == MostChunks) {
      return false;
    }
    if (chunks_[index] == nullptr) {
      chunks_[index] = new (std::nothrow) chunk;
    }
    return chunks_[index] != nullptr;
  }

  atomic<std::size_t> size_{0};
  atomic<std::uint64_t> dropped_{0};
  std::array<chunk*, MostChunks> chunks_{};
};

}  // namespace fg::inline FINEGRAIN_ABI::detail
