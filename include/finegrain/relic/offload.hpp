// Whether an algorithm hands work to the assistant.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "finegrain/core/config.hpp"

namespace fg::inline FINEGRAIN_ABI {

/// Whether an algorithm hands work to the assistant.
enum class offload {
  always,    ///< each time
  never,     ///< the whole work runs on the calling thread
  adaptive,  ///< where it was measured to be faster
};

}  // namespace fg::inline FINEGRAIN_ABI
