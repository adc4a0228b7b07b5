// The topology from a /sys with arbitrary contents, and the decisions based on it.
// SPDX-License-Identifier: Apache-2.0
#include <FuzzedDataProvider.h>

#include <algorithm>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "finegrain/host/host_view.hpp"
#include "finegrain/host/placement.hpp"
#include "finegrain/host/sysfs_topology.hpp"
#include "finegrain/host/topology.hpp"
#include "finegrain/pool/pool_cpus.hpp"
#include "fixtures/fake_root.hpp"
#include "fuzz/hostile_files.hpp"
#include "fuzz/oracle.hpp"

namespace {

using fg::test::require;

const std::string cpu_folder = "/sys/devices/system/cpu";
const std::string node_folder = "/sys/devices/system/node";
const std::string online_file = cpu_folder + "/online";

// Four CPUs on two cores.
const fg::test::hostile_files& files() {
  static const fg::test::hostile_files all{{
      {online_file, "0-3"},
      {cpu_folder + "/cpu0/topology/core_cpus_list", "0-1"},
      {cpu_folder + "/cpu1/topology/core_cpus_list", "0-1"},
      {cpu_folder + "/cpu2/topology/core_cpus_list", "2-3"},
      {cpu_folder + "/cpu3/topology/thread_siblings_list", "2-3"},
      {cpu_folder + "/cpu0/topology/physical_package_id", "0"},
      {cpu_folder + "/cpu1/topology/physical_package_id", "0"},
      {cpu_folder + "/cpu0/cache/index0/level", "2"},
      {cpu_folder + "/cpu0/cache/index0/type", "Unified"},
      {cpu_folder + "/cpu0/cache/index0/shared_cpu_list", "0-1"},
      {cpu_folder + "/cpu0/cache/index1/level", "3"},
      {cpu_folder + "/cpu0/cache/index1/shared_cpu_list", "0-3"},
      {node_folder + "/online", "0-1"},
      {node_folder + "/node0/cpulist", "0-1"},
      {node_folder + "/node1/cpulist", "2-3"},
      {cpu_folder + "/cpu0/cpu_capacity", "1024"},
      {cpu_folder + "/cpu1/cpu_capacity", "1024"},
      {cpu_folder + "/cpu2/cpu_capacity", "400"},
      {cpu_folder + "/cpu3/cpu_capacity", "400"},
      {"/sys/devices/cpu_core/cpus", ""},
      {"/sys/devices/cpu_atom/cpus", ""},
      {cpu_folder + "/smt/control", "on"},
      {cpu_folder + "/smt/active", "1"},
  }};
  return all;
}

void require_bounds(const fg::topology& found) {
  for (const fg::logical_cpu& cpu : found.cpus) {
    require(cpu.core >= 0 && cpu.core <= cpu.id, "a core is named by its lowest CPU");
    require(cpu.l2 >= -1 && cpu.l2 <= cpu.id && cpu.l3 >= -1 && cpu.l3 <= cpu.id,
            "a cache is named by its lowest CPU");
    require(cpu.package >= 0 && cpu.numa_node >= -1, "packages and nodes have numbers");
    require(
        cpu.efficiency_class >= 0 &&
            cpu.efficiency_class < static_cast<int>(std::max<std::size_t>(found.cpus.size(), 2)),
        "there are no more classes than CPUs");
    require(found.find(cpu.id) == &cpu, "a CPU is found by its number");
  }
}

void require_placement(const fg::host_view& host, const std::vector<int>& allowed, int main_cpu) {
  const fg::placement chosen = fg::choose_placement(host, allowed, main_cpu, {});
  fg::test::require_one_line(chosen.reason);
  require(!chosen.assistant_cpu || (*chosen.assistant_cpu != main_cpu &&
                                    fg::detail::holds(allowed, *chosen.assistant_cpu)),
          "the assistant gets another CPU, an allowed one");
  for (const auto each : {fg::worker_placement::untied, fg::worker_placement::one_per_core}) {
    const fg::detail::pool_cpus workers =
        fg::detail::choose_pool_cpus(host, allowed, main_cpu, each, 0);
    require(
        !workers.cpus.empty() && workers.cpus.size() <= std::max<std::size_t>(allowed.size(), 1),
        "there is a worker, and at most one a CPU");
    for (const int cpu : workers.cpus) {
      require(cpu == -1 || fg::detail::holds(allowed, cpu), "a worker's CPU is an allowed one");
    }
  }
}

}  // namespace

// NOLINTNEXTLINE(readability-identifier-naming): libFuzzer's name
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  constexpr std::size_t kMostCpus = 64;  // more are slow to read, and test nothing new
  FuzzedDataProvider input{data, size};
  const fg::test::fake_root& root = files().overwrite(input);
  const std::vector<int> online = fg::detail::read_cpu_list(root.path() + online_file);
  if (online.size() > kMostCpus) {
    return 0;
  }
  const fg::topology found = fg::detail::read_sysfs_topology(root.path());
  require(std::ranges::equal(found.cpus, online, {}, &fg::logical_cpu::id),
          "the CPUs are those that are online, ascending");
  require_bounds(found);
  const std::optional<double> quota = fg::detail::to_cpus(input.ConsumeRandomLengthString(20), "1");
  require_placement({.cpus = &found, .quota_cpus = quota}, online, online.empty() ? -1 : online[0]);
  require_placement({.cpus = &found}, {0, 1, 2}, 2);
  return 0;
}
