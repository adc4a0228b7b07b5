// The machine as this process sees it: topology, quota, processor.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>

#include "finegrain/core/atomic.hpp"
#include "finegrain/core/cpuid.hpp"
#include "finegrain/host/system.hpp"
#include "finegrain/host/topology.hpp"
#include "finegrain/thread/no_cancellation.hpp"

struct hwloc_topology;  // hwloc's own type: its hwloc_topology_t is a pointer to it

namespace fg::inline FINEGRAIN_SHARED_ABI {

/// Translates a topology loaded by hwloc. Requires: HWLOC_TOPOLOGY_FLAG_INCLUDE_DISALLOWED was set;
/// otherwise CPUs outside of the cpuset are missing. The state of SMT is known only if hwloc sees
/// siblings. Any thread that may read `loaded`. Throws std::bad_alloc.
[[nodiscard]] topology translate_hwloc_topology(hwloc_topology* loaded);

/// The topology of this machine from hwloc, which obeys its environment variables (HWLOC_SYNTHETIC
/// and others). The core classes are from sysfs if it knows them, and everything is if hwloc cannot
/// load the topology. The calling thread does not move. Any thread. Throws std::bad_alloc.
[[nodiscard]] topology read_hwloc_topology();

}  // namespace fg::inline FINEGRAIN_SHARED_ABI

namespace fg::inline FINEGRAIN_SHARED_ABI::shared {

using topology_reader = topology (*)();

// Sources with and without the library, and with any settings, may meet in one program. All share
// this variable. Those with the library have `hwloc_is_used`, whose initialization stores hwloc's
// reader here. In static constructors that run earlier, sysfs answers, with the same result.
// Trivially destructible and initialized at compile time, for static constructors and destructors.
inline constinit atomic<topology_reader> system_topology_reader{&detail::read_own_topology};

#if defined(FINEGRAIN_WITH_HWLOC)
inline const bool hwloc_is_used = [] {
  // Relaxed: the reader is code, and publishes no data.
  system_topology_reader.store(&read_hwloc_topology, memory_order_relaxed);
  return true;
}();
#endif

}  // namespace fg::inline FINEGRAIN_SHARED_ABI::shared

namespace fg::inline FINEGRAIN_ABI {

/// This machine's topology: from hwloc if linked with `finegrain::core`, else from sysfs. Each call
/// reads it again. Any thread, also in static constructors and destructors. Throws std::bad_alloc.
inline topology system_topology() {
  // Relaxed: a pointer to code. Either reader that may be stored gives the same result.
  return shared::system_topology_reader.load(memory_order_relaxed)();
}

/// The machine as this process sees it. Plain data; it does not own the topology.
struct host_view {
  const topology* cpus = nullptr;  ///< never null in a view that is passed to a function
  std::optional<double> quota_cpus{};
  cpuid_facts processor{};
};

/// This machine now. The topology is read once per process and never freed, so the view may be kept
/// and used in static destructors; it lacks CPUs that come online later. The quota is read at each
/// call. Any thread. Throws std::bad_alloc.
/// First call 0.6 ms with sysfs, 1.2 with hwloc, later ones 0.1 ms (2 CPUs of an EPYC 9004, KVM).
inline host_view system_host_view() {
  const detail::no_cancellation guard;  // it reads files
  static const topology* const cpus = new topology{system_topology()};
  return {.cpus = cpus, .quota_cpus = quota_cpus(), .processor = cpu_features()};
}

}  // namespace fg::inline FINEGRAIN_ABI
