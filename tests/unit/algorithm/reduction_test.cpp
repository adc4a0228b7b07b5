// Which result types a reduction may have.
// SPDX-License-Identifier: Apache-2.0
#include "finegrain/algorithm/reduction.hpp"

#include <gtest/gtest.h>

#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>

#include "finegrain/algorithm/pool/parallel_reduce.hpp"

namespace {

using fg::detail::kCombinesWhole;
using fg::detail::kConvertsWhole;

static_assert(kConvertsWhole<int, int> && kConvertsWhole<int, short> && kConvertsWhole<int, bool>);
static_assert(kConvertsWhole<std::int64_t, unsigned> && kConvertsWhole<double, float>);
static_assert(!kConvertsWhole<int, std::int64_t> && !kConvertsWhole<int, unsigned>);
static_assert(!kConvertsWhole<int, std::size_t> && !kConvertsWhole<short, int>);
static_assert(!kConvertsWhole<int, double> && !kConvertsWhole<float, double>);
static_assert(!kConvertsWhole<bool, int>);
static_assert(!kConvertsWhole<unsigned, std::int64_t> && !kConvertsWhole<std::uint8_t, int>);
static_assert(kConvertsWhole<double, std::int64_t> && kConvertsWhole<float, int>);  // asked for
static_assert(kConvertsWhole<std::size_t, int> && kConvertsWhole<unsigned, int>);   // counts
static_assert(kConvertsWhole<std::string, char> && kConvertsWhole<std::string, const char*>);

static_assert(kCombinesWhole<short, std::plus<>> && kCombinesWhole<char, std::plus<>>);
static_assert(kCombinesWhole<bool, std::bit_or<>> && kCombinesWhole<bool, std::logical_or<>>);
static_assert(!kCombinesWhole<int, std::int64_t (*)(std::int64_t, std::int64_t)>);
static_assert(!kCombinesWhole<short, std::int64_t (*)(std::int64_t, std::int64_t)>);
static_assert(kCombinesWhole<std::string, std::plus<>>);

TEST(result_type, of_a_sum_of_short_may_be_short) {
  const short sum = fg::parallel_reduce(
      0, 10, short{0}, [](int i) { return static_cast<short>(i); }, std::plus<>{});
  EXPECT_EQ(sum, 45);
}

}  // namespace
