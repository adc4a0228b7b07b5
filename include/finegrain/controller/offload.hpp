// Whether an algorithm shares its work with other threads.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "finegrain/core/config.hpp"

namespace fg::inline FINEGRAIN_ABI {

/// Whether an algorithm hands work to others: the assistant of a relic, or other workers of a pool.
enum class offload {
  always,    ///< each time
  never,     ///< all work runs on the calling thread
  adaptive,  ///< if it was measured to be faster
};

}  // namespace fg::inline FINEGRAIN_ABI
