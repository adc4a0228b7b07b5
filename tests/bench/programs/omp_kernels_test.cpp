// The kernels of omp-RUNTIME, compiled here without OpenMP, and their parts.
// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <memory>
#include <span>
#include <string>
#include <thread>
#include <vector>

#include "kernels/bots/queens_board.hpp"
#include "kernels/bots/sort_leaves.hpp"
#include "kernels/bots/sparselu_matrix.hpp"
#include "programs/frame/program_errors.hpp"
#include "programs/frame/thread_census.hpp"
#include "programs/omp/cases.hpp"
#include "programs/omp/omp_kernel.hpp"
#include "programs/omp/thread_delays.hpp"

namespace {

using namespace fg::bench;  // NOLINT(google-build-using-namespace)

std::uint64_t least_size(const omp_case& of) {
  return of.name == "nqueens" ? 6 : of.least_size;  // fewer queens than 4 may have no solution
}

std::unique_ptr<omp_kernel> small_kernel(const omp_case& of) {
  return of.make({.size = least_size(of), .threads = 1, .spin_steps_per_us = 1.0});
}

class omp_kernels : public testing::TestWithParam<omp_case> {};

TEST_P(omp_kernels, come_to_their_result_again_and_again) {
  const std::unique_ptr<omp_kernel> kernel = small_kernel(GetParam());
  for (int run = 0; run < 2; ++run) {
    kernel->prepare();
    kernel->run_ns();
    EXPECT_NO_THROW(kernel->check());
  }
}

TEST_P(omp_kernels, count_what_they_say) {
  const std::unique_ptr<omp_kernel> kernel = small_kernel(GetParam());
  thread_census::begin();
  kernel->prepare();
  kernel->run_counted();
  EXPECT_NO_THROW(kernel->check());
  std::uint64_t counted = 0;
  for (const std::uint64_t of_thread : thread_census::counts()) {
    counted += of_thread;
  }
  EXPECT_EQ(counted, kernel->counted().value_or(counted));
  EXPECT_GT(counted, 0U);
}

// The kernels of constructs are checked while they run: see omp_delays.
class omp_results : public testing::TestWithParam<omp_case> {};

TEST_P(omp_results, are_not_there_before_a_run) {
  const std::unique_ptr<omp_kernel> kernel = small_kernel(GetParam());
  kernel->prepare();
  EXPECT_THROW(kernel->check(), wrong_result);
  kernel->run_ns();
  kernel->prepare();
  EXPECT_THROW(kernel->check(), wrong_result);
}

std::vector<omp_case> cases_with_results() {
  std::vector<omp_case> cases{omp_cases().begin(), omp_cases().end()};
  std::erase_if(cases, [](const omp_case& each) { return !each.has_serial_form; });
  return cases;
}

std::string name_of(const testing::TestParamInfo<omp_case>& shown) {
  std::string name{shown.param.name};
  for (char& each : name) {
    each = each == '-' ? '_' : each;
  }
  return name;
}

INSTANTIATE_TEST_SUITE_P(omp, omp_kernels,
                         testing::ValuesIn(omp_cases().begin(), omp_cases().end()), name_of);

INSTANTIATE_TEST_SUITE_P(omp, omp_results, testing::ValuesIn(cases_with_results()), name_of);

TEST(omp_sizes, of_the_published_kernels) {
  const auto tasks_of = [](const char* name, std::uint64_t size) {
    for (const omp_case& each : omp_cases()) {
      if (each.name == name) {
        return *each.make({.size = size, .threads = 1, .spin_steps_per_us = {}})->tasks();
      }
    }
    return std::uint64_t{0};
  };
  EXPECT_EQ(tasks_of("fib-nocutoff", 30), 2'692'536U);
  EXPECT_EQ(tasks_of("uts-T1", 0), 4'130'070U);
  EXPECT_EQ(tasks_of("sparselu", 2), 3U);  // one to the right, one below, their product
}

TEST(omp_coarse, needs_to_know_how_fast_the_processor_is) {
  EXPECT_THROW((void)make_coarse({.size = 1, .threads = 1, .spin_steps_per_us = {}}),
               wrong_arguments);
}

// ---- queens ----

TEST(omp_queens, as_many_solutions_as_are_known) {
  // Sequence A000170 of the On-Line Encyclopedia of Integer Sequences.
  constexpr std::array<std::uint64_t, 12> kSolutions{1,  0,  0,   2,   10,   4,
                                                     40, 92, 352, 724, 2680, 14'200};
  for (int queens = 1; queens <= 12; ++queens) {
    EXPECT_EQ(count_queens(queens).solutions, kSolutions.at(static_cast<std::size_t>(queens) - 1));
  }
  // By hand: 1 to 3 queens fit 4, 6, 4 times on the first 3 rows of 4, and 2 on the last.
  EXPECT_EQ(count_queens(4).placements, 4U + 6U + 4U + 2U);
}

TEST(omp_queens, attack_along_rows_columns_and_diagonals) {
  queens_board board{};
  board.columns = {2};
  const std::array<bool, 6> fits_below{true, false, false, false, true, true};
  for (std::size_t column = 0; column < fits_below.size(); ++column) {
    board.columns.at(1) = static_cast<std::uint8_t>(column);
    EXPECT_EQ(last_fits(board, 1), fits_below.at(column)) << column;
  }
}

// ---- sort ----

TEST(omp_sort, shuffles_every_number_once) {
  std::vector<sort_element> elements = shuffled_elements(5000);
  EXPECT_EQ(elements, shuffled_elements(5000));
  EXPECT_TRUE(fault_of_order(elements));
  sort_sequentially(elements);
  EXPECT_FALSE(fault_of_order(elements));
}

TEST(omp_sort, sees_two_elements_in_the_wrong_order_and_a_lost_one) {
  std::vector<sort_element> elements{0, 1, 2, 3, 4};
  std::swap(elements[3], elements[4]);
  EXPECT_TRUE(fault_of_order(elements));
  EXPECT_TRUE(fault_of_order(std::vector<sort_element>{0, 1, 1, 3}));
}

TEST(omp_sort, merges_runs_of_all_lengths) {
  for (std::size_t left = 0; left < 6; ++left) {
    std::vector<sort_element> odd;
    std::vector<sort_element> rest;
    for (std::size_t i = 0; i < 10; ++i) {
      (i % 2 == 1 && odd.size() < left ? odd : rest).push_back(static_cast<sort_element>(i));
    }
    std::vector<sort_element> merged(10);
    merge_sequentially(odd, rest, merged.data());
    EXPECT_FALSE(fault_of_order(merged)) << left;
  }
}

// Sizes around the powers at which the quarters and the halves are uneven.
TEST(omp_sort, takes_odd_lengths) {
  for (const std::uint64_t size : {8192U, 8193U, 8195U, 12'287U, 65'535U, 100'003U}) {
    const std::unique_ptr<omp_kernel> kernel =
        make_sort({.size = size, .threads = 1, .spin_steps_per_us = {}});
    kernel->prepare();
    kernel->run_ns();
    EXPECT_NO_THROW(kernel->check()) << size;
  }
}

// ---- sparse LU ----

using dense = std::vector<double>;

dense dense_of(const block_matrix& matrix) {
  const std::size_t rows = matrix.rows() * kBlockRows;
  dense all(rows * rows);
  for (std::size_t row = 0; row < rows; ++row) {
    for (std::size_t column = 0; column < rows; ++column) {
      if (matrix.has(row / kBlockRows, column / kBlockRows)) {
        const lu_block& block = matrix.at(row / kBlockRows, column / kBlockRows);
        all[row * rows + column] = static_cast<double>(
            block.values.at(row % kBlockRows * kBlockRows + column % kBlockRows));
      }
    }
  }
  return all;
}

TEST(omp_sparselu, factors_multiply_to_the_matrix) {
  constexpr std::size_t kBlocks = 7;
  constexpr std::size_t kRows = kBlocks * kBlockRows;
  block_matrix matrix = seeded_matrix(kBlocks);
  const dense expected = dense_of(matrix);
  const std::uint64_t calls = factorise_sequentially(matrix);
  EXPECT_GT(calls, kBlocks * kBlocks);
  const dense factors = dense_of(matrix);
  double greatest = 0;
  for (std::size_t row = 0; row < kRows; ++row) {
    for (std::size_t column = 0; column < kRows; ++column) {
      double product = row <= column ? factors[row * kRows + column] : 0;
      for (std::size_t k = 0; k < std::min(row, column + 1); ++k) {
        product += factors[row * kRows + k] * factors[k * kRows + column];
      }
      greatest = std::max(greatest, std::abs(product - expected[row * kRows + column]));
    }
  }
  EXPECT_LT(greatest, 1e-4);  // values up to 21, of 24 bits
}

// As many blocks as a matrix of that size has in the suite's generator, at the corner by hand.
TEST(omp_sparselu, has_the_pattern_of_the_suite) {
  const block_matrix matrix = seeded_matrix(7);
  const std::array<std::string, 7> pattern{"xxx.x.x", "xxx....", "xxxx...", "..xxx..",
                                           "x..xxx.", "....xxx", "x....xx"};
  for (std::size_t row = 0; row < 7; ++row) {
    for (std::size_t column = 0; column < 7; ++column) {
      EXPECT_EQ(matrix.has(row, column), pattern.at(row).at(column) == 'x') << row << ' ' << column;
    }
  }
}

// Neither overflow nor subnormal numbers, which are slow: the sizes that are measured.
TEST(omp_sparselu, stays_among_ordinary_numbers) {
  block_matrix matrix = seeded_matrix(50);
  factorise_sequentially(matrix);
  std::size_t blocks = 0;
  for (std::size_t row = 0; row < 50; ++row) {
    for (std::size_t column = 0; column < 50; ++column) {
      if (!matrix.has(row, column)) {
        continue;
      }
      ++blocks;
      for (const float value : matrix.at(row, column).values) {
        ASSERT_TRUE(value == 0 || std::isnormal(value)) << row << ' ' << column;
        ASSERT_LT(std::abs(value), 1e3F);
      }
    }
  }
  EXPECT_GT(blocks, 500U);
}

TEST(omp_sparselu, sees_a_flipped_bit_and_a_missing_block) {
  const block_matrix expected = seeded_matrix(5);
  block_matrix found = expected;
  EXPECT_FALSE(difference(expected, found));
  float& value = found.at(2, 1).values.back();
  value = std::nextafter(value, std::numeric_limits<float>::infinity());
  EXPECT_TRUE(difference(expected, found));
  block_matrix filled = expected;
  (void)filled.made_at(4, 1);  // zeros, where the block was absent
  EXPECT_TRUE(difference(expected, filled));
}

// ---- delays ----

void delays_on_a_thread(std::uint64_t delays) {
  std::thread{[delays] {
    for (std::uint64_t i = 0; i < delays; ++i) {
      thread_delays::delay();
    }
  }}.join();
}

TEST(omp_delays, are_counted_by_thread) {
  thread_delays::begin();
  delays_on_a_thread(10);
  delays_on_a_thread(10);
  EXPECT_NO_THROW(thread_delays::require(2, 10));
  EXPECT_THROW(thread_delays::require(1, 10), wrong_result);
  EXPECT_THROW(thread_delays::require(3, 10), wrong_result);
  EXPECT_THROW(thread_delays::require(2, 9), wrong_result);
  EXPECT_THROW(thread_delays::require(2, 11), wrong_result);
  delays_on_a_thread(11);
  EXPECT_THROW(thread_delays::require(3, 10), wrong_result);
}

TEST(omp_delays, are_counted_in_all) {
  thread_delays::begin();
  delays_on_a_thread(10);
  delays_on_a_thread(3);
  EXPECT_NO_THROW(thread_delays::require_in_all(13));
  EXPECT_THROW(thread_delays::require_in_all(12), wrong_result);
  EXPECT_THROW(thread_delays::require_in_all(14), wrong_result);
}

TEST(omp_delays, begin_anew) {
  thread_delays::begin();
  thread_delays::delay();
  thread_delays::begin();
  EXPECT_THROW(thread_delays::require(1, 0), wrong_result);
  thread_delays::delay();
  EXPECT_NO_THROW(thread_delays::require(1, 1));
}

}  // namespace
