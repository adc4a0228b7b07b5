// Cells on a board, and the search for the smallest floor plan, except for its tasks. Compiled once
// for all runtimes.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <mutex>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace fg::bench {

/// A cell may have any integer sides from kShortestSide to kLongestSide whose product is its area;
/// it has to touch a certain side of its neighbour, an earlier cell. The first one lies in the
/// corner.
struct floorplan_cell {
  static constexpr int kShortestSide = 2;
  static constexpr int kLongestSide = 6;
  std::uint8_t area;
  std::uint8_t neighbour;
  bool is_below;  ///< whether it touches the neighbour's lower side; else its right one
};

/// Where a cell lies; x goes right, y down. Four bytes, so that a task can carry one.
struct floorplan_place {
  std::uint8_t x;
  std::uint8_t y;
  std::uint8_t width;
  std::uint8_t height;
};

/// The cells laid so far. A branch copies it: 4 KiB, as a square is a byte.
class floorplan_board {
 public:
  static constexpr std::size_t kMostCells = 20;
  /// The side of the board; every plan fits in it.
  static constexpr int kSide = 64;

  /// Lays the next cell. Returns false, and changes nothing, if another cell or the edge of the
  /// board is in its way.
  [[nodiscard]] bool lay(floorplan_place place) noexcept;

  /// The area of the rectangle from the corner that holds all cells.
  [[nodiscard]] int area() const noexcept { return width_ * height_; }
  [[nodiscard]] std::span<const floorplan_place> places() const noexcept {
    return std::span{places_}.first(laid_);
  }

 private:
  std::array<std::array<std::uint8_t, kSide>, kSide> rows_{};  // 1: occupied
  std::array<floorplan_place, kMostCells> places_{};
  std::size_t laid_ = 0;
  int width_ = 0;
  int height_ = 0;
};

/// The places that a cell may have by its shapes and its neighbour's place, regardless of other
/// cells.
class floorplan_choice {
 public:
  /// For the next cell of the board.
  floorplan_choice(std::span<const floorplan_cell> cells, const floorplan_board& board) noexcept;

  [[nodiscard]] const floorplan_place* begin() const noexcept { return places_.data(); }
  [[nodiscard]] const floorplan_place* end() const noexcept { return places_.data() + size_; }

 private:
  void add_right_of(floorplan_place neighbour, int width, int height) noexcept;
  void add_below(floorplan_place neighbour, int width, int height) noexcept;
  void add(int x, int y, int width, int height) noexcept;

  static constexpr std::size_t kMostShapes = 4;  // of area 12
  static constexpr std::size_t kMostBeside = 2 * floorplan_cell::kLongestSide - 1;
  std::array<floorplan_place, kMostShapes * kMostBeside> places_;
  std::size_t size_ = 0;
};

/// The smallest plan found so far. Any thread may call all functions except `plan` and `forget`.
class smallest_floorplan {
 public:
  /// An upper bound: every plan is smaller.
  static constexpr int kNone = floorplan_board::kSide * floorplan_board::kSide + 1;

  /// The area of the smallest plan, or of an earlier one. Relaxed: a branch only compares it, and
  /// an old value costs nothing but a branch that could have been pruned.
  [[nodiscard]] int area() const noexcept { return area_.load(std::memory_order_relaxed); }

  /// Keeps the plan if it is smaller than all before. The lock orders the threads that improve it;
  /// the thread that has waited for all tasks reads `plan` after them.
  void offer(const floorplan_board& plan);

  [[nodiscard]] const floorplan_board& plan() const noexcept { return plan_; }
  void forget() noexcept;

 private:
  std::mutex improving_;
  std::atomic<int> area_{kNone};
  floorplan_board plan_;
};

/// Cells with pseudo-random areas and neighbours, the same each time. Requires: `count` is 1 to
/// kMostCells.
[[nodiscard]] std::vector<floorplan_cell> seeded_cells(std::size_t count);

/// The area of the smallest plan, by another search: it compares rectangles with each other instead
/// of using a board, and tries them in another order.
[[nodiscard]] int least_area(std::span<const floorplan_cell> cells);

/// Nothing if the plan is valid for the cells and has that area, else what is wrong.
[[nodiscard]] std::optional<std::string> fault_of_plan(std::span<const floorplan_cell> cells,
                                                       std::span<const floorplan_place> plan,
                                                       int area);

}  // namespace fg::bench
