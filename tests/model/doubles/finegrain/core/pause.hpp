// The hint of a loop that waits, for the model checker: stands in for the shipped core/pause.hpp.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>

#include "checker/explorer.hpp"
#include "finegrain/core/config.hpp"

namespace fg::inline FINEGRAIN_ABI {

/// How often each thread of the scenario may go to sleep, where its loops that pause also count
/// their looks (wait.hpp). The scenario says it in its beginning, each time.
inline std::array<int, model::kMaxThreads> sleeps_left{};

inline int& sleeps_left_here() noexcept {
  return sleeps_left[model::explorer::current()->thread()];
}

/// Not before what the loop has read has changed.
inline void pause() noexcept {
  if (sleeps_left_here() == 0) {  // otherwise it is up to whoever counts the looks
    model::explorer::current()->look_again();
  }
}

}  // namespace fg::inline FINEGRAIN_ABI
