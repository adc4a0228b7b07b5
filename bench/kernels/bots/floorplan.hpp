// The smallest rectangle that holds cells of variable shape: one task per branch.
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

/// Branch and bound over the places of the `cells`, one cell after the other. Each shape of the
/// next cell at each place beside its neighbour is a task. It copies the board, lays the cell and,
/// if that succeeds and the rectangle so far is smaller than the best plan's, continues with the
/// next cell. Source: "Barcelona OpenMP Tasks Suite" (see applications.hpp), floorplan without
/// cutoff. Ours: the cells, their shapes, and that each has one neighbour and has to touch a
/// certain side of it. Two more cells take at least ten times as long, in the constructor too.
class floorplan final : public application {
 public:
  /// How much is pruned depends on how early a good plan is found.
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
