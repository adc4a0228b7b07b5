// SPDX-License-Identifier: Apache-2.0
#include "finegrain/queue/spsc_ring.hpp"

#include <gtest/gtest.h>

#include <cstddef>
#include <cstdint>
#include <thread>

namespace fg {
namespace {

TEST(spsc_ring, is_empty_at_first) {
  detail::spsc_ring<int> ring{4};
  int item = 7;
  EXPECT_FALSE(ring.try_pop(item));
  EXPECT_EQ(item, 7);
  EXPECT_EQ(ring.size_guess(), 0U);
}

TEST(spsc_ring, rounds_the_capacity_up) {
  EXPECT_EQ(detail::spsc_ring<int>{5}.capacity(), 8U);
  EXPECT_EQ(detail::spsc_ring<int>{8}.capacity(), 8U);
  EXPECT_EQ(detail::spsc_ring<int>{1}.capacity(), 1U);
}

TEST(spsc_ring, refuses_exactly_when_full) {
  detail::spsc_ring<int> ring{4};
  for (int i = 0; i < 4; ++i) {
    EXPECT_TRUE(ring.has_room());
    EXPECT_TRUE(ring.try_push(i));
  }
  EXPECT_FALSE(ring.has_room());
  EXPECT_FALSE(ring.try_push(4));
  EXPECT_EQ(ring.size_guess(), 4U);
  int item = -1;
  ASSERT_TRUE(ring.try_pop(item));
  EXPECT_EQ(item, 0);
  EXPECT_TRUE(ring.try_push(5));
  EXPECT_FALSE(ring.try_push(6));
}

TEST(spsc_ring, keeps_the_order_across_the_end_of_the_array) {
  detail::spsc_ring<int> ring{8};
  int pushed = 0;
  int popped = 0;
  for (int round = 0; round < 40; ++round) {
    for (int i = 0; i < 1 + round % 8; ++i) {
      ASSERT_TRUE(ring.try_push(pushed++));
    }
    for (int item = -1; ring.try_pop(item); ++popped) {
      ASSERT_EQ(item, popped);
    }
    ASSERT_EQ(popped, pushed);
  }
}

TEST(spsc_ring, hands_over_what_the_pointer_points_to) {
  constexpr std::size_t kItems = 1'000'000;
  struct payload {
    std::size_t value = 0;
  };
  // One payload more than the ring holds plus the one that the consumer reads: reused in turn.
  constexpr std::size_t kPayloads = 256;
  static payload payloads[kPayloads];
  detail::spsc_ring<payload*> ring{64};
  std::thread producer{[&] {
    for (std::size_t i = 0; i < kItems;) {
      if (!ring.has_room()) {
        std::this_thread::yield();
        continue;
      }
      payloads[i % kPayloads].value = i;  // plain: the ring has to order it
      ASSERT_TRUE(ring.try_push(&payloads[i % kPayloads]));
      ++i;
    }
  }};
  std::size_t wrong = 0;
  for (std::size_t i = 0; i < kItems;) {
    payload* item = nullptr;
    if (!ring.try_pop(item)) {
      std::this_thread::yield();
      continue;
    }
    wrong += item->value == i ? 0U : 1U;
    ++i;
  }
  producer.join();
  EXPECT_EQ(wrong, 0U);
  EXPECT_EQ(ring.size_guess(), 0U);
}

}  // namespace
}  // namespace fg
