// Which part of a program a task belongs to.
#pragma once

#include <cstdint>

#include "finegrain/core/config.hpp"

namespace fg::inline FINEGRAIN_ABI {

/// A region is what one call of `pool::run`, one posted task or one `isolate` spawns. A worker that
/// waits within a task takes tasks of its own region only, whose number this is; 0 where nobody
/// tells regions apart (pool/worker.hpp).
using region_id = std::uint64_t;

/// For whoever takes tasks of all regions.
inline constexpr region_id kAnyRegion = ~region_id{0};

}  // namespace fg::inline FINEGRAIN_ABI
