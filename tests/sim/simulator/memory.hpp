// The memory of a simulation: lines, stacks, a heap.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <map>
#include <utility>
#include <vector>

#include "sim/simulator/directory.hpp"

namespace sim {

/// A part of the address space, at the same addresses in each run, so that what shares a line does
/// not depend on the system. The program's own static variables have lines, too.
class memory {
 public:
  static constexpr std::size_t kLineBytes = 64;
  static constexpr std::size_t kStackBytes = std::size_t{1} << 20U;

  memory();
  memory(const memory&) = delete;
  memory& operator=(const memory&) = delete;
  ~memory();

  /// The line of an address; null outside: that memory is nobody else's.
  [[nodiscard]] line* line_of(std::uintptr_t at) noexcept {
    if (at - base_ < kBytes) {
      return lines_ + (at - base_) / kLineBytes;
    }
    return at - statics_ < static_bytes_ ? lines_ + (kBytes + at - statics_) / kLineBytes : nullptr;
  }

  [[nodiscard]] bool contains(const void* address) const noexcept {
    return reinterpret_cast<std::uintptr_t>(address) - base_ < kBytes;
  }

  [[nodiscard]] std::byte* stack(std::size_t thread) const noexcept {
    return reinterpret_cast<std::byte*>(base_) + thread * kStackBytes;  // NOLINT: an address
  }

  /// A block that shares no line with those of other threads, unless these get it when it is free
  /// again: small ones come from pieces that belong to the thread, as of usual allocators.
  void* allocate(std::size_t thread, std::size_t bytes, std::size_t alignment);
  /// The block is the calling thread's from now on.
  void free(std::size_t thread, void* block);
  /// In blocks that are not free.
  [[nodiscard]] std::size_t bytes_in_use() const noexcept { return bytes_in_use_; }

 private:
  // Reserved, not used: 320 stacks, and some hundred MiB for the queues of 256 workers.
  static constexpr std::size_t kBytes = std::size_t{2} << 30U;

  struct block_kind {
    std::size_t bytes;
    std::size_t alignment;
    auto operator<=>(const block_kind&) const = default;
  };
  struct thread_heap {
    std::uintptr_t next = 0;
    std::uintptr_t end = 0;
    std::map<block_kind, std::vector<void*>> free;
  };

  std::uintptr_t cut(thread_heap& heap, block_kind kind);
  std::uintptr_t cut_from_all(std::size_t bytes);

  std::uintptr_t base_;
  std::uintptr_t statics_;
  std::size_t static_bytes_;
  line* lines_;
  std::uintptr_t next_;
  std::size_t bytes_in_use_ = 0;
  std::array<thread_heap, kMaxCores> heaps_;
};

}  // namespace sim
