// A set of nodes, or of edges by number, with one bit per member.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <utility>

#include "kernels/isolated_array.hpp"

namespace fg::bench {

/// Requires: members are below the `size` given to the constructor. Only the constructor allocates.
class bitmap {
 public:
  explicit bitmap(std::uint32_t size) : words_((std::size_t{size} + kWordBits - 1) / kWordBits) {}

  void set(std::uint32_t member) noexcept { words_[member / kWordBits] |= mask(member); }

  [[nodiscard]] bool test(std::uint32_t member) const noexcept {
    return (words_[member / kWordBits] & mask(member)) != 0;
  }

  void clear() noexcept { std::fill_n(words_.data(), words_.size(), word{0}); }

  /// Exchanges the contents without copying them.
  void swap(bitmap& other) noexcept { std::swap(words_, other.words_); }

 private:
  using word = std::uint64_t;
  static constexpr unsigned kWordBits = 64;

  [[nodiscard]] static word mask(std::uint32_t member) noexcept {
    return word{1} << (member % kWordBits);
  }

  isolated_array<word> words_;
};

}  // namespace fg::bench
