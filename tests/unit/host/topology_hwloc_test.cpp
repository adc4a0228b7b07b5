// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>
#include <hwloc.h>

#include <cstdlib>
#include <memory>
#include <string>
#include <vector>

#include "finegrain/host/affinity.hpp"
#include "finegrain/host/host_view.hpp"
#include "finegrain/host/placement.hpp"
#include "finegrain/host/sysfs_topology.hpp"
#include "fixtures/fake_root.hpp"
#include "fixtures/machines.hpp"

namespace {

using fg::proximity;
using fg::test::cpus_from_to;

struct free_topology {
  void operator()(hwloc_topology* topology) const noexcept { hwloc_topology_destroy(topology); }
};
using loaded_topology = std::unique_ptr<hwloc_topology, free_topology>;

loaded_topology load_synthetic(const char* description) {
  hwloc_topology_t raw = nullptr;
  EXPECT_EQ(hwloc_topology_init(&raw), 0);
  loaded_topology loaded{raw};
  EXPECT_EQ(hwloc_topology_set_synthetic(raw, description), 0) << description;
  EXPECT_EQ(hwloc_topology_load(raw), 0);
  return loaded;
}

fg::topology synthetic(const char* description) {
  return fg::translate_hwloc_topology(load_synthetic(description).get());
}

constexpr const char* kI7 =
    "Package:1 NUMANode:1 L3:1 L2:6 L1d:1 Core:1 PU:2(indexes=0,6,1,7,2,8,3,9,4,10,5,11)";
constexpr const char* kServer = "Package:2 NUMANode:2 L3:1 L2:2 L1d:1 Core:1 PU:4";
constexpr const char* kVm = "Package:1 NUMANode:1 L3:1 L2:4 L1d:1 Core:1 PU:1";

fg::placement choose(const fg::topology& machine, const std::vector<int>& allowed, int main_cpu) {
  return fg::choose_placement({.cpus = &machine}, allowed, main_cpu, {});
}

TEST(hwloc_topology, of_an_i7_8700) {
  const fg::topology machine = synthetic(kI7);
  EXPECT_EQ(machine.cpus, fg::test::i7_8700().cpus);
  EXPECT_EQ(machine.smt, fg::smt_state::on);
  EXPECT_TRUE(machine.source.starts_with("hwloc 2.")) << machine.source;
  EXPECT_EQ(choose(machine, cpus_from_to(0, 11), 4).assistant_cpu, 10);
}

TEST(hwloc_topology, of_a_server_with_smt_4) {
  const fg::topology machine = synthetic(kServer);
  EXPECT_EQ(machine.cpus, fg::test::server_smt4().cpus);
  EXPECT_EQ(choose(machine, cpus_from_to(0, 31), 22).assistant_cpu, 20);
  EXPECT_EQ(choose(machine, {1, 22, 25}, 22).assistant_cpu, 25);
}

TEST(hwloc_topology, of_a_virtual_machine_without_siblings) {
  const fg::topology machine = synthetic(kVm);
  EXPECT_EQ(machine.cpus, fg::test::vm_without_siblings().cpus);
  EXPECT_EQ(machine.smt, fg::smt_state::unknown);
  const fg::placement chosen = choose(machine, cpus_from_to(0, 3), 1);
  EXPECT_EQ(chosen.assistant_cpu, 0);
  EXPECT_EQ(chosen.reason, "the processor has no SMT");
}

TEST(hwloc_topology, of_a_cpuset_that_holds_one_sibling) {
  const fg::placement chosen = choose(synthetic(kI7), {4, 9}, 4);
  EXPECT_EQ(chosen.assistant_cpu, 9);
  EXPECT_EQ(chosen.kind, proximity::shared_l3);
  EXPECT_EQ(chosen.reason, "sibling not in cpuset");
}

TEST(hwloc_topology, of_two_kinds_of_cores) {
  const loaded_topology loaded = load_synthetic(kVm);
  const auto add_kind = [&loaded](int first, int last, int efficiency) {
    hwloc_bitmap_t cpus = hwloc_bitmap_alloc();
    hwloc_bitmap_set_range(cpus, static_cast<unsigned>(first), last);
    EXPECT_EQ(hwloc_cpukinds_register(loaded.get(), cpus, efficiency, 0, nullptr, 0), 0);
    hwloc_bitmap_free(cpus);
  };
  add_kind(0, 1, 5);
  add_kind(2, 3, 1);
  const fg::topology machine = fg::translate_hwloc_topology(loaded.get());
  EXPECT_EQ(machine.find(0)->efficiency_class, 1);
  EXPECT_EQ(machine.find(3)->efficiency_class, 0);
  EXPECT_EQ(choose(machine, {0, 2, 3}, 0).reason, "only slower cores are left");
  EXPECT_EQ(choose(machine, {0, 2, 3}, 2).assistant_cpu, 3);
}

TEST(hwloc_topology, without_packages_caches_and_nodes_of_its_own) {
  const fg::topology machine = synthetic("Core:2 PU:1");
  ASSERT_EQ(machine.cpus.size(), 2U);
  const fg::logical_cpu bare{.id = 1, .core = 1, .package = 0, .numa_node = 0};
  EXPECT_EQ(machine.cpus.at(1), bare);
}

// Gives hwloc a tree of the test's own.
class hwloc_root {
 public:
  explicit hwloc_root(const fg::test::fake_root& root) {
    setenv("HWLOC_FSROOT", root.path().c_str(), 1);
    setenv("HWLOC_COMPONENTS", "linux,stop", 1);
  }
  hwloc_root(const hwloc_root&) = delete;
  hwloc_root& operator=(const hwloc_root&) = delete;
  ~hwloc_root() {
    unsetenv("HWLOC_FSROOT");
    unsetenv("HWLOC_COMPONENTS");
  }
};

TEST(hwloc_topology, agrees_with_our_own_reading_of_sysfs) {
  for (const fg::topology& machine : {fg::test::i7_8700(), fg::test::hybrid_laptop(),
                                      fg::test::server_smt4(), fg::test::vm_without_siblings()}) {
    const fg::test::fake_root root;
    write_sysfs(root, machine);
    const hwloc_root in_tree{root};
    const fg::topology found = fg::read_hwloc_topology();
    EXPECT_TRUE(found.source.starts_with("hwloc 2.")) << found.source;
    EXPECT_EQ(found.cpus, machine.cpus);
    EXPECT_EQ(found.cpus, fg::detail::read_sysfs_topology(root.path()).cpus);
  }
}

TEST(hwloc_topology, a_tree_that_hwloc_can_not_load_is_read_by_us) {
  setenv("HWLOC_XMLFILE", "/nowhere/at/all.xml", 1);
  setenv("HWLOC_COMPONENTS", "xml,stop", 1);
  const fg::topology found = fg::read_hwloc_topology();
  unsetenv("HWLOC_COMPONENTS");
  unsetenv("HWLOC_XMLFILE");
  EXPECT_EQ(found.source, "sysfs");
  EXPECT_EQ(found.cpus, fg::detail::read_sysfs_topology().cpus);
}

// hwloc may distinguish kinds of cores by their frequency, which sysfs does not show to us.
std::vector<fg::logical_cpu> without_classes(std::vector<fg::logical_cpu> cpus) {
  for (fg::logical_cpu& cpu : cpus) {
    cpu.efficiency_class = 0;
  }
  return cpus;
}

TEST(hwloc_topology, agrees_with_sysfs_on_this_machine) {
  const fg::topology by_sysfs = fg::detail::read_sysfs_topology();
  if (by_sysfs.cpus.empty()) {
    GTEST_SKIP() << "/sys shows no CPUs here";
  }
  const std::vector<int> before = fg::usable_cpus();
  const fg::topology by_hwloc = fg::read_hwloc_topology();
  EXPECT_EQ(without_classes(by_hwloc.cpus), without_classes(by_sysfs.cpus));
  EXPECT_EQ(by_hwloc.smt, by_sysfs.smt);
  EXPECT_EQ(fg::usable_cpus(), before);
}

}  // namespace
