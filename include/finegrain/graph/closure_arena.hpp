// Memory for the closures of a graph, one after the other.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cstddef>
#include <memory>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "finegrain/core/errors.hpp"

namespace fg::inline FINEGRAIN_ABI::detail {

/// Hands out memory that stays where it is, and takes all of it back at once.
class closure_arena {
 public:
  /// Throws std::bad_alloc.
  [[nodiscard]] void* allocate(std::size_t bytes, std::size_t alignment) {
    while (std::align(alignment, bytes, next_, left_) == nullptr) {
      use_next_block(bytes + alignment);
    }
    left_ -= bytes;
    return std::exchange(next_, static_cast<std::byte*>(next_) + bytes);
  }

  /// From now on it has `bytes`, and no more: that is a std::length_error. Requires: nothing that
  /// was allocated is used. Throws std::bad_alloc; then nothing has changed.
  void reserve(std::size_t bytes) {
    std::vector<block> only;
    only.push_back({std::unique_ptr<std::byte[]>{new std::byte[bytes]}, bytes});
    blocks_ = std::move(only);
    is_reserved_ = true;
    clear();  // what an addition took that failed
  }

  /// Takes everything back. It keeps its blocks: the same sequence of calls needs no others.
  void clear() noexcept {
    used_ = 0;
    next_ = nullptr;
    left_ = 0;
  }

 private:
  struct block {
    std::unique_ptr<std::byte[]> memory;
    std::size_t bytes;
  };

  void use_next_block(std::size_t least) {
    if (is_reserved_ && used_ != 0) {
      detail::raise(std::length_error{"graph: only " + std::to_string(blocks_[0].bytes) +
                                      " bytes of closures and names are reserved"});
    }
    if (used_ == blocks_.size()) {
      const std::size_t usual = std::min(kFirstBlock << blocks_.size(), kMostBlock);
      const std::size_t bytes = std::max(least, usual);
      blocks_.push_back({std::unique_ptr<std::byte[]>{new std::byte[bytes]}, bytes});
    }
    const block& next = blocks_[used_++];
    next_ = next.memory.get();
    left_ = next.bytes;
  }

  static constexpr std::size_t kFirstBlock = 512;  // some 16 to 32 closures; each block twice that
  static constexpr std::size_t kMostBlock = std::size_t{64} << 10U;

  std::vector<block> blocks_;
  std::size_t used_ = 0;  // blocks
  bool is_reserved_ = false;
  void* next_ = nullptr;  // in the last of them
  std::size_t left_ = 0;
};

}  // namespace fg::inline FINEGRAIN_ABI::detail
