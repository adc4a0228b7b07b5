// Sleeping on a word, for the model checker: replaces the shipped wait/futex.hpp.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <cstdint>

#include "checker/scenario.hpp"
#include "finegrain/core/atomic.hpp"

namespace fg::inline FINEGRAIN_ABI::detail::futex {

using word = atomic<std::uint32_t>;

inline constexpr bool kSleepsForATime = true;

inline void sleep(const word& at, std::uint32_t seen) noexcept {
  at.wait(seen, memory_order_relaxed);
}

/// The timer expires at any time; when nothing has changed since it did last, that is not looked at.
inline void sleep_for(const word& /*at*/, std::uint32_t /*seen*/,
                      std::chrono::nanoseconds /*limit*/) noexcept {
  model::explorer::current()->look_again();
}

inline void wake_one(word& at) noexcept { at.notify_one(); }
inline void wake_all(word& at) noexcept { at.notify_all(); }

class punctual {};

}  // namespace fg::inline FINEGRAIN_ABI::detail::futex
