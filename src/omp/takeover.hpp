// Whether the drop-in does anything in this process.
#pragma once

#include "finegrain/core/atomic.hpp"

namespace fg::omp {

/// A yes or no that every thread comes to alike: whoever asks before it is known decides it.
class decided_once {
 public:
  /// `decide()` is asked as long as nothing is known, perhaps by several threads, and calls `set`.
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
  // Relaxed throughout: it is the same for whoever decides it, and publishes nothing else.
  atomic<state> known_{state::undecided};
};

/// Says which runtime the regions of an ABI run on, `function` being one of its: once for each,
/// under FINEGRAIN_OMP_VERBOSE. True, for the sake of a static variable that makes it once.
bool announce(const char* entry_points, const void* function) noexcept;

namespace detail {
inline constinit decided_once passive;
bool decide() noexcept;
}  // namespace detail

/// True: calls are passed on as they come. Decided with the first call. Any thread.
inline bool is_passive() noexcept { return detail::passive.get(detail::decide); }

}  // namespace fg::omp
