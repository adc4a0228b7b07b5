// The programs of short loops, compiled without OpenMP: what the others are checked against comes to
// what it should, by other means.
// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <complex>
#include <cstddef>
#include <cstdint>
#include <numbers>
#include <vector>

#include "programs/omp/loops/loop_program.hpp"

namespace {

using namespace fg::bench;  // NOLINT(google-build-using-namespace)

using numbers = std::vector<double>;

struct run_of {
  explicit run_of(const made_loop_program& program) {
    program->prepare();
    program->run();
    result = program->result();
    loops = program->loops();
  }
  numbers result;
  std::uint64_t loops;
};

double at_or_zero(const numbers& plane, std::size_t side, std::size_t row, std::size_t column) {
  return row < side && column < side ? plane[row * side + column] : 0;  // -1 is above all
}

double around(const numbers& plane, std::size_t side, std::size_t row, std::size_t column) {
  return at_or_zero(plane, side, row - 1, column) + at_or_zero(plane, side, row, column - 1) +
         at_or_zero(plane, side, row, column + 1) + at_or_zero(plane, side, row + 1, column);
}

TEST(omp_loops, conjugate_gradients_solve_the_equations) {
  constexpr std::size_t kSide = 12;
  const numbers found = run_of{reference::make_cg(kSide)}.result;
  ASSERT_EQ(found.size(), kSide * kSide);
  for (std::size_t i = 0; i < found.size(); ++i) {
    const double left = 4.1 * found[i] - around(found, kSide, i / kSide, i % kSide);
    EXPECT_NEAR(left, scattered(i), 1e-4) << i;
  }
}

TEST(omp_loops, a_v_cycle_leaves_little_of_the_residual) {
  constexpr std::size_t kSide = 65;
  const numbers found = run_of{reference::make_multigrid(kSide - 1)}.result;
  ASSERT_EQ(found.size(), kSide * kSide);
  double before = 0;
  double after = 0;
  for (std::size_t row = 1; row < kSide - 1; ++row) {
    for (std::size_t column = 1; column < kSide - 1; ++column) {
      const double right = scattered(row * kSide + column) - 0.5;
      const double left = 4 * found[row * kSide + column] - around(found, kSide, row, column);
      before += right * right;
      after += (right - left) * (right - left);
    }
  }
  EXPECT_GT(before, 300);
  EXPECT_LT(after, before / 100);  // a tenth of its length
}

TEST(omp_loops, fourier_transforms_are_sums_of_turns) {
  constexpr std::size_t kSize = 16;
  constexpr std::size_t kStages = 4;
  const run_of run{reference::make_fft(kSize)};
  ASSERT_EQ(run.result.size(), 2 * kSize);
  std::vector<std::complex<double>> expected;
  expected.reserve(kSize);
  for (std::size_t i = 0; i < kSize; ++i) {
    expected.emplace_back(scattered(2 * i) - 0.5, scattered(2 * i + 1) - 0.5);
  }
  ASSERT_NE(run.loops / kStages % 4, 0U);  // four transforms leave everything as it was
  for (std::size_t repeat = 0; repeat < run.loops / kStages % 4; ++repeat) {
    const auto from = expected;
    for (std::size_t k = 0; k < kSize; ++k) {
      expected[k] = 0;
      for (std::size_t i = 0; i < kSize; ++i) {
        const double angle = -2 * std::numbers::pi * static_cast<double>(i * k) / kSize;
        expected[k] += from[i] * std::polar(1 / std::sqrt(double{kSize}), angle);
      }
    }
  }
  for (std::size_t i = 0; i < kSize; ++i) {
    EXPECT_NEAR(run.result[2 * i], expected[i].real(), 1e-9) << i;
    EXPECT_NEAR(run.result[2 * i + 1], expected[i].imag(), 1e-9) << i;
  }
}

// Of a wave between two steps: what leapfrog's steps leave as it was.
double energy(const numbers& last, const numbers& previous, std::size_t side) {
  double sum = 0;
  for (std::size_t at = 0; at < last.size(); ++at) {
    const double motion = last[at] - previous[at];
    const double tension = 4 * previous[at] - around(previous, side, at / side, at % side);
    sum += motion * motion + 0.25 * last[at] * tension;
  }
  return sum;
}

TEST(omp_loops, waves_keep_their_energy_between_edges_that_rest) {
  constexpr std::size_t kSide = 24;
  const numbers found = run_of{reference::make_stencil(kSide)}.result;
  ASSERT_EQ(found.size(), 2 * kSide * kSide);
  const numbers last{found.begin(), found.begin() + kSide * kSide};
  const numbers previous{found.begin() + kSide * kSide, found.end()};
  numbers first(kSide * kSide);
  for (std::size_t row = 1; row < kSide - 1; ++row) {
    for (std::size_t column = 1; column < kSide - 1; ++column) {
      first[row * kSide + column] = scattered(row * kSide + column);
    }
  }
  const double expected = energy(first, first, kSide);
  EXPECT_GT(expected, 10);
  EXPECT_NEAR(energy(last, previous, kSide), expected, 1e-6);
  EXPECT_NE(last, previous);
  for (std::size_t i = 0; i < kSide; ++i) {
    EXPECT_EQ(last[i], 0);
    EXPECT_EQ(last[i * kSide], 0);
  }
}

TEST(omp_loops, products_of_matrices_add_up) {
  constexpr std::size_t kRows = 8;
  constexpr std::size_t kBatch = 3;
  const run_of run{reference::make_gemm(kBatch)};
  const numbers& found = run.result;
  ASSERT_EQ(found.size(), kBatch * kRows * kRows);
  for (std::size_t at = 0; at < found.size(); ++at) {
    const std::size_t matrix = at / (kRows * kRows) * kRows * kRows;
    const std::size_t row = at % (kRows * kRows) / kRows;
    double expected = 0;
    for (std::size_t k = 0; k < kRows; ++k) {
      expected += scattered(2 * (matrix + row * kRows + k)) *
                  scattered(2 * (matrix + k * kRows + at % kRows) + 1);
    }
    const auto times = static_cast<double>(run.loops);
    EXPECT_NEAR(found[at], times * expected, 1e-9 * times) << at;
  }
}

TEST(omp_loops, factors_multiply_to_the_matrix) {
  constexpr std::size_t kRows = 20;
  const numbers found = run_of{reference::make_lu(kRows)}.result;
  ASSERT_EQ(found.size(), kRows * kRows);
  for (std::size_t row = 0; row < kRows; ++row) {
    for (std::size_t column = 0; column < kRows; ++column) {
      double product = row <= column ? found[row * kRows + column] : 0;
      for (std::size_t k = 0; k < std::min(row, column + 1); ++k) {
        product += found[row * kRows + k] * found[k * kRows + column];
      }
      const double diagonal = row == column ? kRows : 0;
      EXPECT_NEAR(product, scattered(row * kRows + column) + diagonal, 1e-9);
    }
  }
}

TEST(omp_loops, levels_are_distances_on_the_torus) {
  constexpr std::size_t kSide = 11;
  const run_of run{reference::make_levels(kSide)};
  ASSERT_EQ(run.result.size(), kSide * kSide);
  for (std::size_t at = 0; at < run.result.size(); ++at) {
    const std::size_t row = std::min(at / kSide, kSide - at / kSide);
    const std::size_t column = std::min(at % kSide, kSide - at % kSide);
    EXPECT_EQ(run.result[at], static_cast<double>(std::max(row, column))) << at;
  }
  EXPECT_EQ(run.loops % (kSide / 2 + 1), 0U);  // the last level finds nothing
}

double potential(const numbers& places) {
  double sum = 0;
  double before = 0;
  for (const double place : places) {
    sum += (place - before) * (place - before) / 2 + 0.025 * std::pow(place, 4);
    before = place;
  }
  return sum + before * before / 2;
}

TEST(omp_loops, springs_keep_their_energy) {
  constexpr std::size_t kMasses = 50;
  const numbers found = run_of{reference::make_springs(kMasses)}.result;
  ASSERT_EQ(found.size(), 2 * kMasses + 2);
  numbers first;
  for (std::size_t i = 0; i < kMasses; ++i) {
    first.push_back(scattered(i) - 0.5);
  }
  double kinetic = 0;
  for (std::size_t i = kMasses; i < 2 * kMasses; ++i) {
    kinetic += found[i] * found[i] / 2;
  }
  EXPECT_DOUBLE_EQ(kinetic, found.back() * kMasses);
  EXPECT_LE(found.back(), found[2 * kMasses]);
  EXPECT_LT(found[2 * kMasses] * kMasses, 1.05 * potential(first));
  EXPECT_GT(kinetic, 0.1 * potential(first));
  const numbers places{found.begin(), found.begin() + kMasses};
  EXPECT_NEAR(kinetic + potential(places), potential(first), 0.05 * potential(first));
}

}  // namespace
