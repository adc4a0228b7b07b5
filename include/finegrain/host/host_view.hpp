// The machine as this process sees it: topology, quota, processor.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>

#include "finegrain/core/atomic.hpp"
#include "finegrain/core/cpuid.hpp"
#include "finegrain/host/system.hpp"
#include "finegrain/host/topology.hpp"
#include "finegrain/thread/no_cancellation.hpp"

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

namespace fg::inline FINEGRAIN_SHARED_ABI::shared {

using topology_reader = topology (*)();

// Sources that see the library and others that do not may meet in one program, and sources of any
// settings. All share this variable. Those that see the library have one thing more,
// `hwloc_is_used`, whose initialization puts hwloc here. Until then, in static constructors that
// come before it, sysfs answers, which tells the same. Trivially destructible and initialized at
// compile time, so it is there for all static constructors and destructors.
inline constinit atomic<topology_reader> system_topology_reader{&detail::read_own_topology};

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

/// A machine as this process sees it. Plain data; it does not own the topology.
struct host_view {
  const topology* cpus = nullptr;  ///< never null where one is passed on
  std::optional<double> quota_cpus{};
  cpuid_facts processor{};
};

/// This machine now. The topology is read once a process and never freed, so the view may be kept,
/// and used in static destructors; CPUs that come online later are not in it. The quota is read at
/// each call. Any thread. Throws std::bad_alloc.
/// First call 0.6 ms from sysfs and 1.2 ms from hwloc, later ones 0.1 ms (2 CPUs of an EPYC 9004,
/// KVM).
inline host_view system_host_view() {
  const detail::no_cancellation guard;  // it reads files
  static const topology* const cpus = new topology{system_topology()};
  return {.cpus = cpus, .quota_cpus = quota_cpus(), .processor = cpu_features()};
}

}  // namespace fg::inline FINEGRAIN_ABI
