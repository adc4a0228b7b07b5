// The topology as Linux reports it in sysfs, without any library.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <iterator>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "finegrain/host/text_file.hpp"
#include "finegrain/host/topology.hpp"

namespace fg::inline FINEGRAIN_ABI::detail {

inline std::string sysfs_cpu_folder(const std::string& root) {
  return root + "/sys/devices/system/cpu";
}

inline bool is_listed(const std::vector<int>& ascending, int cpu) {
  return std::binary_search(ascending.begin(), ascending.end(), cpu);
}

// The name of what CPU `id` shares with the CPUs of its list: the lowest of them. `otherwise` if
// the list is empty or does not contain the CPU itself.
inline int name_of_shared(const std::vector<int>& cpus, int id, int otherwise) {
  return is_listed(cpus, id) ? cpus.front() : otherwise;
}

// Sets l2 and l3 from cache/index*. A cache that does not list its CPUs stays unknown.
inline void read_sysfs_caches(const std::string& cpu_folder, logical_cpu& cpu) {
  for (int index = 0;; ++index) {
    const std::string folder = cpu_folder + "/cache/index" + std::to_string(index);
    const std::optional<int> level = read_integer<int>(folder + "/level");
    if (!level) {
      return;
    }
    const std::optional<std::string> type = read_text_file(folder + "/type");
    if (type && first_line(*type) == "Instruction") {
      continue;
    }
    const int name = name_of_shared(read_cpu_list(folder + "/shared_cpu_list"), cpu.id, -1);
    if (*level == 2) {
      cpu.l2 = name;
    } else if (*level == 3) {
      cpu.l3 = name;
    }
  }
}

inline logical_cpu read_sysfs_cpu(const std::string& root, int id) {
  const std::string folder = sysfs_cpu_folder(root) + "/cpu" + std::to_string(id);
  std::vector<int> siblings = read_cpu_list(folder + "/topology/core_cpus_list");
  if (siblings.empty()) {  // the name of the file before Linux 5.3
    siblings = read_cpu_list(folder + "/topology/thread_siblings_list");
  }
  logical_cpu cpu{.id = id, .core = name_of_shared(siblings, id, id)};
  // Without a number (some Arm boards report -1) there is one package.
  cpu.package =
      std::max(0, read_integer<int>(folder + "/topology/physical_package_id").value_or(0));
  read_sysfs_caches(folder, cpu);
  return cpu;
}

inline void read_sysfs_numa_nodes(const std::string& root, std::vector<logical_cpu>& cpus) {
  const std::string folder = root + "/sys/devices/system/node";
  for (const int node : read_cpu_list(folder + "/online")) {
    const std::vector<int> members =
        read_cpu_list(folder + "/node" + std::to_string(node) + "/cpulist");
    for (logical_cpu& cpu : cpus) {
      if (is_listed(members, cpu.id)) {
        cpu.numa_node = node;
      }
    }
  }
}

// Ranks capacities. Those within 20 % of the fastest of a class belong to it: cores of one design
// differ in their top frequency, which is no reason to separate them.
inline void rank_by_capacity(std::vector<logical_cpu>& cpus, const std::vector<int>& capacities) {
  std::vector<int> class_tops;  // descending
  std::vector<int> sorted = capacities;
  std::sort(sorted.rbegin(), sorted.rend());
  for (const int capacity : sorted) {
    if (class_tops.empty() || capacity * 10 < class_tops.back() * 8) {
      class_tops.push_back(capacity);
    }
  }
  for (std::size_t i = 0; i < cpus.size(); ++i) {
    const auto faster_or_same = std::find_if(class_tops.begin(), class_tops.end(), [&](int top) {
      return capacities[i] * 10 >= top * 8;
    });
    cpus[i].efficiency_class =
        static_cast<int>(std::distance(faster_or_same, class_tops.end())) - 1;
  }
}

// Intel's hybrid processors have a performance-monitoring device for each kind of core; Arm and
// newer kernels report capacities. Without either, changes nothing and returns false.
inline bool read_sysfs_efficiency(const std::string& root, std::vector<logical_cpu>& cpus) {
  const std::vector<int> performance = read_cpu_list(root + "/sys/devices/cpu_core/cpus");
  const std::vector<int> efficient = read_cpu_list(root + "/sys/devices/cpu_atom/cpus");
  if (!performance.empty() && !efficient.empty()) {
    for (logical_cpu& cpu : cpus) {
      cpu.efficiency_class = is_listed(performance, cpu.id) ? 1 : 0;
    }
    return true;
  }
  std::vector<int> capacities;
  for (const logical_cpu& cpu : cpus) {
    const std::optional<int> capacity = read_integer<int>(sysfs_cpu_folder(root) + "/cpu" +
                                                          std::to_string(cpu.id) + "/cpu_capacity");
    if (!capacity || *capacity <= 0 || *capacity > 1 << 20) {
      return false;
    }
    capacities.push_back(*capacity);
  }
  rank_by_capacity(cpus, capacities);
  return true;
}

/// Whether SMT is on, from smt/control and smt/active. `root` precedes every path.
inline smt_state read_sysfs_smt(const std::string& root = {}) {
  const std::string folder = sysfs_cpu_folder(root) + "/smt";
  const std::optional<std::string> control = read_text_file(folder + "/control");
  if (!control) {
    return smt_state::unknown;
  }
  const std::string_view word = first_line(*control);
  if (word == "notsupported" || word == "notimplemented") {
    return smt_state::none;
  }
  // "on" without an active sibling: the siblings were taken offline one by one.
  const bool active = read_integer<int>(folder + "/active").value_or(1) != 0;
  return word == "on" && active ? smt_state::on : smt_state::off;
}

/// The topology of this machine from /sys; `root` precedes every path, for tests. Empty if there is
/// no /sys, or none with CPUs (other systems, masked containers). A missing file affects only what
/// it would have reported: without a list of siblings a CPU is its own core, without a cache's list
/// that cache is unknown, without a package there is one, without capacities all cores are alike.
/// Any thread. Throws std::bad_alloc. 0.3 ms for two CPUs, linear in their number (EPYC 9004, KVM).
inline topology read_sysfs_topology(const std::string& root = {}) {
  topology found{.source = "sysfs"};
  for (const int id : read_cpu_list(sysfs_cpu_folder(root) + "/online")) {
    found.cpus.push_back(read_sysfs_cpu(root, id));
  }
  read_sysfs_numa_nodes(root, found.cpus);
  static_cast<void>(read_sysfs_efficiency(root, found.cpus));
  found.smt = read_sysfs_smt(root);
  return found;
}

}  // namespace fg::inline FINEGRAIN_ABI::detail
