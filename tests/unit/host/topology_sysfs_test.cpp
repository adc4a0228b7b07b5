// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <filesystem>

#include "finegrain/host/affinity.hpp"
#include "finegrain/host/host_view.hpp"
#include "finegrain/host/sysfs_topology.hpp"
#include "fixtures/fake_root.hpp"
#include "fixtures/machines.hpp"

namespace {

using fg::test::fake_root;

fg::topology read_back(const fg::topology& machine) {
  const fake_root root;
  write_sysfs(root, machine);
  return fg::detail::read_sysfs_topology(root.path());
}

TEST(sysfs_topology, reads_what_each_machine_shows) {
  for (const fg::topology& machine : {fg::test::i7_8700(), fg::test::hybrid_laptop(),
                                      fg::test::server_smt4(), fg::test::vm_without_siblings()}) {
    const fg::topology found = read_back(machine);
    EXPECT_EQ(found.cpus, machine.cpus);
    EXPECT_EQ(found.smt, machine.smt);
    EXPECT_EQ(found.source, "sysfs");
  }
}

TEST(sysfs_topology, is_empty_without_a_tree) {
  const fake_root root;
  const fg::topology found = fg::detail::read_sysfs_topology(root.path());
  EXPECT_TRUE(found.cpus.empty());
  EXPECT_EQ(found.smt, fg::smt_state::unknown);
}

TEST(sysfs_topology, reads_the_sibling_list_of_older_kernels) {
  const fake_root root;
  write_sysfs(root, fg::test::i7_8700());
  for (int cpu = 0; cpu < 12; ++cpu) {
    root.remove("/sys/devices/system/cpu/cpu" + std::to_string(cpu) + "/topology/core_cpus_list");
  }
  EXPECT_EQ(fg::detail::read_sysfs_topology(root.path()).cpus, fg::test::i7_8700().cpus);
}

TEST(sysfs_topology, a_masked_tree_leaves_what_is_there) {
  const fake_root root;
  root.write("/sys/devices/system/cpu/online", "0-1");
  const std::vector<fg::logical_cpu> bare{{.id = 0, .core = 0, .package = 0},
                                          {.id = 1, .core = 1, .package = 0}};
  EXPECT_EQ(fg::detail::read_sysfs_topology(root.path()).cpus, bare);
}

TEST(sysfs_topology, an_unknown_package_is_the_only_one) {
  const fake_root root;
  write_sysfs(root, fg::test::vm_without_siblings());
  root.write("/sys/devices/system/cpu/cpu1/topology/physical_package_id", "-1");
  EXPECT_EQ(fg::detail::read_sysfs_topology(root.path()).cpus.at(1).package, 0);
}

TEST(sysfs_topology, leaves_offline_cpus_out) {
  const fake_root root;
  write_sysfs(root, fg::test::i7_8700());
  root.write("/sys/devices/system/cpu/online", "0-3,6-9");
  const fg::topology found = fg::detail::read_sysfs_topology(root.path());
  ASSERT_EQ(found.cpus.size(), 8U);
  EXPECT_EQ(found.find(4), nullptr);
  ASSERT_NE(found.find(6), nullptr);
  EXPECT_EQ(found.find(6)->core, 0);
}

void write_capacities(const fake_root& root, const std::vector<int>& capacities) {
  for (std::size_t cpu = 0; cpu < capacities.size(); ++cpu) {
    root.write("/sys/devices/system/cpu/cpu" + std::to_string(cpu) + "/cpu_capacity",
               std::to_string(capacities[cpu]));
  }
}

std::vector<int> classes(const fg::topology& machine) {
  std::vector<int> all;
  all.reserve(machine.cpus.size());
  for (const fg::logical_cpu& cpu : machine.cpus) {
    all.push_back(cpu.efficiency_class);
  }
  return all;
}

TEST(sysfs_topology, ranks_capacities_in_classes) {
  const fake_root root;
  write_sysfs(root, fg::test::vm_without_siblings());
  write_capacities(root, {400, 1024, 900, 250});
  EXPECT_EQ(classes(fg::detail::read_sysfs_topology(root.path())), (std::vector{1, 2, 2, 0}));
  write_capacities(root, {1024, 1024, 1024, 1024});
  EXPECT_EQ(classes(fg::detail::read_sysfs_topology(root.path())), (std::vector{0, 0, 0, 0}));
  root.write("/sys/devices/system/cpu/cpu2/cpu_capacity", "much");
  write_capacities(root, {400, 1024});
  EXPECT_EQ(classes(fg::detail::read_sysfs_topology(root.path())), (std::vector{0, 0, 0, 0}));
}

TEST(sysfs_topology, tells_the_states_of_smt_apart) {
  const fake_root root;
  const auto smt = [&root](const char* control, const char* active) {
    root.write("/sys/devices/system/cpu/smt/control", control);
    root.write("/sys/devices/system/cpu/smt/active", active);
    return fg::detail::read_sysfs_smt(root.path());
  };
  EXPECT_EQ(fg::detail::read_sysfs_smt(root.path()), fg::smt_state::unknown);
  EXPECT_EQ(smt("on", "1"), fg::smt_state::on);
  EXPECT_EQ(smt("on", "0"), fg::smt_state::off);
  EXPECT_EQ(smt("off", "0"), fg::smt_state::off);
  EXPECT_EQ(smt("forceoff", "0"), fg::smt_state::off);
  EXPECT_EQ(smt("notsupported", "0"), fg::smt_state::none);
  EXPECT_EQ(smt("notimplemented", "0"), fg::smt_state::none);
}

TEST(cpu_list, is_read_as_the_kernel_writes_it) {
  using fg::detail::parse_cpu_list;
  EXPECT_EQ(parse_cpu_list("0-3,8\n"), (std::vector{0, 1, 2, 3, 8}));
  EXPECT_EQ(parse_cpu_list("7"), std::vector{7});
  EXPECT_TRUE(parse_cpu_list("\n").empty());
  for (const char* bad : {"x", "0-", "-1", "3-1", "0,,2", "0-3x", "0-99999", "99999999999", "0-3,3",
                          "2,1", "0,", "0--0"}) {
    EXPECT_TRUE(parse_cpu_list(bad).empty()) << bad;
  }
}

TEST(topology, finds_by_number) {
  const fg::topology machine = fg::test::i7_8700();
  ASSERT_NE(machine.find(11), nullptr);
  EXPECT_EQ(machine.find(11)->id, 11);
  EXPECT_EQ(machine.find(12), nullptr);
  EXPECT_EQ(machine.find(-1), nullptr);
  EXPECT_TRUE(machine.has_siblings());
  EXPECT_FALSE(fg::test::vm_without_siblings().has_siblings());
}

TEST(system_topology, holds_the_cpus_of_this_process) {
  if (!std::filesystem::exists("/sys/devices/system/cpu/online")) {
    GTEST_SKIP() << "a container may hide /sys, and with it the CPUs";
  }
  const fg::topology found = fg::system_topology();
  EXPECT_EQ(found.source, "sysfs");
  for (const int cpu : fg::usable_cpus()) {
    EXPECT_NE(found.find(cpu), nullptr) << cpu;
  }
}

}  // namespace
