// The hint of a loop that waits, for the model checker: replaces the shipped core/pause.hpp.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>

#include "checker/explorer.hpp"
#include "finegrain/core/config.hpp"

namespace fg::inline FINEGRAIN_ABI {

/// How often each thread of the scenario may go to sleep, if its loops that pause also count their
/// polls (wait.hpp). The scenario sets it at its start, each time.
inline std::array<int, model::kMaxThreads> sleeps_left{};

inline int& sleeps_left_here() noexcept {
  return sleeps_left[model::explorer::current()->thread()];
}

/// Returns only after something that the loop has read has changed.
inline void pause() noexcept {
  if (sleeps_left_here() == 0) {  // otherwise the code that counts the polls decides
    model::explorer::current()->look_again();
  }
}

}  // namespace fg::inline FINEGRAIN_ABI
