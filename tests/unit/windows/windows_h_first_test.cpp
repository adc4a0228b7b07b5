// A program that includes <windows.h>, whole, before our headers.
// SPDX-License-Identifier: Apache-2.0
#ifndef NOMINMAX  // libstdc++ defines it, too
#define NOMINMAX
#endif
#include <windows.h>
// Ours come after it.
#include <gtest/gtest.h>

#include "finegrain/algorithm.hpp"
#include "finegrain/finegrain.hpp"
#include "finegrain/graph.hpp"
#include "finegrain/pipeline.hpp"

namespace {

TEST(windows_h, may_come_first) {
  fg::pool pool{{.workers = 2}};
  const auto [a, b] = pool.run([] { return fg::fork_join([] { return 1; }, [] { return 2; }); });
  EXPECT_EQ(a + b, 3);
  EXPECT_NE(GetCurrentThreadId(), 0U);
}

}  // namespace
