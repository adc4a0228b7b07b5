// SPDX-License-Identifier: Apache-2.0
#include "kernels/isolated_array.hpp"

#include <gtest/gtest.h>
#include <malloc.h>

#include <cstdint>
#include <vector>

namespace fg::bench {
namespace {

TEST(isolated_array, starts_at_a_line_and_fills_its_last_one) {
  std::vector<isolated_array<std::uint32_t>> arrays;
  for (std::size_t size = 0; size < 100; ++size) {
    arrays.emplace_back(size, 5U);
    void* const start = arrays.back().data();
    EXPECT_EQ(reinterpret_cast<std::uintptr_t>(start) % kIsolationBytes, 0U);
    const std::size_t bytes = size * sizeof(std::uint32_t);
    const std::size_t whole = (bytes + kIsolationBytes - 1) / kIsolationBytes * kIsolationBytes;
    EXPECT_GE(malloc_usable_size(start), whole);
    EXPECT_GE(malloc_usable_size(start), kIsolationBytes);
  }
}

TEST(isolated_array, holds_the_value_everywhere) {
  const isolated_array<int> array(33, 4);
  ASSERT_EQ(array.size(), 33U);
  for (const int element : array.span()) {
    EXPECT_EQ(element, 4);
  }
}

}  // namespace
}  // namespace fg::bench
