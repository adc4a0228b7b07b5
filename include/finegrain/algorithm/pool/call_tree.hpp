// Who hands over which of many calls, and when all have ended.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cstddef>
#include <vector>

#include "finegrain/core/atomic.hpp"
#include "finegrain/core/cache_line.hpp"

namespace fg::inline FINEGRAIN_ABI::detail {

/// A tree of calls, in places from 1 on; in place 0 is who makes them. Up to `Branches` are right
/// below each, so that nobody hands over to more, or waits for more. A place has ended when its call
/// and all right below have: a count of them goes down to 0, and what ends last ends the place above.
/// When place 0 has ended the tree may be gone: no call touches it after its `end`.
template <std::size_t Branches>
class call_tree {
 public:
  /// Throws std::bad_alloc.
  explicit call_tree(std::size_t calls) : calls_{calls}, inner_(calls == 0 ? 0 : above(calls)) {
    // Relaxed, as below: handing over a call releases it.
    unfinished_.store(end_below(0) - first_below(0), memory_order_relaxed);
    for (std::size_t place = 1; place <= inner_.size(); ++place) {
      inner_[place - 1].unfinished.store(1 + end_below(place) - first_below(place),
                                         memory_order_relaxed);
    }
  }

  /// Those right below.
  static std::size_t first_below(std::size_t place) noexcept { return place * Branches + 1; }
  [[nodiscard]] std::size_t end_below(std::size_t place) const noexcept {
    return std::max(std::min(first_below(place + 1), calls_ + 1), first_below(place));
  }

  /// The call in this place has ended: its last access.
  void end(std::size_t place) noexcept {
    // Release and acquire: pair with each other, so that what ends a place has seen what its calls
    // wrote.
    for (place = place > inner_.size() ? above(place) : place; place != 0; place = above(place)) {
      if (inner_[place - 1].unfinished.fetch_sub(1, memory_order_acq_rel) != 1) {
        return;
      }
    }
    unfinished_.fetch_sub(1, memory_order_release);  // pairs with has_ended
  }

  /// Whether all have ended; what they wrote is visible then.
  [[nodiscard]] bool has_ended() const noexcept {
    return unfinished_.load(memory_order_acquire) == 0;  // pairs with end
  }

 private:
  struct alignas(kCacheLineBytes) inner_place {
    atomic<std::size_t> unfinished{0};
  };

  static std::size_t above(std::size_t place) noexcept { return (place - 1) / Branches; }

  atomic<std::size_t> unfinished_{0};  // of place 0
  std::size_t calls_;
  std::vector<inner_place> inner_;  // from 1 on, those with any below
};

}  // namespace fg::inline FINEGRAIN_ABI::detail
