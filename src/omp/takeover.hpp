// Whether the drop-in does anything in this process.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "finegrain/core/atomic.hpp"

namespace fg::omp {

/// A yes or no on which all threads agree: whoever asks before it is known decides it.
class decided_once {
 public:
  /// Calls `decide()`, which calls `set`, until the answer is known; perhaps in several threads.
  template <class Decide>
  bool get(Decide decide) noexcept {
    const state known = known_.load(memory_order_relaxed);
    return known != state::no && (known == state::yes || decide());
  }

  /// True for the first caller.
  bool set(bool answer) noexcept {
    return known_.exchange(answer ? state::yes : state::no, memory_order_relaxed) ==
           state::undecided;
  }

 private:
  enum class state : int { undecided, no, yes };
  // Relaxed throughout: every thread decides the same, and the answer publishes nothing else.
  atomic<state> known_{state::undecided};
};

/// Says on which runtime the regions of an ABI run, under FINEGRAIN_OMP_VERBOSE. `function`: one of
/// that runtime's. Returns true, so that a static variable can have it called once.
bool announce(const char* entry_points, const void* function) noexcept;

namespace detail {
inline constinit decided_once passive;
bool decide() noexcept;
}  // namespace detail

/// True: calls are passed on as they come. Decided at the first call. Any thread.
inline bool is_passive() noexcept { return detail::passive.get(detail::decide); }

}  // namespace fg::omp
