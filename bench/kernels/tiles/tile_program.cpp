// SPDX-License-Identifier: Apache-2.0
#include "kernels/tiles/tile_program.hpp"

#include <cstdint>
#include <vector>

namespace fg::bench::tiles {

std::vector<task> cholesky_tasks(std::uint32_t side) {
  std::vector<task> tasks;
  for (std::uint32_t step = 0; step < side; ++step) {
    const std::uint32_t diagonal = lower_place(step, step);
    tasks.push_back({.what = kernel::potrf, .target = diagonal});
    for (std::uint32_t row = step + 1; row < side; ++row) {
      tasks.push_back(
          {.what = kernel::trsm, .target = lower_place(row, step), .operand = {diagonal}});
    }
    for (std::uint32_t row = step + 1; row < side; ++row) {
      const std::uint32_t left = lower_place(row, step);
      tasks.push_back({.what = kernel::syrk, .target = lower_place(row, row), .operand = {left}});
      for (std::uint32_t other = step + 1; other < row; ++other) {
        tasks.push_back({.what = kernel::gemm,
                         .target = lower_place(row, other),
                         .operand = {left, lower_place(other, step)}});
      }
    }
  }
  return tasks;
}

std::vector<task> syrk_tasks(std::uint32_t side) {
  const auto of_a = [side](std::uint32_t row, std::uint32_t column) {
    return lower_place(side, 0) + row * side + column;
  };
  std::vector<task> tasks;
  for (std::uint32_t row = 0; row < side; ++row) {
    for (std::uint32_t other = 0; other <= row; ++other) {
      const std::uint32_t target = lower_place(row, other);
      for (std::uint32_t step = 0; step < side; ++step) {
        if (row == other) {
          tasks.push_back({.what = kernel::syrk, .target = target, .operand = {of_a(row, step)}});
        } else {
          tasks.push_back({.what = kernel::gemm,
                           .target = target,
                           .operand = {of_a(row, step), of_a(other, step)}});
        }
      }
    }
  }
  return tasks;
}

}  // namespace fg::bench::tiles
