// The umbrella header alone is enough.
// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include "finegrain/finegrain.hpp"

TEST(umbrella, declares_the_public_types) {
  EXPECT_EQ(fg::relic::kQueueCapacity, 128U);
  EXPECT_STREQ(FINEGRAIN_VERSION, "0.1.0");
}
