// The lists of nodes that wait until delta-stepping reaches their distance.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>

#include "kernels/graph/edge_list.hpp"
#include "kernels/isolated_array.hpp"

namespace fg::bench {

/// A list of nodes for each bin index, all with the same capacity.
///
/// The constructor allocates the full capacity of every list, and nothing else allocates. The
/// number of lists nevertheless grows as bins come into use, so that a search ends at the last of
/// those. Threads: as a plain array.
class distance_bins {
 public:
  /// Bins 0 to `num_bins` - 1 with room for `capacity` nodes each, all empty and out of use. Throws
  /// std::bad_alloc.
  distance_bins(std::size_t num_bins, std::size_t capacity)
      : capacity_(capacity), sizes_(num_bins), nodes_(num_bins * capacity) {}

  /// Takes all bins out of use. Requires them to be empty.
  void reset() noexcept { end_ = 0; }

  /// Requires `bin` to be below the number of bins and not full.
  void push(std::size_t bin, node_id node) noexcept {
    end_ = std::max(end_, bin + 1);
    nodes_[(bin * capacity_) + sizes_[bin]++] = node;
  }

  /// The number of nodes in `bin`, which may be out of use.
  [[nodiscard]] std::size_t size(std::size_t bin) const noexcept {
    return bin < end_ ? sizes_[bin] : 0;
  }

  /// The first bin from `bin` on that is not empty, or an empty one if there is none. O(bins).
  [[nodiscard]] std::size_t find_filled(std::size_t bin) const noexcept {
    while (bin < end_ && sizes_[bin] == 0) {
      ++bin;
    }
    return bin;
  }

  /// Empties `bin` into `copy`, in the order of the pushes. Returns the part of `copy` now in use.
  /// Requires `copy` to have room.
  std::span<const node_id> move_out(std::size_t bin, std::span<node_id> copy) noexcept {
    const std::size_t count = size(bin);
    if (count != 0) {
      std::copy_n(nodes_.data() + (bin * capacity_), count, copy.data());
      sizes_[bin] = 0;
    }
    return copy.first(count);
  }

 private:
  std::size_t capacity_;
  /// One past the last bin in use.
  std::size_t end_ = 0;
  isolated_array<std::uint32_t> sizes_;
  isolated_array<node_id> nodes_;
};

}  // namespace fg::bench
