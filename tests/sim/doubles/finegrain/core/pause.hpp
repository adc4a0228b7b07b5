// The hint of a loop that waits: replaces the shipped core/pause.hpp.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "finegrain/core/config.hpp"
#include "sim/simulator/program.hpp"

namespace fg::inline FINEGRAIN_ABI {

inline void pause() noexcept { sim::pause(); }

}  // namespace fg::inline FINEGRAIN_ABI
