// Who hands over which of many calls, and when all have ended.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cstddef>
#include <vector>

#include "finegrain/core/atomic.hpp"
#include "finegrain/core/cache_line.hpp"

namespace fg::inline FINEGRAIN_ABI::detail {

/// Calls in a tree: place 0 is their maker's, up to `Branches` are right below each place. A call
/// hands over those right below before it begins, unless the maker, which goes through all, has: so
/// none waits for a thread that is busy. A place has ended when its call and all right below have,
/// and what ends last there ends the place above. When place 0 has ended this may be gone: no call
/// touches it after its `end`.
template <std::size_t Branches>
class shared_calls {
 public:
  /// Throws std::bad_alloc.
  explicit shared_calls(std::size_t calls) : calls_{calls}, inner_(calls == 0 ? 0 : above(calls)) {
    // Relaxed, as below: handing over a call releases it.
    unfinished_.store(right_below(0), memory_order_relaxed);
    for (std::size_t place = 1; place <= inner_.size(); ++place) {
      inner_[place - 1].unfinished.store(1 + right_below(place), memory_order_relaxed);
    }
  }

  /// The maker, once: `assign(place)` for each that no call hands over, the last to begin first.
  template <class Assign>
  void hand_over_all(Assign assign) noexcept {
    assign_below(0, assign);
    for (std::size_t place = inner_.size(); place != 0; --place) {
      hand_over_below(place, assign);
    }
  }
  /// A call, before it begins: `assign(below)` for each right below, unless the maker does.
  template <class Assign>
  void hand_over_below(std::size_t place, Assign assign) noexcept {
    // Relaxed: it divides the calls; what is in them was released to this thread with its own.
    if (place <= inner_.size() &&
        !inner_[place - 1].is_handed_over.exchange(true, memory_order_relaxed)) {
      assign_below(place, assign);
    }
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
    atomic<bool> is_handed_over{false};  // what is right below
  };

  static std::size_t above(std::size_t place) noexcept { return (place - 1) / Branches; }
  [[nodiscard]] std::size_t right_below(std::size_t place) const noexcept {
    const std::size_t before = place * Branches;
    return before < calls_ ? std::min(Branches, calls_ - before) : 0;
  }

  template <class Assign>
  void assign_below(std::size_t place, Assign& assign) noexcept {
    for (std::size_t below = 1; below <= right_below(place); ++below) {
      assign(place * Branches + below);
    }
  }

  atomic<std::size_t> unfinished_{0};  // of place 0
  std::size_t calls_;
  std::vector<inner_place> inner_;  // from 1 on, those with any below
};

}  // namespace fg::inline FINEGRAIN_ABI::detail
