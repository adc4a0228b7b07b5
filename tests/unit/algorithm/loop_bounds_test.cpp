// The indices of a loop between two numbers, of one type or of two.
// SPDX-License-Identifier: Apache-2.0
#include "finegrain/algorithm/loop_bounds.hpp"

#include <gtest/gtest.h>

#include <cstddef>
#include <cstdint>
#include <functional>
#include <limits>
#include <type_traits>

#include "finegrain/algorithm/pool/parallel_for.hpp"
#include "finegrain/algorithm/pool/parallel_reduce.hpp"
#include "finegrain/algorithm/relic/parallel_for.hpp"
#include "finegrain/algorithm/relic/parallel_reduce.hpp"
#include "finegrain/pool/pool.hpp"
#include "finegrain/relic/relic.hpp"

namespace {

template <class First, class Last, class Index>
constexpr bool kCountsWith = std::is_same_v<fg::detail::common_index_t<First, Last>, Index>;

static_assert(kCountsWith<int, int, int>);
static_assert(kCountsWith<std::int8_t, std::int8_t, std::int8_t>);
static_assert(kCountsWith<unsigned, std::uint64_t, std::uint64_t>);
static_assert(kCountsWith<int, long, long>);
static_assert(kCountsWith<std::int8_t, std::uint8_t, int>);  // which has the values of both
static_assert(kCountsWith<std::int64_t, unsigned, std::int64_t>);
static_assert(kCountsWith<int, unsigned, std::int64_t>);
static_assert(kCountsWith<unsigned, int, std::int64_t>);
static_assert(kCountsWith<std::int8_t, std::uint32_t, std::int64_t>);
static_assert(kCountsWith<int, std::size_t, std::size_t>);  // no type has
static_assert(kCountsWith<std::uint64_t, std::int64_t, std::uint64_t>);

template <class First, class Last>
std::uint64_t indices(First first, Last last) {
  return fg::detail::positions_between(first, last).size;
}

TEST(loop_bounds, compare_by_value_whatever_the_types) {
  EXPECT_EQ(indices(0, std::size_t{10}), 10U);
  EXPECT_EQ(indices(7, 10U), 3U);
  EXPECT_EQ(indices(-1, 10U), 11U);
  EXPECT_EQ(indices(std::int8_t{-1}, std::uint8_t{255}), 256U);
  EXPECT_EQ(indices(std::int64_t{-1}, 10U), 11U);
  EXPECT_EQ(indices(std::numeric_limits<int>::min(), std::numeric_limits<unsigned>::max()),
            (std::uint64_t{1} << 31U) + std::numeric_limits<unsigned>::max());
  EXPECT_EQ(indices(10U, -1), 0U);
  EXPECT_EQ(indices(0U, -1), 0U);
  EXPECT_EQ(indices(std::uint8_t{0}, -1), 0U);
  EXPECT_EQ(indices(std::size_t{0}, -1), 0U);
  EXPECT_EQ(indices(std::size_t{5}, 5), 0U);
  EXPECT_EQ(indices(std::size_t{4}, std::int64_t{5}), 1U);
  EXPECT_EQ(indices(std::numeric_limits<std::uint64_t>::max(), 5), 0U);
  EXPECT_EQ(
      indices(std::numeric_limits<std::int64_t>::min(), std::numeric_limits<std::int64_t>::max()),
      std::numeric_limits<std::uint64_t>::max());
}

// A loop between these bounds has no index.
TEST(loop_bounds, tell_a_negative_begin_that_the_index_can_not_have) {
  if (FINEGRAIN_DEBUG_CHECKS) {
    EXPECT_DEATH(static_cast<void>(indices(-1, std::size_t{10})), "from a negative number to");
  } else {
    EXPECT_EQ(indices(-1, std::size_t{10}), 11U);
  }
}

// Eleven squares, from -1 on.
template <class Index>
constexpr auto square_of = [](auto i) {
  static_assert(std::is_same_v<decltype(i), Index>);
  return static_cast<long>(i * i);
};
constexpr long kSquares = 1 + 9 * 10 * 19 / 6;

template <class Where>
void expect_all_indices(Where& where) {
  fg::atomic<long> sum{0};
  fg::parallel_for(where, -1, 10U, [&](auto i) { sum += square_of<std::int64_t>(i); });
  EXPECT_EQ(sum, kSquares);
  fg::parallel_for(where, 10U, -1, [&](auto i) { sum += square_of<std::int64_t>(i); });
  fg::parallel_for(where, std::size_t{10}, -1, [&](auto i) { sum += square_of<std::size_t>(i); });
  EXPECT_EQ(sum, kSquares);
  EXPECT_EQ(fg::parallel_reduce(where, -1, 10U, 0L, square_of<std::int64_t>, std::plus<>{}),
            kSquares);
  EXPECT_EQ(
      fg::parallel_reduce(where, 1, std::size_t{10}, 0L, square_of<std::size_t>, std::plus<>{}),
      kSquares - 1);
  EXPECT_EQ(fg::parallel_reduce(where, 0U, -1, 7L, square_of<std::int64_t>, std::plus<>{}), 7);
}

TEST(loop_bounds, of_two_types_hold_for_relics) {
  fg::relic relic;
  expect_all_indices(relic);
}

TEST(loop_bounds, of_two_types_hold_for_pools) {
  fg::pool pool;
  expect_all_indices(pool);
}

}  // namespace
