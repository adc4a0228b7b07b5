// SPDX-License-Identifier: Apache-2.0
#include "unit/host/topology_mixed_test.hpp"

#include <gtest/gtest.h>

#include "finegrain/host/host_view.hpp"

namespace {

TEST(topology_mixed, both_kinds_of_sources_ask_hwloc) {
  EXPECT_TRUE(fg::system_topology().source.starts_with("hwloc 2."));
  EXPECT_TRUE(fg::test::topology_without_library().source.starts_with("hwloc 2."));
  EXPECT_TRUE(fg::system_host_view().cpus->source.starts_with("hwloc 2."));
}

TEST(topology_mixed, a_static_constructor_gets_the_same_cpus) {
  const fg::topology& early = fg::test::topology_in_static_constructor();
  const fg::topology now = fg::system_topology();
  ASSERT_EQ(early.cpus.size(), now.cpus.size());
  for (const fg::logical_cpu& cpu : early.cpus) {
    ASSERT_NE(now.find(cpu.id), nullptr);
    EXPECT_EQ(now.find(cpu.id)->core, cpu.core);
  }
}

}  // namespace
