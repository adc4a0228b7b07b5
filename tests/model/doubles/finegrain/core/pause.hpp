// The hint of a loop that waits, for the model checker: stands in for the shipped core/pause.hpp.
#pragma once

#include "checker/explorer.hpp"

namespace fg {

/// Not before what the loop has read has changed.
inline void pause() noexcept { model::explorer::current()->look_again(); }

}  // namespace fg
