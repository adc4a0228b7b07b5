// SPDX-License-Identifier: Apache-2.0
#include "kernels/graph/bitmap.hpp"

#include <gtest/gtest.h>

#include <cstdint>

namespace fg::bench {
namespace {

TEST(bitmap, holds_what_was_set_and_nothing_else) {
  bitmap set(130);
  for (const std::uint32_t member : {0U, 63U, 64U, 129U}) {
    set.set(member);
  }
  for (std::uint32_t member = 0; member < 130; ++member) {
    EXPECT_EQ(set.test(member), member == 0 || member == 63 || member == 64 || member == 129)
        << member;
  }
}

TEST(bitmap, clears_and_swaps) {
  bitmap first(70);
  bitmap second(70);
  first.set(65);
  first.swap(second);
  EXPECT_FALSE(first.test(65));
  EXPECT_TRUE(second.test(65));
  second.clear();
  EXPECT_FALSE(second.test(65));
}

}  // namespace
}  // namespace fg::bench
