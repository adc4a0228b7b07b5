// SPDX-License-Identifier: Apache-2.0
#include <hwloc.h>

#include <algorithm>
#include <memory>
#include <string>

#include "finegrain/host/host_view.hpp"
#include "finegrain/host/sysfs_topology.hpp"

namespace fg::inline FINEGRAIN_SHARED_ABI {

namespace {

struct free_topology {
  void operator()(hwloc_topology* topology) const noexcept { hwloc_topology_destroy(topology); }
};
using owned_topology = std::unique_ptr<hwloc_topology, free_topology>;

// Returns the lowest CPU of the object of `type` that contains `pu`, or `otherwise` if there is
// none.
int name_of(hwloc_topology* loaded, hwloc_obj* pu, hwloc_obj_type_t type, int otherwise) {
  const hwloc_obj* const object = hwloc_get_ancestor_obj_by_type(loaded, type, pu);
  return object != nullptr ? hwloc_bitmap_first(object->cpuset) : otherwise;
}

int package_of(hwloc_topology* loaded, hwloc_obj* pu) {
  const hwloc_obj* const package = hwloc_get_ancestor_obj_by_type(loaded, HWLOC_OBJ_PACKAGE, pu);
  return package != nullptr && package->os_index != HWLOC_UNKNOWN_INDEX
             ? static_cast<int>(package->os_index)
             : 0;
}

int numa_node_of(hwloc_topology* loaded, unsigned cpu) {
  hwloc_obj* node = nullptr;
  while ((node = hwloc_get_next_obj_by_type(loaded, HWLOC_OBJ_NUMANODE, node)) != nullptr) {
    if (hwloc_bitmap_isset(node->cpuset, cpu) != 0) {
      return static_cast<int>(node->os_index);
    }
  }
  return -1;
}

// Returns hwloc's rank of the kind of core, the fastest highest; -1 if it knows no order.
int efficiency_of(hwloc_topology* loaded, const hwloc_obj* pu) {
  const int kind = hwloc_cpukinds_get_by_cpuset(loaded, pu->cpuset, 0);
  int efficiency = 0;
  if (kind < 0 || hwloc_cpukinds_get_info(loaded, static_cast<unsigned>(kind), nullptr, &efficiency,
                                          nullptr, nullptr, 0) != 0) {
    return 0;
  }
  return std::max(efficiency, 0);
}

std::string name_and_version(hwloc_topology* loaded) {
  const char* const version =
      hwloc_obj_get_info_by_name(hwloc_get_root_obj(loaded), "hwlocVersion");
  return version != nullptr ? std::string{"hwloc "} + version : "hwloc";
}

// Returns null if hwloc fails.
owned_topology load_this_system() {
  hwloc_topology_t raw = nullptr;
  if (hwloc_topology_init(&raw) != 0) {
    return nullptr;
  }
  owned_topology loaded{raw};
  // Disallowed CPUs are included: a sibling outside of the cpuset is still a sibling. And the
  // calling thread must not be moved across all CPUs.
  constexpr unsigned long kFlags =
      HWLOC_TOPOLOGY_FLAG_INCLUDE_DISALLOWED | HWLOC_TOPOLOGY_FLAG_DONT_CHANGE_BINDING;
  const bool done = hwloc_topology_set_flags(raw, kFlags) == 0 && hwloc_topology_load(raw) == 0;
  return done ? std::move(loaded) : nullptr;
}

}  // namespace

topology translate_hwloc_topology(hwloc_topology* loaded) {
  topology found{.source = name_and_version(loaded)};
  hwloc_obj* pu = nullptr;
  while ((pu = hwloc_get_next_obj_by_type(loaded, HWLOC_OBJ_PU, pu)) != nullptr) {
    const auto id = static_cast<int>(pu->os_index);
    found.cpus.push_back({.id = id,
                          .core = name_of(loaded, pu, HWLOC_OBJ_CORE, id),
                          .package = package_of(loaded, pu),
                          .l2 = name_of(loaded, pu, HWLOC_OBJ_L2CACHE, -1),
                          .l3 = name_of(loaded, pu, HWLOC_OBJ_L3CACHE, -1),
                          .numa_node = numa_node_of(loaded, pu->os_index),
                          .efficiency_class = efficiency_of(loaded, pu)});
  }
  std::ranges::sort(found.cpus, {}, &logical_cpu::id);
  found.smt = found.has_siblings() ? smt_state::on : smt_state::unknown;
  return found;
}

topology read_hwloc_topology() {
  const owned_topology loaded = load_this_system();
  if (!loaded) {
    return detail::read_sysfs_topology();
  }
  topology found = translate_hwloc_topology(loaded.get());
  if (hwloc_topology_is_thissystem(loaded.get()) != 0) {
    // Adds what hwloc cannot know: why there are no siblings, and the kinds of cores beyond what
    // frequencies show, since it may not run on each CPU to query its kind.
    if (found.smt == smt_state::unknown) {
      found.smt = detail::read_sysfs_smt();
    }
    static_cast<void>(detail::read_sysfs_efficiency({}, found.cpus));
  }
  return found;
}

}  // namespace fg::inline FINEGRAIN_SHARED_ABI
