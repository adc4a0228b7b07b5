// All placements of queens that do not attack each other: one task per attempt.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <numeric>
#include <optional>
#include <string>

#include "kernels/bots/application.hpp"
#include "kernels/bots/queens_board.hpp"
#include "kernels/bots/tasks.hpp"

namespace fg::bench::bots {

/// Counts the placements of `queens` on a board of as many rows, by backtracking. Each column of
/// the next row is a task: it copies the board, checks whether the queen fits, and if so continues
/// with the next row. Source: "Barcelona OpenMP Tasks Suite" (see applications.hpp), nqueens
/// without cutoff.
class nqueens final : public application {
 public:
  explicit nqueens(int queens)
      : queens_{queens}, solutions_{count_queens(queens).solutions}, found_{~solutions_} {}

  void prepare() override { found_ = ~solutions_; }

  template <task_handle Tasks>
  void run(Tasks tasks) {
    found_ = below(tasks, queens_, 0, queens_board{});
  }

  [[nodiscard]] std::optional<std::string> fault() const override {
    if (found_ == solutions_) {
      return std::nullopt;
    }
    return std::to_string(queens_) + " queens have " + std::to_string(solutions_) +
           " placements, not " + std::to_string(found_);
  }

 private:
  template <task_handle Tasks>
  static std::uint64_t below(Tasks tasks, int queens, int row, const queens_board& board) {
    if (row == queens) {
      return 1;
    }
    std::array<std::uint64_t, queens_board::kMostQueens> found{};
    typename Tasks::group tries{tasks};
    for (int column = 0; column < queens; ++column) {
      std::uint64_t& of_try = found[static_cast<std::size_t>(column)];
      tries.spawn([&board, &of_try, queens, row, column](Tasks inner) {
        queens_board next = board;
        next.columns[static_cast<std::size_t>(row)] = static_cast<std::uint8_t>(column);
        if (last_fits(next, row)) {
          of_try = below(inner, queens, row + 1, next);
        }
      });
    }
    tries.wait();
    return std::accumulate(found.begin(), found.begin() + queens, std::uint64_t{0});
  }

  int queens_;
  std::uint64_t solutions_;
  std::uint64_t found_;
};

}  // namespace fg::bench::bots
