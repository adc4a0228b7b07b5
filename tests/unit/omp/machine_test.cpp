// The parts of a machine, as places and for KMP_HW_SUBSET (omp/runtime/machine.hpp).
// SPDX-License-Identifier: Apache-2.0
#include "omp/runtime/machine.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <vector>

#include "omp/runtime/kmp_affinity.hpp"

namespace {

using fg::omp::runtime::hw_subset;
using fg::omp::runtime::layer;
using fg::omp::runtime::machine;
using fg::omp::runtime::read_hw_subset;

using listed = std::vector<fg::omp::runtime::place>;

// 2 sockets of 4 cores of 2 threads; two cores share an L3. As Linux numbers them: the second
// threads of all cores come after the first ones.
fg::topology two_sockets() {
  fg::topology all;
  for (int id = 0; id < 16; ++id) {
    const int core = id % 8;
    all.cpus.push_back({.id = id,
                        .core = core,
                        .package = core / 4,
                        .l2 = core,
                        .l3 = core / 2 * 2,
                        .numa_node = core / 4});
  }
  return all;
}

std::vector<int> first_cpus(int count) {
  std::vector<int> ids;
  for (int id = 0; id < count; ++id) {
    ids.push_back(id);
  }
  return ids;
}

machine whole() { return {two_sockets(), first_cpus(16)}; }

std::vector<int> subset(const char* text) { return read_hw_subset(text).value().cpus_of(whole()); }

TEST(Machine, PartsOfEachLayerAreNeighboursInOrder) {
  const machine all = whole();
  EXPECT_EQ(all.parts(layer::socket),
            (listed{{0, 1, 2, 3, 8, 9, 10, 11}, {4, 5, 6, 7, 12, 13, 14, 15}}));
  EXPECT_EQ(all.parts(layer::numa_domain), all.parts(layer::socket));
  EXPECT_EQ(all.parts(layer::l3),
            (listed{{0, 1, 8, 9}, {2, 3, 10, 11}, {4, 5, 12, 13}, {6, 7, 14, 15}}));
  EXPECT_EQ(all.parts(layer::core),
            (listed{{0, 8}, {1, 9}, {2, 10}, {3, 11}, {4, 12}, {5, 13}, {6, 14}, {7, 15}}));
  EXPECT_EQ(all.parts(layer::thread).size(), 16U);
  EXPECT_EQ(all.parts(layer::thread)[1], (std::vector<int>{8}));
  EXPECT_EQ(all.last_cache(), layer::l3);
}

TEST(Machine, HasTheGivenCpusOnly) {
  const machine some{two_sockets(), {1, 9, 4}};
  EXPECT_EQ(some.parts(layer::core), (listed{{1, 9}, {4}}));
  EXPECT_EQ(some.parts(layer::socket), (listed{{1, 9}, {4}}));
}

TEST(Machine, CpusThatTheSystemDoesNotDescribeAreCores) {
  const machine unknown{fg::topology{}, {3, 5}};
  EXPECT_EQ(unknown.parts(layer::core), (listed{{3}, {5}}));
  EXPECT_EQ(unknown.parts(layer::socket), (listed{{3, 5}}));
  EXPECT_EQ(unknown.parts(unknown.last_cache()), (listed{{3, 5}}));
  EXPECT_TRUE((machine{fg::topology{}, {}}.parts(layer::core).empty()));
}

TEST(Machine, TheLastCacheIsTheLargestThatTheSystemDescribes) {
  fg::topology all;
  for (int id = 0; id < 4; ++id) {
    all.cpus.push_back({.id = id, .core = id, .package = 0, .l2 = id / 2 * 2});
  }
  const machine shared_l2{all, first_cpus(4)};
  EXPECT_EQ(shared_l2.last_cache(), layer::l2);
  for (fg::logical_cpu& each : all.cpus) {
    each.l2 = -1;
  }
  const machine none{all, first_cpus(4)};
  EXPECT_EQ(none.last_cache(), layer::socket);
}

TEST(Machine, CachesMayCrossNumaDomains) {
  fg::topology all;
  for (int id = 0; id < 4; ++id) {
    all.cpus.push_back({.id = id, .core = id, .package = 0, .l3 = 0, .numa_node = id / 2});
  }
  const machine crossed{all, first_cpus(4)};
  EXPECT_EQ(crossed.parts(crossed.last_cache()), (listed{{0, 1, 2, 3}}));
  EXPECT_EQ(crossed.parts(layer::numa_domain), (listed{{0, 1}, {2, 3}}));
}

TEST(Machine, CompactKeepsNeighboursTogetherAndScatterPartsThem) {
  const machine all = whole();
  ASSERT_EQ(all.depth(), 4U);  // socket, L3, core, thread
  EXPECT_EQ(all.parts_by_distance(layer::core, 0), all.parts(layer::core));
  const listed scattered = all.parts_by_distance(layer::core, 3);
  const listed expected{{0, 8}, {4, 12}, {2, 10}, {6, 14}, {1, 9}, {5, 13}, {3, 11}, {7, 15}};
  EXPECT_EQ(scattered, expected);
  // compact,1: the threads of a core are as far from each other as possible.
  const listed threads = all.parts_by_distance(layer::thread, 1);
  EXPECT_EQ(threads.front(), (std::vector<int>{0}));
  EXPECT_EQ(threads[1], (std::vector<int>{1}));
  EXPECT_EQ(threads[8], (std::vector<int>{8}));
  EXPECT_EQ(all.parts_by_distance(layer::core, 100).size(), 8U);
}

TEST(HwSubset, CountsWithinTheLayerAround) {
  EXPECT_EQ(subset("1s"), (std::vector{0, 1, 2, 3, 8, 9, 10, 11}));
  EXPECT_EQ(subset("1t"), (std::vector{0, 1, 2, 3, 4, 5, 6, 7}));
  EXPECT_EQ(subset("2s,1l3,1c,1t"), (std::vector{0, 4}));
  EXPECT_EQ(subset("1t,1C,1L3,1socket"), (std::vector{0}));
  EXPECT_EQ(subset("1s@1,1c@1,1t@1"), (std::vector{13, 15}));
  EXPECT_EQ(subset("1ll_cache,*c"), (std::vector{0, 1, 4, 5, 8, 9, 12, 13}));
  EXPECT_TRUE(subset("1s@2").empty());
}

TEST(HwSubset, CountsInTheWholeMachineAfterAColon) {
  EXPECT_EQ(subset(":2c@3"), (std::vector{3, 4, 11, 12}));
  EXPECT_TRUE(subset("1t@2").empty());
  EXPECT_EQ(subset(":1t@2"), (std::vector{1}));
}

TEST(HwSubset, OneThreadOfCoresWithOneThreadIsAllCores) {
  fg::topology all;
  for (int id = 0; id < 2; ++id) {
    all.cpus.push_back({.id = id, .core = id, .package = 0, .l2 = id, .l3 = 0, .numa_node = 0});
  }
  const machine small{all, first_cpus(2)};
  EXPECT_EQ(read_hw_subset("1t").value().cpus_of(small), (std::vector{0, 1}));
  EXPECT_EQ(read_hw_subset("1c").value().cpus_of(small), (std::vector{0}));
  EXPECT_EQ(read_hw_subset("1n").value().cpus_of(small), (std::vector{0, 1}));
}

TEST(HwSubset, OneCoreOfSocketsWithOneCoreIsAllSockets) {
  fg::topology all;
  for (int id = 0; id < 4; ++id) {
    all.cpus.push_back({.id = id, .core = id % 2, .package = id % 2, .l3 = id % 2});
  }
  const machine small{all, first_cpus(4)};
  EXPECT_EQ(read_hw_subset("1c").value().cpus_of(small), (std::vector{0, 1, 2, 3}));
  EXPECT_EQ(read_hw_subset("1s").value().cpus_of(small), (std::vector{0, 2}));
  EXPECT_EQ(read_hw_subset("1t@1").value().cpus_of(small), (std::vector{2, 3}));
}

TEST(HwSubset, RefusesWhatIsNone) {
  for (const char* text : {"", ":", "c", "0c", "1", "1q", "1c@", "1c@x", "1c 1t", "1c,,1t", "-1c",
                           "1c:intel_core", "1coresx"}) {
    EXPECT_FALSE(read_hw_subset(text).has_value()) << text;
  }
  EXPECT_TRUE(read_hw_subset(" 1c , 1t, ").has_value());
  EXPECT_TRUE(read_hw_subset("99999999999999999999c@99999999999999999999").has_value());
}

}  // namespace
