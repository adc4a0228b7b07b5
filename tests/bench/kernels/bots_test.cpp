// The applications of the Barcelona OpenMP Tasks Suite, without a runtime.
// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <complex>
#include <cstddef>
#include <cstdint>
#include <numbers>
#include <optional>
#include <stdexcept>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "bots_handles.hpp"
#include "kernels/bots/applications.hpp"
#include "kernels/bots/fft_leaves.hpp"
#include "kernels/bots/strassen_matrix.hpp"
#include "kernels/bots/tasks.hpp"

namespace {

using namespace fg::bench;  // NOLINT(google-build-using-namespace)

// Tasks that run where they are spawned, except those from a given number on, which are lost.
struct losing_tasks {
  std::uint64_t* spawned;
  std::uint64_t lost_from;

  class group {
   public:
    explicit group(losing_tasks tasks) : spawned_{tasks.spawned}, lost_from_{tasks.lost_from} {}

    template <class Task>
    void spawn(Task task) {
      if ((*spawned_)++ < lost_from_) {
        task(losing_tasks{spawned_, lost_from_});
      }
    }
    void wait() {}

   private:
    std::uint64_t* spawned_;
    std::uint64_t lost_from_;
  };
};

static_assert(bots::task_handle<losing_tasks>);

std::uint64_t small_size(const bots::application_kind& kind) {
  // Large enough for tasks that spawn tasks.
  static const std::vector<std::pair<std::string, std::uint64_t>> sizes{
      {"fib", 10},   {"nqueens", 6},   {"floorplan", 4}, {"alignment", 5}, {"fft", 1024},
      {"health", 2}, {"sort", 20'000}, {"sparselu", 8},  {"strassen", 128}};
  return std::ranges::find(sizes, kind.name, &std::pair<std::string, std::uint64_t>::first)->second;
}

bots::any_application small_application(const bots::application_kind& kind) {
  return kind.make({.size = small_size(kind), .base = 32});
}

bots::application& base_of(const bots::any_application& application) {
  return std::visit([](const auto& one) -> bots::application& { return *one; }, application);
}

template <class Tasks>
std::optional<std::string> fault_of_run(const bots::any_application& application, Tasks tasks) {
  base_of(application).prepare();
  std::visit([tasks](const auto& one) { one->run(tasks); }, application);
  return base_of(application).fault();
}

constexpr std::uint64_t kNoneLost = ~std::uint64_t{0};

class bots_applications : public testing::TestWithParam<bots::application_kind> {};

TEST_P(bots_applications, come_to_their_result_again_and_again) {
  const bots::any_application application = small_application(GetParam());
  std::uint64_t spawned = 0;
  for (int run = 0; run < 3; ++run) {
    spawned = 0;
    EXPECT_EQ(fault_of_run(application, losing_tasks{&spawned, kNoneLost}), std::nullopt);
  }
  EXPECT_GT(spawned, 5U);
}

TEST_P(bots_applications, wait_for_what_they_need) {
  const bots::any_application application = small_application(GetParam());
  for (int run = 0; run < 2; ++run) {
    EXPECT_EQ(fault_of_run(application, bots_test::backwards{}), std::nullopt);
  }
}

TEST_P(bots_applications, have_a_fault_before_they_run) {
  const bots::any_application application = small_application(GetParam());
  base_of(application).prepare();
  EXPECT_TRUE(base_of(application).fault());
  std::uint64_t spawned = 0;
  ASSERT_EQ(fault_of_run(application, losing_tasks{&spawned, kNoneLost}), std::nullopt);
  base_of(application).prepare();  // clears the result of the previous run
  EXPECT_TRUE(base_of(application).fault());
}

TEST_P(bots_applications, have_a_fault_when_tasks_are_lost) {
  const bots::any_application application = small_application(GetParam());
  std::uint64_t all = 0;
  ASSERT_EQ(fault_of_run(application, losing_tasks{&all, kNoneLost}), std::nullopt);
  for (const std::uint64_t kept : {std::uint64_t{0}, all / 2}) {
    std::uint64_t spawned = 0;
    EXPECT_TRUE(fault_of_run(application, losing_tasks{&spawned, kept})) << kept << " of " << all;
  }
}

TEST_P(bots_applications, have_sizes_in_order) {
  const bots::application_kind& kind = GetParam();
  EXPECT_LE(kind.least_size, kind.usual_size);
  EXPECT_LE(kind.usual_size, kind.greatest_size);
}

INSTANTIATE_TEST_SUITE_P(all, bots_applications,
                         testing::ValuesIn(bots::applications().begin(),
                                           bots::applications().end()),
                         [](const auto& kind) { return std::string{kind.param.name}; });

TEST(bots_sizes, that_do_not_fit_are_refused) {
  const auto make = [](const char* name, const bots::application_size& size) {
    return std::ranges::find(bots::applications(), std::string_view{name},
                             &bots::application_kind::name)
        ->make(size);
  };
  EXPECT_THROW(make("fft", {.size = 1000}), std::invalid_argument);
  EXPECT_THROW(make("strassen", {.size = 96, .base = 32}), std::invalid_argument);
  EXPECT_THROW(make("strassen", {.size = 100, .base = 32}), std::invalid_argument);
  EXPECT_NO_THROW(make("strassen", {.size = 96, .base = 48}));
}

TEST(bots_fft, is_the_definition_s_transform) {
  constexpr std::size_t kCount = 64;
  const std::vector<fft_value> signal = seeded_signal(kCount);
  const std::vector<fft_value> found = transformed_by_levels(signal);
  for (std::size_t k = 0; k < kCount; ++k) {
    std::complex<double> sum;
    for (std::size_t j = 0; j < kCount; ++j) {
      const double angle = -2 * std::numbers::pi * static_cast<double>(j * k % kCount) / kCount;
      sum += std::complex{signal[j].re, signal[j].im} * std::polar(1.0, angle);
    }
    EXPECT_NEAR(found[k].re, sum.real(), 1e-13);
    EXPECT_NEAR(found[k].im, sum.imag(), 1e-13);
  }
}

TEST(bots_fft, differs_by_a_frequency) {
  const std::vector<fft_value> right = transformed_by_levels(seeded_signal(256));
  EXPECT_FALSE(spectral_difference(right, right));
  std::vector<fft_value> wrong = right;
  wrong[200].im += 1e-11;
  EXPECT_TRUE(spectral_difference(right, wrong));
  wrong[200].im = std::nan("");
  EXPECT_TRUE(spectral_difference(right, wrong));
}

TEST(bots_strassen, sees_one_wrong_entry_of_a_product) {
  constexpr std::size_t kRows = 50;
  const square_matrix left = seeded_square(kRows, 1);
  const square_matrix right = seeded_square(kRows, 2);
  square_matrix product{kRows};
  multiply_sequentially(product.view(), left.view(), right.view());
  EXPECT_FALSE(fault_of_product(left.view(), right.view(), std::as_const(product).view()));
  double sum = 0;
  for (std::size_t k = 0; k < kRows; ++k) {
    sum += left.view().row(7)[k] * right.view().row(k)[11];
  }
  EXPECT_EQ(product.view().row(7)[11], sum);
  product.view().row(7)[11] += 1;
  EXPECT_TRUE(fault_of_product(left.view(), right.view(), std::as_const(product).view()));
}

}  // namespace
