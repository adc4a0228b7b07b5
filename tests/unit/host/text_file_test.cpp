// SPDX-License-Identifier: Apache-2.0
#include "finegrain/host/text_file.hpp"

#include <gtest/gtest.h>

#include <cstdint>
#include <filesystem>
#include <limits>
#include <optional>
#include <string>

#include "fixtures/fake_root.hpp"

namespace {

using fg::detail::parse_integer;
using fg::test::fake_root;

TEST(text_file, has_an_end_or_is_none) {
  const fake_root root;
  std::filesystem::create_symlink("/dev/zero", root.path() + "/endless");
  EXPECT_EQ(fg::detail::read_text_file(root.path() + "/endless"), std::nullopt);
}

template <class Integer>
void expect_limits_and_no_more(const std::string& beyond_max, const std::string& beyond_min) {
  using limits = std::numeric_limits<Integer>;
  EXPECT_EQ(parse_integer<Integer>(std::to_string(limits::max())), limits::max());
  EXPECT_EQ(parse_integer<Integer>(std::to_string(limits::min())), limits::min());
  EXPECT_EQ(parse_integer<Integer>(beyond_max), std::nullopt);
  EXPECT_EQ(parse_integer<Integer>(beyond_min), std::nullopt);
}

TEST(text_file, an_integer_may_be_as_large_as_its_type) {
  expect_limits_and_no_more<int>("2147483648", "-2147483649");
  expect_limits_and_no_more<unsigned>("4294967296", "-1");
  expect_limits_and_no_more<std::int64_t>("9223372036854775808", "-9223372036854775809");
  expect_limits_and_no_more<std::uint64_t>("18446744073709551616", "-1");
}

TEST(text_file, an_integer_is_all_of_the_text) {
  EXPECT_EQ(parse_integer<int>("-0012"), -12);
  for (const char* const text : {"", "-", "+1", " 1", "1 ", "1\n", "--1", "1-", "0x1", "1.0"}) {
    EXPECT_EQ(parse_integer<int>(text), std::nullopt) << text;
  }
}

}  // namespace
