// Whether the drop-in does anything in this process.
#pragma once

#include "finegrain/core/atomic.hpp"

namespace fg::omp {

/// True: calls are passed on as they come. Decided with the first call. Any thread.
bool is_passive() noexcept;

/// Says which runtime the regions of an ABI run on, `function` being one of its: once for each,
/// under FINEGRAIN_OMP_VERBOSE. True, for the sake of a static variable that makes it once.
bool announce(const char* entry_points, const void* function) noexcept;

namespace detail {
// 0: not decided yet, 1: active, 2: passive. Relaxed: it is the same for whoever decides it.
inline constinit atomic<int> takeover{0};
bool decide() noexcept;
}  // namespace detail

inline bool is_passive() noexcept {
  const int known = detail::takeover.load(memory_order_relaxed);
  return known != 1 && (known == 2 || detail::decide());
}

}  // namespace fg::omp
