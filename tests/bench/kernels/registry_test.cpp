// Properties of every kernel.
// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <limits>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

#include "kernels/isolated_array.hpp"
#include "kernels/kernel.hpp"

namespace fg::bench {
namespace {

constexpr kernel_options kOptions{.spin_steps_per_us = 1000.0};

std::vector<std::string> all_cases() {
  std::vector<std::string> names(paper_kernels().begin(), paper_kernels().end());
  names.insert(names.end(), {"spin-100ns", "spin-10us", "spin-1ms"});
  return names;
}

std::string message_of(std::string_view name, const kernel_options& options) {
  try {
    static_cast<void>(make_kernel(name, options));
  } catch (const std::invalid_argument& error) {
    return error.what();
  }
  return {};
}

class every_kernel : public testing::TestWithParam<std::string> {};

TEST_P(every_kernel, is_right_after_each_run_in_both_instances) {
  const auto first = make_kernel(GetParam(), kOptions);
  const auto second = make_kernel(GetParam(), kOptions);
  for (int i = 0; i < 5; ++i) {
    first->run();
    second->run();
    EXPECT_EQ(first->check(), std::nullopt);
    EXPECT_EQ(second->check(), std::nullopt);
  }
}

TEST_P(every_kernel, is_wrong_before_the_first_run) {
  EXPECT_TRUE(make_kernel(GetParam(), kOptions)->check().has_value());
}

TEST_P(every_kernel, is_wrong_after_clear_until_it_runs_again) {
  const auto kernel = make_kernel(GetParam(), kOptions);
  const auto other = make_kernel(GetParam(), kOptions);
  kernel->run();
  other->run();
  kernel->clear();
  const auto error = kernel->check();
  ASSERT_TRUE(error.has_value());
  EXPECT_EQ(error.value_or("\n").find('\n'), std::string::npos);
  EXPECT_EQ(other->check(), std::nullopt) << "instances share a result";
  kernel->run();
  EXPECT_EQ(kernel->check(), std::nullopt);
}

TEST_P(every_kernel, starts_at_a_line_of_its_own) {
  const auto kernel = make_kernel(GetParam(), kOptions);
  const void* const whole = dynamic_cast<const void*>(kernel.get());
  EXPECT_EQ(reinterpret_cast<std::uintptr_t>(whole) % kIsolationBytes, 0U);
}

INSTANTIATE_TEST_SUITE_P(kernels, every_kernel, testing::ValuesIn(all_cases()),
                         [](const testing::TestParamInfo<std::string>& kernel) {
                           std::string name = kernel.param;
                           std::ranges::replace(name, '-', '_');
                           return name;
                         });

TEST(registry, has_the_papers_kernels_in_its_order) {
  EXPECT_EQ(std::vector<std::string_view>(paper_kernels().begin(), paper_kernels().end()),
            (std::vector<std::string_view>{"bc", "bfs", "cc", "pr", "sssp", "tc", "json"}));
}

TEST(registry, rejects_other_names_in_one_line) {
  for (const std::string_view name : {"", "BC", "bc ", "nope", "spin", "spin-0ns", "spin-10xx"}) {
    const std::string message = message_of(name, kOptions);
    EXPECT_NE(message.find("no kernel '" + std::string(name) + "'"), std::string::npos) << message;
    EXPECT_EQ(message.find('\n'), std::string::npos);
  }
}

TEST(registry, rejects_a_spin_without_a_number_of_steps) {
  constexpr double kNan = std::numeric_limits<double>::quiet_NaN();
  constexpr double kInfinity = std::numeric_limits<double>::infinity();
  for (const double steps_per_us : {0.0, -1.0, kNan, kInfinity, 1e300}) {
    const std::string message = message_of("spin-10us", {.spin_steps_per_us = steps_per_us});
    EXPECT_NE(message.find("steps per us"), std::string::npos) << steps_per_us;
  }
  EXPECT_NE(message_of("spin-10us", {}), "");
}

}  // namespace
}  // namespace fg::bench
