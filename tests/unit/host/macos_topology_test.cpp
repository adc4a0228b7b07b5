// The topology from what macOS answers. Runs on every system.
// SPDX-License-Identifier: Apache-2.0
#include "finegrain/host/macos_topology.hpp"

#include <gtest/gtest.h>

#include <cstddef>
#include <cstdint>
#include <map>
#include <string>
#include <vector>

namespace {

// Names with their numbers, as `sysctl hw` shows them.
using answers = std::map<std::string, std::vector<std::uint64_t>>;

fg::topology made_of(const answers& all) {
  return fg::detail::macos::make_topology([&all](const std::string& name) {
    const auto found = all.find(name);
    return found != all.end() ? found->second : std::vector<std::uint64_t>{};
  });
}

std::size_t fast_ones(const fg::topology& machine) {
  std::size_t count = 0;
  for (const fg::logical_cpu& each : machine.cpus) {
    count += each.efficiency_class > 0 ? 1U : 0U;
  }
  return count;
}

// An M1 Pro: two clusters of four performance cores, one of two efficiency cores.
answers m1_pro() {
  return {{"hw.logicalcpu", {10}},
          {"hw.physicalcpu", {10}},
          {"hw.packages", {1}},
          {"hw.cacheconfig", {10, 1, 2, 0, 0, 0, 0, 0, 0, 0}},
          {"hw.nperflevels", {2}},
          {"hw.perflevel0.logicalcpu", {8}},
          {"hw.perflevel0.physicalcpu", {8}},
          {"hw.perflevel0.cpusperl2", {4}},
          {"hw.perflevel1.logicalcpu", {2}},
          {"hw.perflevel1.physicalcpu", {2}},
          {"hw.perflevel1.cpusperl2", {2}}};
}

// A Core i7-9750H.
answers intel() {
  return {{"hw.logicalcpu", {12}},
          {"hw.physicalcpu", {6}},
          {"hw.packages", {1}},
          {"hw.cacheconfig", {12, 2, 2, 12, 0, 0, 0, 0, 0, 0}}};
}

TEST(macos_topology, knows_the_clusters_of_both_kinds_of_cores) {
  const fg::topology found = made_of(m1_pro());
  EXPECT_EQ(found.source, "macOS");
  EXPECT_EQ(found.smt, fg::smt_state::unknown);
  ASSERT_EQ(found.cpus.size(), 10U);
  EXPECT_EQ(fast_ones(found), 8U);
  EXPECT_EQ(found.cpus[3],
            (fg::logical_cpu{.id = 3, .core = 3, .package = 0, .l2 = 0, .efficiency_class = 1}));
  EXPECT_EQ(found.cpus[7],
            (fg::logical_cpu{.id = 7, .core = 7, .package = 0, .l2 = 4, .efficiency_class = 1}));
  EXPECT_EQ(found.cpus[9],
            (fg::logical_cpu{.id = 9, .core = 9, .package = 0, .l2 = 8, .efficiency_class = 0}));
}

TEST(macos_topology, knows_siblings_and_caches_of_intels_processors) {
  const fg::topology found = made_of(intel());
  EXPECT_EQ(found.smt, fg::smt_state::on);
  ASSERT_EQ(found.cpus.size(), 12U);
  for (int id = 0; id < 12; ++id) {
    const int core = id / 2 * 2;
    EXPECT_EQ(found.cpus[static_cast<std::size_t>(id)],
              (fg::logical_cpu{.id = id, .core = core, .package = 0, .l2 = core, .l3 = 0}));
  }
}

TEST(macos_topology, of_one_level_is_that_of_the_whole_machine) {
  answers all = intel();
  all.merge(answers{{"hw.nperflevels", {1}},
                    {"hw.perflevel0.logicalcpu", {12}},
                    {"hw.perflevel0.physicalcpu", {6}},
                    {"hw.perflevel0.cpusperl2", {2}}});
  EXPECT_EQ(made_of(all).cpus, made_of(intel()).cpus);
}

TEST(macos_topology, divides_the_cpus_between_packages) {
  const fg::topology found = made_of({{"hw.logicalcpu", {8}},
                                      {"hw.physicalcpu", {8}},
                                      {"hw.packages", {2}},
                                      {"hw.cacheconfig", {8, 1, 1, 4}}});
  ASSERT_EQ(found.cpus.size(), 8U);
  EXPECT_EQ(found.cpus[3].package, 0);
  EXPECT_EQ(found.cpus[4], (fg::logical_cpu{.id = 4, .core = 4, .package = 1, .l2 = 4, .l3 = 4}));
}

TEST(macos_topology, has_a_class_for_each_of_three_kinds) {
  answers all{{"hw.nperflevels", {3}}};
  for (const char* const level : {"hw.perflevel0.", "hw.perflevel1.", "hw.perflevel2."}) {
    all[level + std::string{"logicalcpu"}] = {2};
  }
  const fg::topology found = made_of(all);
  ASSERT_EQ(found.cpus.size(), 6U);
  EXPECT_EQ(found.cpus[0].efficiency_class, 2);
  EXPECT_EQ(found.cpus[5], (fg::logical_cpu{.id = 5, .efficiency_class = 0}));
}

TEST(macos_topology, leaves_open_what_is_not_said) {
  EXPECT_TRUE(made_of({}).cpus.empty());
  const fg::topology found = made_of({{"hw.logicalcpu", {2}}});
  ASSERT_EQ(found.cpus.size(), 2U);
  EXPECT_EQ(found.cpus[1], (fg::logical_cpu{.id = 1}));
}

TEST(macos_topology, believes_no_number_that_cannot_be) {
  const std::uint64_t huge = ~std::uint64_t{0};
  EXPECT_TRUE(made_of({{"hw.logicalcpu", {huge}}, {"hw.nperflevels", {huge}}}).cpus.empty());
  answers all = m1_pro();
  all["hw.perflevel0.logicalcpu"] = {1000};
  all["hw.perflevel1.logicalcpu"] = {1000};
  all["hw.perflevel0.physicalcpu"] = {2000};
  EXPECT_EQ(made_of(all).cpus.size(), 1024U);
  all["hw.perflevel0.physicalcpu"] = {1001};  // more cores than CPUs
  EXPECT_EQ(made_of(all).cpus[5].core, 5);
}

}  // namespace
