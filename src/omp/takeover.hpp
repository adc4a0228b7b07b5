// Whether the drop-in is active in this process.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "finegrain/core/atomic.hpp"

namespace fg::omp {

/// A boolean that is decided once and on which all threads agree.
class decided_once {
 public:
  /// Calls `decide()`, which calls `set`, until the answer is known; perhaps in several threads.
  template <class Decide>
  bool get(Decide decide) noexcept {
    const state known = known_.load(memory_order_relaxed);
    return known != state::no && (known == state::yes || decide());
  }

  /// Returns true to the first caller.
  bool set(bool answer) noexcept {
    return known_.exchange(answer ? state::yes : state::no, memory_order_relaxed) ==
           state::undecided;
  }

 private:
  enum class state : int { undecided, no, yes };
  // Relaxed throughout: all threads reach the same answer, and it publishes nothing else.
  atomic<state> known_{state::undecided};
};

/// Prints which runtime runs the regions of an ABI, under FINEGRAIN_OMP_VERBOSE. `function`: any
/// function of that runtime. Returns true, so that initializing a static variable calls it once.
bool announce(const char* entry_points, const void* function) noexcept;

namespace detail {
inline constinit decided_once passive;
bool decide() noexcept;
}  // namespace detail

/// True if calls are passed on unchanged. Decided at the first call. Any thread.
inline bool is_passive() noexcept { return detail::passive.get(detail::decide); }

}  // namespace fg::omp
