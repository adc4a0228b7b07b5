// The topology as hwloc tells it. In the library `finegrain::core`.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "finegrain/host/topology.hpp"

struct hwloc_topology;  // hwloc's own type: its hwloc_topology_t points to one

namespace fg::inline FINEGRAIN_SHARED_ABI {

/// Translates what hwloc has loaded. Requires: `loaded` was loaded with
/// HWLOC_TOPOLOGY_FLAG_INCLUDE_DISALLOWED, or CPUs outside of the cpuset are missing. The state of
/// SMT is known only where hwloc sees siblings. Any thread that may read `loaded`. Throws
/// std::bad_alloc.
[[nodiscard]] topology translate_hwloc_topology(hwloc_topology* loaded);

/// The topology of this machine from hwloc (its environment variables, HWLOC_SYNTHETIC and such,
/// are obeyed), with the classes of cores from sysfs where that knows them; all from sysfs if hwloc
/// can not load it. The calling thread stays where it is. Any thread. Throws std::bad_alloc.
[[nodiscard]] topology read_hwloc_topology();

}  // namespace fg::inline FINEGRAIN_SHARED_ABI
