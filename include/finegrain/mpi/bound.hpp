// A bound that all ranks share, for branch and bound.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <limits>

#include "finegrain/core/atomic.hpp"

namespace fg::inline FINEGRAIN_ABI::mpi {

/// The greatest value that any rank has found; to minimize, use negative values. Every rank has an
/// object, which its bags refer to. `run` tells the others when it rises; until they hear of it, they
/// do work that is in vain, nothing else. Any thread.
class bound {
 public:
  /// Less than any value that a program finds; its negative exists.
  static constexpr std::int64_t kLeast = -std::numeric_limits<std::int64_t>::max();

  explicit bound(std::int64_t first = kLeast) noexcept : value_{first} {}

  [[nodiscard]] std::int64_t value() const noexcept {
    return value_.load(memory_order_relaxed);  // the value is all there is: it orders nothing else
  }

  /// Raises it to `value` unless it is already as great. True: it has risen.
  bool raise(std::int64_t value) noexcept {
    std::int64_t seen = value_.load(memory_order_relaxed);  // as above
    while (seen < value) {
      if (value_.compare_exchange_weak(seen, value, memory_order_relaxed)) {  // as above
        return true;
      }
    }
    return false;
  }

 private:
  atomic<std::int64_t> value_;
};

}  // namespace fg::inline FINEGRAIN_ABI::mpi
