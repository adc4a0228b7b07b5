// SPDX-License-Identifier: Apache-2.0
#include "finegrain/host/placement.hpp"

#include <gtest/gtest.h>

#include <vector>

#include "finegrain/host/affinity.hpp"
#include "fixtures/machines.hpp"

namespace {

using fg::placement;
using fg::proximity;
using fg::test::cpus_from_to;

std::vector<int> all_of(const fg::topology& machine) {
  std::vector<int> cpus;
  cpus.reserve(machine.cpus.size());
  for (const fg::logical_cpu& cpu : machine.cpus) {
    cpus.push_back(cpu.id);
  }
  return cpus;
}

placement choose(const fg::topology& machine, int main_cpu, const std::vector<int>& taken = {}) {
  return fg::choose_placement({.cpus = &machine}, all_of(machine), main_cpu, taken);
}

placement choose_among(const fg::topology& machine, const std::vector<int>& allowed, int main_cpu,
                       const std::vector<int>& taken = {}) {
  return fg::choose_placement({.cpus = &machine}, allowed, main_cpu, taken);
}

void expect_pair(const placement& chosen, int assistant_cpu, proximity kind, const char* reason) {
  EXPECT_EQ(chosen.assistant_cpu, assistant_cpu);
  EXPECT_EQ(chosen.kind, kind);
  EXPECT_EQ(chosen.reason, reason);
}

void expect_inline(const placement& chosen, const char* reason) {
  EXPECT_EQ(chosen.assistant_cpu, std::nullopt);
  EXPECT_EQ(chosen.reason, reason);
}

// ---- an i7-8700 ----

TEST(placement, takes_the_sibling) {
  const fg::topology machine = fg::test::i7_8700();
  expect_pair(choose(machine, 2), 8, proximity::smt_sibling, "SMT sibling");
  expect_pair(choose(machine, 8), 2, proximity::smt_sibling, "SMT sibling");
  EXPECT_EQ(choose(machine, 8).main_cpu, 8);
}

TEST(placement, a_sibling_outside_of_the_cpuset) {
  const fg::topology machine = fg::test::i7_8700();
  expect_pair(choose_among(machine, cpus_from_to(0, 5), 2), 0, proximity::shared_l3,
              "sibling not in cpuset");
}

TEST(placement, a_sibling_that_serves_another_relic) {
  const fg::topology machine = fg::test::i7_8700();
  expect_pair(choose(machine, 2, {8}), 0, proximity::shared_l3,
              "sibling already serves another relic");
}

TEST(placement, prefers_a_core_where_no_relic_runs) {
  const fg::topology machine = fg::test::i7_8700();
  // 0 and 7 are free, but their siblings serve other relics; 3 is the first on a core of its own.
  expect_pair(choose(machine, 2, {8, 6, 1}), 3, proximity::shared_l3,
              "sibling already serves another relic");
}

TEST(placement, stays_where_it_is_among_equals) {
  const fg::topology machine = fg::test::i7_8700();
  const std::vector<int> allowed = cpus_from_to(0, 5);
  const auto again = [&](int current) {
    return fg::choose_placement({.cpus = &machine}, allowed, 2, {}, current).assistant_cpu;
  };
  EXPECT_EQ(again(4), 4);
  EXPECT_EQ(again(2), 0);  // not with the main thread
  EXPECT_EQ(again(9), 0);  // not outside of the cpuset
  EXPECT_EQ(fg::choose_placement({.cpus = &machine}, all_of(machine), 2, {}, 4).assistant_cpu, 8);
}

TEST(placement, nobody_is_left) {
  const fg::topology machine = fg::test::i7_8700();
  expect_inline(choose_among(machine, {2, 8, 3}, 2, {8, 3, 2}),
                "every usable CPU already serves a relic");
}

// ---- a hybrid laptop ----

TEST(placement, a_fast_core_stays_with_fast_ones) {
  const fg::topology machine = fg::test::hybrid_laptop();
  expect_pair(choose(machine, 0), 1, proximity::smt_sibling, "SMT sibling");
  expect_pair(choose(machine, 0, {1}), 2, proximity::shared_l3,
              "sibling already serves another relic");
  expect_inline(choose_among(machine, {0, 8, 9, 10}, 0), "only slower cores are left");
  expect_inline(choose(machine, 0, cpus_from_to(1, 7)), "only slower cores are left");
}

TEST(placement, a_slow_core_takes_its_cluster_then_its_class_then_a_faster_one) {
  const fg::topology machine = fg::test::hybrid_laptop();
  expect_pair(choose(machine, 9), 8, proximity::shared_l2, "this core has one thread");
  expect_pair(choose(machine, 9, {8, 10, 11}), 12, proximity::shared_l3,
              "this core has one thread; L2 neighbour already serves another relic");
  expect_pair(choose_among(machine, {4, 9}, 9), 4, proximity::shared_l3,
              "this core has one thread; L2 neighbour not in cpuset");
}

TEST(placement, says_that_the_near_ones_are_slower) {
  fg::topology machine = fg::test::hybrid_laptop();
  for (fg::logical_cpu& cpu : machine.cpus) {
    cpu.l2 = cpu.core;
    cpu.l3 = cpu.id < 8 && cpu.id >= 2 ? 2 : 0;  // core 0 shares its L3 only with slow ones
  }
  expect_pair(choose(machine, 0, {1}), 2, proximity::same_package,
              "sibling already serves another relic; L3 neighbour is slower");
  // Of a slower and a taken CPU, the taken one is reported as the reason.
  machine.cpus.at(4).l3 = 0;
  expect_pair(choose(machine, 0, {1, 4}), 2, proximity::same_package,
              "sibling already serves another relic; L3 neighbour already serves another relic");
}

// ---- a server ----

TEST(placement, goes_outwards_on_a_server) {
  const fg::topology machine = fg::test::server_smt4();
  expect_pair(choose(machine, 21), 20, proximity::smt_sibling, "SMT sibling");
  expect_pair(choose(machine, 21, {20}), 22, proximity::smt_sibling, "SMT sibling");
  expect_pair(choose(machine, 21, {20, 22, 23}), 16, proximity::shared_l3,
              "sibling already serves another relic");
  expect_pair(choose_among(machine, {21, 24, 3}, 21), 24, proximity::same_package,
              "sibling not in cpuset; L3 neighbour not in cpuset");
  expect_pair(choose_among(machine, {21, 3}, 21), 3, proximity::other_package,
              "sibling not in cpuset; L3 neighbour not in cpuset; package neighbour not in cpuset");
}

TEST(placement, a_sibling_that_is_taken_explains_more_than_one_outside) {
  const fg::topology machine = fg::test::server_smt4();
  expect_pair(choose_among(machine, {21, 22, 16}, 21, {22}), 16, proximity::shared_l3,
              "sibling already serves another relic");
}

TEST(placement, the_same_numa_node_first) {
  fg::topology machine = fg::test::server_smt4();
  for (fg::logical_cpu& cpu : machine.cpus) {
    cpu.l3 = -1;
  }
  expect_pair(choose_among(machine, {0, 8, 16, 21, 24, 28}, 21), 16, proximity::same_package,
              "sibling not in cpuset");
  // CPU 0 has the lower number, CPU 24 the package.
  expect_pair(choose_among(machine, {0, 21, 24}, 21), 24, proximity::same_package,
              "sibling not in cpuset");
  machine.cpus.at(17).numa_node = 7;
  expect_pair(choose_among(machine, {17, 18, 21}, 21), 18, proximity::same_package,
              "sibling not in cpuset");
}

// ---- without siblings ----

TEST(placement, a_hypervisor_hides_siblings) {
  const fg::topology machine = fg::test::vm_without_siblings();
  const std::vector<int> allowed = all_of(machine);
  const fg::host_view host{.cpus = &machine, .processor = {.hypervisor = true}};
  expect_pair(fg::choose_placement(host, allowed, 0, {}), 1, proximity::shared_l3,
              "hypervisor hides topology");
}

TEST(placement, a_hypervisor_that_shows_siblings_hides_nothing) {
  const fg::topology machine = fg::test::i7_8700();
  const std::vector<int> allowed = cpus_from_to(0, 5);
  const fg::host_view host{.cpus = &machine, .processor = {.hypervisor = true}};
  expect_pair(fg::choose_placement(host, allowed, 0, {}), 1, proximity::shared_l3,
              "sibling not in cpuset");
}

TEST(placement, a_processor_without_smt_and_one_where_it_is_off) {
  fg::topology machine = fg::test::vm_without_siblings();
  expect_pair(choose(machine, 3), 0, proximity::shared_l3, "the processor has no SMT");
  machine.smt = fg::smt_state::unknown;
  expect_pair(choose(machine, 3), 0, proximity::shared_l3, "the processor has no SMT");
  machine.smt = fg::smt_state::off;
  expect_pair(choose(machine, 3), 0, proximity::shared_l3, "SMT off");
}

// ---- no assistant at all ----

TEST(placement, one_usable_cpu) {
  const fg::topology machine = fg::test::i7_8700();
  expect_inline(choose_among(machine, {2}, 2), "one usable CPU");
}

TEST(placement, a_quota_below_two) {
  const fg::topology machine = fg::test::i7_8700();
  const std::vector<int> allowed = all_of(machine);
  const auto with_quota = [&](double cpus) {
    return fg::choose_placement({.cpus = &machine, .quota_cpus = cpus}, allowed, 2, {});
  };
  expect_inline(with_quota(1.5), "cgroup quota of 1.5 CPUs is below two");
  expect_inline(with_quota(0.25), "cgroup quota of 0.25 CPUs is below two");
  EXPECT_EQ(with_quota(2).assistant_cpu, 8);
  EXPECT_EQ(with_quota(12).assistant_cpu, 8);
}

TEST(placement, a_main_thread_of_which_the_cpu_is_unknown) {
  const fg::topology machine = fg::test::i7_8700();
  expect_inline(choose(machine, -1), "main's CPU unknown");
  expect_inline(choose_among(machine, {}, 0), "main's CPU unknown");
}

// ---- CPUs that the topology does not know ----

TEST(placement, an_empty_topology_leaves_the_allowed_cpus) {
  const fg::topology nothing;
  expect_pair(choose_among(nothing, {0, 1, 2}, 1), 0, proximity::other_package, "topology unknown");
}

TEST(placement, a_cpu_that_came_later_is_the_last_choice) {
  const fg::topology machine = fg::test::hybrid_laptop();
  expect_pair(choose_among(machine, {0, 2, 40}, 0), 2, proximity::shared_l3,
              "sibling not in cpuset");
  EXPECT_EQ(choose_among(machine, {0, 40}, 0).assistant_cpu, 40);
}

// ---- this machine ----

TEST(placement, of_this_process_is_usable) {
  const fg::host_view host = fg::system_host_view();
  const std::vector<int> allowed = fg::usable_cpus();
  const int main_cpu = fg::current_cpu();
  const placement chosen = fg::choose_placement(host, allowed, main_cpu, {});
  EXPECT_FALSE(chosen.reason.empty());
  if (allowed.size() == 1) {
    expect_inline(chosen, "one usable CPU");
  } else if (chosen.assistant_cpu) {
    EXPECT_NE(*chosen.assistant_cpu, main_cpu);
    EXPECT_NE(std::ranges::find(allowed, *chosen.assistant_cpu), allowed.end());
  }
}

TEST(proximity, has_the_names_of_the_result_files) {
  EXPECT_STREQ(to_string(proximity::smt_sibling), "smt_sibling");
  EXPECT_STREQ(to_string(proximity::shared_l2), "shared_l2");
  EXPECT_STREQ(to_string(proximity::shared_l3), "shared_l3");
  EXPECT_STREQ(to_string(proximity::same_package), "same_package");
  EXPECT_STREQ(to_string(proximity::other_package), "other_package");
}

TEST(proximity, what_is_not_known_is_not_shared) {
  EXPECT_EQ(proximity_of(fg::logical_cpu{.id = 0}, fg::logical_cpu{.id = 1}),
            proximity::other_package);
}

}  // namespace
