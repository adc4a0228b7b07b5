// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <array>
#include <optional>
#include <stdexcept>
#include <string>
#include <string_view>
#include <utility>

#include "kernels/json/json_kernel.hpp"

namespace fg::bench {
namespace {

std::string sample_with(std::string_view from, std::string_view to) {
  std::string text(kWidgetSample);
  const std::size_t at = text.find(from);
  EXPECT_NE(at, std::string::npos) << from;
  return text.replace(at, from.size(), to);
}

std::optional<std::string> error_of(std::string_view text) {
  const auto kernel = make_json_kernel(text);
  kernel->run();
  return kernel->check();
}

TEST(json, parses_the_sample) { EXPECT_EQ(error_of(kWidgetSample), std::nullopt); }

TEST(json, check_sees_every_changed_value) {
  constexpr std::array<std::pair<std::string_view, std::string_view>, 18> kChanges{{
      {"\"on\"", "\"off\""},
      {"Sample K", "Simple K"},
      {"main_window", "main_windov"},
      {"\"width\": 500", "\"width\": 501"},
      {"\"height\": 500", "\"height\": 500.0"},
      {"Images/Sun.png", "Images/Sun.pn"},
      {"\"sun1\"", "\"sun2\""},
      {"\"hOffset\": 250", "\"hOffset\": -250"},
      {"\"vOffset\": 250", R"("vOffset": "250")"},
      {"\"center\"", "\"centre\""},
      {"Click Here", "Click here"},
      {"36", "63"},
      {"bold", "bald"},
      {"text1", "text\\u0000"},
      {"\"vOffset\": 100", "\"vOffset\": null"},
      {"* 90", "* 91"},
      {"\"image\"", "\"imago\""},
      {"\"widget\"", "\"gadget\""},
  }};
  for (const auto& [from, to] : kChanges) {
    EXPECT_TRUE(error_of(sample_with(from, to)).has_value()) << from << " -> " << to;
  }
}

TEST(json, check_sees_members_too_few_or_too_many) {
  EXPECT_TRUE(error_of(sample_with("\"style\": \"bold\",", "")).has_value());
  EXPECT_TRUE(error_of(sample_with("\"size\": 36,", "\"size\": 36, \"x\": 1,")).has_value());
  EXPECT_TRUE(error_of(sample_with("\"debug\": \"on\",", "")).has_value());
  EXPECT_TRUE(error_of(sample_with("\"debug\"", "\"x\": 1, \"debug\"")).has_value());
  EXPECT_TRUE(error_of(sample_with("{\"widget\"", "{\"x\": 1, \"widget\"")).has_value());
}

TEST(json, check_sees_what_is_no_such_document) {
  for (const std::string_view text : {"", "{", "[]", "{}", "{\"widget\": 1}", "nul"}) {
    EXPECT_TRUE(error_of(text).has_value()) << text;
  }
  EXPECT_TRUE(error_of(sample_with("}}", "}")).has_value());
}

TEST(json, rejects_a_text_for_which_a_run_would_allocate) {
  std::string list = "[0";
  for (int i = 0; i < 1000; ++i) {
    list += ",0";
  }
  EXPECT_THROW(static_cast<void>(make_json_kernel(list + "]")), std::invalid_argument);
}

}  // namespace
}  // namespace fg::bench
