// The topology from bytes as Windows fills them. Runs on every system.
// SPDX-License-Identifier: Apache-2.0
#include "finegrain/host/windows_topology.hpp"

#include <gtest/gtest.h>

#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>
#include <vector>

#include "fixtures/machines.hpp"

namespace {

using fg::detail::windows::group_mask;
using fg::detail::windows::parse_topology;

// Writes what Windows would fill.
class relations {
 public:
  void add_core(const group_mask& cpus, std::uint8_t efficiency_class = 0) {
    start(0, 32 + sizeof cpus);
    put(8, static_cast<std::uint8_t>(std::popcount(cpus.cpus) > 1 ? 1 : 0));
    put(9, efficiency_class);
    put(30, std::uint16_t{1});
    put(32, cpus);
  }
  void add_node(std::uint32_t number, const group_mask& cpus, std::uint16_t masks = 1) {
    start(1, 32 + sizeof cpus);
    put(8, number);
    put(30, masks);
    put(32, cpus);
  }
  void add_cache(std::uint8_t level, const group_mask& cpus, std::uint32_t type = 0) {
    start(2, 40 + sizeof cpus);
    put(8, level);
    put(16, type);
    put(38, std::uint16_t{1});
    put(40, cpus);
  }
  void add_package(const std::vector<group_mask>& cpus) {
    start(3, 32 + cpus.size() * sizeof(group_mask));
    put(30, static_cast<std::uint16_t>(cpus.size()));
    for (std::size_t i = 0; i < cpus.size(); ++i) {
      put(32 + i * sizeof(group_mask), cpus[i]);
    }
  }
  void add_groups() {
    start(4, 80);
    put(8, std::uint16_t{1});
  }

  /// The kind of core of a plain machine: with one L1 and L2 cache.
  void add_core_with_caches(const group_mask& cpus, std::uint8_t efficiency_class = 0) {
    constexpr std::uint32_t kInstructions = 1;
    constexpr std::uint32_t kData = 2;
    add_core(cpus, efficiency_class);
    add_cache(1, cpus, kData);
    add_cache(1, cpus, kInstructions);
    add_cache(2, cpus);
  }

  [[nodiscard]] std::span<const std::byte> bytes() const { return bytes_; }

 private:
  void start(std::uint32_t kind, std::size_t size) {
    at_ = bytes_.size();
    bytes_.resize(at_ + size);
    put(0, kind);
    put(4, static_cast<std::uint32_t>(size));
  }
  template <class T>
  void put(std::size_t offset, const T& value) {
    std::memcpy(bytes_.data() + at_ + offset, &value, sizeof value);
  }

  std::vector<std::byte> bytes_;
  std::size_t at_ = 0;
};

// An i7-8700: Windows numbers the siblings 2n and 2n + 1.
TEST(windows_topology, knows_siblings_and_caches) {
  relations machine;
  machine.add_package({{.cpus = 0xfff}});
  for (unsigned core = 0; core < 6; ++core) {
    machine.add_core_with_caches({.cpus = std::uint64_t{3} << (2 * core)});
  }
  machine.add_cache(3, {.cpus = 0xfff});
  machine.add_node(0, {.cpus = 0xfff});
  machine.add_groups();
  const fg::topology found = parse_topology(machine.bytes());
  EXPECT_EQ(found.source, "Windows");
  EXPECT_EQ(found.smt, fg::smt_state::on);
  ASSERT_EQ(found.cpus.size(), 12U);
  for (int id = 0; id < 12; ++id) {
    const int core = id / 2 * 2;
    EXPECT_EQ(found.cpus[static_cast<std::size_t>(id)],
              (fg::logical_cpu{
                  .id = id, .core = core, .package = 0, .l2 = core, .l3 = 0, .numa_node = 0}));
  }
}

// Two performance cores of two threads, and four efficient ones that share an L2 cache.
TEST(windows_topology, knows_the_classes_of_a_hybrid_processor) {
  relations machine;
  machine.add_core_with_caches({.cpus = 0x3}, 1);
  machine.add_core_with_caches({.cpus = 0xc}, 1);
  for (unsigned core = 4; core < 8; ++core) {
    machine.add_core({.cpus = std::uint64_t{1} << core}, 0);
  }
  machine.add_cache(2, {.cpus = 0xf0});
  const fg::topology found = parse_topology(machine.bytes());
  ASSERT_EQ(found.cpus.size(), 8U);
  EXPECT_EQ(found.cpus[2], (fg::logical_cpu{.id = 2, .core = 2, .l2 = 2, .efficiency_class = 1}));
  EXPECT_EQ(found.cpus[7], (fg::logical_cpu{.id = 7, .core = 7, .l2 = 4, .efficiency_class = 0}));
}

// Two packages of 48 CPUs, each a group of its own; a third one has CPUs in both groups.
TEST(windows_topology, numbers_cpus_across_groups) {
  relations machine;
  for (std::uint16_t group = 0; group < 2; ++group) {
    for (unsigned cpu = 0; cpu < 48; ++cpu) {
      machine.add_core({.cpus = std::uint64_t{1} << cpu, .group = group});
    }
    machine.add_node(group, {.cpus = 0xffff'ffff'ffff, .group = group});
  }
  machine.add_package({{.cpus = 0xffff'ffff'fffe}});
  machine.add_package({{.cpus = 1}, {.cpus = 0xffff'ffff'ffff, .group = 1}});
  const fg::topology found = parse_topology(machine.bytes());
  ASSERT_EQ(found.cpus.size(), 96U);
  EXPECT_EQ(found.smt, fg::smt_state::unknown);
  EXPECT_EQ(found.cpus[0], (fg::logical_cpu{.id = 0, .core = 0, .package = 1, .numa_node = 0}));
  EXPECT_EQ(found.cpus[47], (fg::logical_cpu{.id = 47, .core = 47, .package = 0, .numa_node = 0}));
  EXPECT_EQ(found.cpus[48], (fg::logical_cpu{.id = 64, .core = 64, .package = 1, .numa_node = 1}));
}

TEST(windows_topology, takes_a_node_of_an_older_windows_for_one_of_one_group) {
  relations machine;
  machine.add_core({.cpus = 1});
  machine.add_node(5, {.cpus = 1}, 0);
  EXPECT_EQ(parse_topology(machine.bytes()).cpus.front().numa_node, 5);
}

TEST(windows_topology, ends_where_the_bytes_end) {
  EXPECT_TRUE(parse_topology({}).cpus.empty());
  relations machine;
  machine.add_core({.cpus = 3});
  machine.add_core({.cpus = 4});
  const std::span<const std::byte> whole = machine.bytes();
  for (std::size_t size = 0; size <= whole.size(); ++size) {
    const std::size_t cores = size / (whole.size() / 2);
    EXPECT_EQ(parse_topology(whole.first(size)).cpus.size(), cores == 0 ? 0U : cores + 1);
  }
}

TEST(windows_topology, stops_at_a_length_that_cannot_be) {
  for (const std::uint32_t length : {0U, 8U, 39U, 49U, 0xffff'ffffU}) {
    relations machine;
    machine.add_core({.cpus = 1});
    std::vector<std::byte> bytes(machine.bytes().begin(), machine.bytes().end());
    std::memcpy(bytes.data() + 4, &length, sizeof length);
    EXPECT_TRUE(parse_topology(bytes).cpus.empty()) << length;
  }
}

}  // namespace
