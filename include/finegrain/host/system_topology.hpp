// This machine's topology, from the best source that the program has.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "finegrain/core/atomic.hpp"
#include "finegrain/host/sysfs_topology.hpp"
#include "finegrain/host/topology.hpp"

#if defined(FINEGRAIN_WITH_HWLOC)
#include "finegrain/host/hwloc_topology.hpp"
#endif

namespace fg::inline FINEGRAIN_ABI::detail {

inline topology read_own_sysfs() { return read_sysfs_topology(); }

}  // namespace fg::inline FINEGRAIN_ABI::detail

namespace fg::inline FINEGRAIN_SHARED_ABI::shared {

using topology_reader = topology (*)();

// Sources that see the library and others that do not may meet in one program, and sources of any
// settings. All share this variable. Those that see the library have one thing more,
// `hwloc_is_used`, whose initialization puts hwloc here. Until then, in static constructors that
// come before it, sysfs answers, which tells the same. Trivially destructible and initialized at
// compile time, so it is there for all static constructors and destructors.
inline constinit atomic<topology_reader> system_topology_reader{&detail::read_own_sysfs};

#if defined(FINEGRAIN_WITH_HWLOC)
inline const bool hwloc_is_used = [] {
  // Relaxed: the reader is code, and brings no data along.
  system_topology_reader.store(&read_hwloc_topology, memory_order_relaxed);
  return true;
}();
#endif

}  // namespace fg::inline FINEGRAIN_SHARED_ABI::shared

namespace fg::inline FINEGRAIN_ABI {

/// The topology of this machine: from hwloc where the program is linked with `finegrain::core`,
/// else from sysfs. Reads it anew. Any thread, also in static constructors and destructors. Throws
/// std::bad_alloc.
inline topology system_topology() {
  // Relaxed: a pointer to code. Either one that may be there tells the same.
  return shared::system_topology_reader.load(memory_order_relaxed)();
}

}  // namespace fg::inline FINEGRAIN_ABI
