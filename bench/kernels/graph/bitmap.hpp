// A set of nodes, one bit a node.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <utility>

#include "kernels/graph/edge_list.hpp"
#include "kernels/isolated_array.hpp"

namespace fg::bench {

/// Requires: nodes below the `size` given to the constructor. Allocates there only.
class bitmap {
 public:
  explicit bitmap(node_id size) : words_((std::size_t{size} + kWordBits - 1) / kWordBits) {}

  void set(node_id node) noexcept { words_[node / kWordBits] |= mask(node); }

  [[nodiscard]] bool test(node_id node) const noexcept {
    return (words_[node / kWordBits] & mask(node)) != 0;
  }

  void clear() noexcept { std::fill_n(words_.data(), words_.size(), word{0}); }

  /// Exchanges the contents without copying them.
  void swap(bitmap& other) noexcept { std::swap(words_, other.words_); }

 private:
  using word = std::uint64_t;
  static constexpr unsigned kWordBits = 64;

  [[nodiscard]] static word mask(node_id node) noexcept { return word{1} << (node % kWordBits); }

  isolated_array<word> words_;
};

}  // namespace fg::bench
