// The smallest rectangle that holds cells of changeable shape: a task a branch.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "kernels/bots/application.hpp"
#include "kernels/bots/floorplan_board.hpp"
#include "kernels/bots/tasks.hpp"

namespace fg::bench::bots {

/// Branch and bound over where the `cells` lie, one after the other: each shape of the next cell at
/// each place beside its neighbour is a task, which copies the board, lays the cell, and if that
/// went and the rectangle so far is smaller than the best plan's, goes on below. Source: "Barcelona
/// OpenMP Tasks Suite" (see applications.hpp), floorplan without cutoff. Ours: the cells, their
/// shapes, and that each has one neighbour, of which it has to touch a certain side. Two cells more
/// take ten times as long and longer, in the constructor too.
class floorplan final : public application {
 public:
  /// What is left out hangs on how early a good plan is found.
  static constexpr bool kTasksVary = true;

  /// Requires: `cells` is 1 to floorplan_board::kMostCells.
  explicit floorplan(std::size_t cells)
      : cells_(seeded_cells(cells)), least_area_{least_area(cells_)} {}

  void prepare() override { smallest_.forget(); }

  template <task_handle Tasks>
  void run(Tasks tasks) {
    place_next(tasks, floorplan_board{});
  }

  [[nodiscard]] std::optional<std::string> fault() const override {
    if (smallest_.area() != least_area_) {
      return "the least area is " + std::to_string(least_area_) + ", not " +
             std::to_string(smallest_.area());
    }
    return fault_of_plan(cells_, smallest_.plan().places(), least_area_);
  }

 private:
  template <task_handle Tasks>
  void place_next(Tasks tasks, const floorplan_board& board) {
    typename Tasks::group branches{tasks};
    for (const floorplan_place place : floorplan_choice{cells_, board}) {
      branches.spawn([this, &board, place](Tasks inner) {
        floorplan_board next = board;
        if (next.lay(place) && next.area() < smallest_.area()) {
          go_on(inner, next);
        }
      });
    }
    branches.wait();
  }

  template <task_handle Tasks>
  void go_on(Tasks tasks, const floorplan_board& board) {
    if (board.places().size() == cells_.size()) {
      smallest_.offer(board);
    } else {
      place_next(tasks, board);
    }
  }

  std::vector<floorplan_cell> cells_;
  int least_area_;
  smallest_floorplan smallest_;
};

}  // namespace fg::bench::bots
