// The hint of a loop that waits, for the model checker: stands in for the shipped core/pause.hpp.
#pragma once

#include "checker/explorer.hpp"

namespace fg {

/// What the scenario says: true where each loop that pauses also counts its looks (wait.hpp), and
/// goes to sleep at any time.
inline bool loops_sleep = false;

/// Not before what the loop has read has changed.
inline void pause() noexcept {
  if (!loops_sleep) {
    model::explorer::current()->look_again();
  }
}

}  // namespace fg
