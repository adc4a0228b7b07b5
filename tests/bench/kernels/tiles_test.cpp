// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <stdexcept>
#include <vector>

#include "kernels/tiles/blas.hpp"
#include "kernels/tiles/tile_matrix.hpp"
#include "kernels/tiles/tile_problem.hpp"
#include "kernels/tiles/tile_program.hpp"

namespace fg::bench::tiles {
namespace {

using maker = problem (*)(int n, int extent);

// Five tiles per side, the last one of six rows.
constexpr int kRows = 70;
constexpr int kExtent = 16;

bool solves(problem& given, const std::vector<task>& tasks) {
  given.restore();
  for (const task& each : tasks) {
    run(given.steps, each);
  }
  return given.is_solved();
}

TEST(tile_program, cholesky_of_two_tiles_a_side) {
  const std::vector<task> expected{{.what = kernel::potrf, .target = 0},
                                   {.what = kernel::trsm, .target = 1, .operand = {0}},
                                   {.what = kernel::syrk, .target = 2, .operand = {1}},
                                   {.what = kernel::potrf, .target = 2}};
  EXPECT_EQ(cholesky_tasks(2), expected);
}

TEST(tile_program, cholesky_updates_right_of_each_column) {
  const std::vector<task> tasks = cholesky_tasks(7);
  EXPECT_EQ(tasks.size(), 7U * 8 * 9 / 6);
  const std::uint32_t below = lower_place(2, 1);
  EXPECT_EQ(std::ranges::count(tasks, task{.what = kernel::gemm,
                                           .target = below,
                                           .operand = {lower_place(2, 0), lower_place(1, 0)}}),
            1);
}

TEST(tile_program, syrk_of_two_tiles_a_side) {
  const std::vector<task> expected{{.what = kernel::syrk, .target = 0, .operand = {3}},
                                   {.what = kernel::syrk, .target = 0, .operand = {4}},
                                   {.what = kernel::gemm, .target = 1, .operand = {5, 3}},
                                   {.what = kernel::gemm, .target = 1, .operand = {6, 4}},
                                   {.what = kernel::syrk, .target = 2, .operand = {5}},
                                   {.what = kernel::syrk, .target = 2, .operand = {6}}};
  EXPECT_EQ(syrk_tasks(2), expected);
}

TEST(tile_matrix, has_each_element_in_its_tile) {
  // Three rows, two in the first tile; element (i, j) is 10 i + j.
  const std::array<double, 9> whole{0, 10, 20, 1, 11, 21, 2, 12, 22};
  tile_matrix all(3, 2, part::all);
  all.copy_from(whole);
  const std::vector<std::vector<double>> expected{{0, 10, 1, 11}, {2, 12}, {20, 21}, {22}};
  ASSERT_EQ(all.tiles().size(), 4U);
  for (std::size_t at = 0; at < 4; ++at) {
    const tile& each = all.tiles()[at];
    const std::size_t size =
        static_cast<std::size_t>(each.rows) * static_cast<std::size_t>(each.columns);
    EXPECT_EQ(std::vector<double>(each.data, each.data + size), expected[at]) << at;
    EXPECT_EQ(reinterpret_cast<std::uintptr_t>(each.data) % 64, 0U);
  }
  EXPECT_EQ(all.tiles()[1].rows, 2);
  tile_matrix lower(3, 2, part::lower);
  lower.copy_from(whole);
  ASSERT_EQ(lower.tiles().size(), 3U);
  EXPECT_EQ(*lower.tiles()[1].data, 20);
  EXPECT_EQ(*lower.tiles()[2].data, 22);
}

class tile_problem : public testing::TestWithParam<maker> {};

INSTANTIATE_TEST_SUITE_P(tiles, tile_problem, testing::Values(make_cholesky, make_syrk),
                         [](const auto& made) {
                           return made.param == make_cholesky ? "cholesky" : "syrk";
                         });

TEST_P(tile_problem, is_solved_by_its_program_whatever_the_tiles) {
  for (const int n : {1, 7, kRows, 128}) {
    for (const int extent : {1, 7, kExtent, 64, 200}) {
      problem made = GetParam()(n, extent);
      EXPECT_TRUE(solves(made, made.steps.tasks)) << n << " rows in tiles of " << extent;
      EXPECT_TRUE(solves(made, made.steps.tasks)) << "again";
    }
  }
}

TEST_P(tile_problem, is_unsolved_before_and_without_any_one_task) {
  problem made = GetParam()(kRows, kExtent);
  EXPECT_FALSE(made.is_solved());
  for (std::size_t at = 0; at < made.steps.tasks.size(); ++at) {
    std::vector<task> tasks = made.steps.tasks;
    tasks.erase(tasks.begin() + static_cast<std::ptrdiff_t>(at));
    EXPECT_FALSE(solves(made, tasks)) << at;
  }
}

TEST_P(tile_problem, is_unsolved_with_any_task_twice) {
  problem made = GetParam()(kRows, kExtent);
  for (std::size_t at = 0; at < made.steps.tasks.size(); ++at) {
    std::vector<task> tasks = made.steps.tasks;
    tasks.insert(tasks.begin() + static_cast<std::ptrdiff_t>(at), tasks[at]);
    EXPECT_FALSE(solves(made, tasks)) << at;
  }
}

TEST_P(tile_problem, allows_an_element_as_much_as_it_says) {
  problem made = GetParam()(kRows, kExtent);
  ASSERT_TRUE(solves(made, made.steps.tasks));
  EXPECT_LT(made.allowed, 1e-10);
  double& element = made.result.elements().front();
  const double right = made.expected.elements().front();
  element = right + made.allowed / 2;
  EXPECT_TRUE(made.is_solved());
  element = right + made.allowed * 2;
  EXPECT_FALSE(made.is_solved());
  element = std::numeric_limits<double>::quiet_NaN();
  EXPECT_FALSE(made.is_solved());
}

// A late task before those that it depends on.
TEST(tile_cholesky, is_unsolved_in_another_order) {
  problem made = make_cholesky(kRows, kExtent);
  for (std::size_t at = 1; at < made.steps.tasks.size(); ++at) {
    std::vector<task> tasks = made.steps.tasks;
    std::rotate(tasks.begin(), tasks.begin() + static_cast<std::ptrdiff_t>(at),
                tasks.begin() + static_cast<std::ptrdiff_t>(at) + 1);
    EXPECT_FALSE(solves(made, tasks)) << at;
  }
}

TEST(tile_blas, refuses_a_matrix_that_is_not_positive_definite) {
  load_blas();
  std::vector<double> matrix{1, 2, 2, 1};
  EXPECT_THROW(factor_whole(matrix, 2), std::runtime_error);
}

}  // namespace
}  // namespace fg::bench::tiles
