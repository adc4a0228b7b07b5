#include "kernels/graph/bitmap.hpp"

#include <gtest/gtest.h>

namespace fg::bench {
namespace {

TEST(bitmap, holds_what_was_set_and_nothing_else) {
  bitmap set(130);
  for (const node_id node : {0U, 63U, 64U, 129U}) {
    set.set(node);
  }
  for (node_id node = 0; node < 130; ++node) {
    EXPECT_EQ(set.test(node), node == 0 || node == 63 || node == 64 || node == 129) << node;
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
