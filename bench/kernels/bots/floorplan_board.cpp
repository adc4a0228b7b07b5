// SPDX-License-Identifier: Apache-2.0
#include "kernels/bots/floorplan_board.hpp"

#include <algorithm>
#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <mutex>
#include <optional>
#include <random>
#include <span>
#include <string>
#include <vector>

namespace fg::bench {

namespace {

constexpr int kShortestSide = floorplan_cell::kShortestSide;
constexpr int kLongestSide = floorplan_cell::kLongestSide;

floorplan_place place_of(int x, int y, int width, int height) noexcept {
  return {.x = static_cast<std::uint8_t>(x),
          .y = static_cast<std::uint8_t>(y),
          .width = static_cast<std::uint8_t>(width),
          .height = static_cast<std::uint8_t>(height)};
}

int right_of(floorplan_place place) noexcept { return place.x + place.width; }
int bottom_of(floorplan_place place) noexcept { return place.y + place.height; }

bool overlap(floorplan_place a, floorplan_place b) noexcept {
  return a.x < right_of(b) && b.x < right_of(a) && a.y < bottom_of(b) && b.y < bottom_of(a);
}

// Whether the cell at `place` touches the required side of its neighbour.
bool touches(floorplan_cell cell, floorplan_place place, floorplan_place neighbour) noexcept {
  if (cell.is_below) {
    const bool shares_columns = place.x < right_of(neighbour) && neighbour.x < right_of(place);
    return place.y == bottom_of(neighbour) && shares_columns;
  }
  const bool shares_rows = place.y < bottom_of(neighbour) && neighbour.y < bottom_of(place);
  return place.x == right_of(neighbour) && shares_rows;
}

// The search without a board: all places around the neighbour, nearest to its lower right first.
class rectangle_search {
 public:
  explicit rectangle_search(std::span<const floorplan_cell> cells) : cells_{cells} {}

  [[nodiscard]] int least_area() {
    place_next(0, 0);
    return least_;
  }

 private:
  void place_next(int width, int height) {
    if (width * height >= least_) {
      return;
    }
    if (laid_.size() == cells_.size()) {
      least_ = width * height;
      return;
    }
    const floorplan_cell cell = cells_[laid_.size()];
    for (int own_height = kShortestSide; own_height <= kLongestSide; ++own_height) {
      for (int own_width = kShortestSide; own_width <= kLongestSide; ++own_width) {
        if (own_width * own_height == cell.area) {
          try_shape(cell, own_width, own_height, width, height);
        }
      }
    }
  }

  void try_shape(floorplan_cell cell, int own_width, int own_height, int width, int height) {
    const bool is_first = laid_.empty();
    const floorplan_place beside = is_first ? floorplan_place{} : laid_[cell.neighbour];
    for (int y = bottom_of(beside); y >= std::max(0, beside.y - own_height); --y) {
      for (int x = right_of(beside); x >= std::max(0, beside.x - own_width); --x) {
        const int right = x + own_width;
        const int bottom = y + own_height;
        if (right > floorplan_board::kSide || bottom > floorplan_board::kSide) {
          continue;
        }
        const floorplan_place place = place_of(x, y, own_width, own_height);
        if (is_first || (touches(cell, place, beside) && is_free(place))) {
          laid_.push_back(place);
          place_next(std::max(width, right), std::max(height, bottom));
          laid_.pop_back();
        }
      }
    }
  }

  [[nodiscard]] bool is_free(floorplan_place place) const {
    return std::ranges::none_of(laid_,
                                [place](floorplan_place other) { return overlap(place, other); });
  }

  std::span<const floorplan_cell> cells_;
  std::vector<floorplan_place> laid_;
  int least_ = smallest_floorplan::kNone;
};

}  // namespace

bool floorplan_board::lay(floorplan_place place) noexcept {
  if (right_of(place) > kSide || bottom_of(place) > kSide) {
    return false;
  }
  const auto rows = std::span{rows_}.subspan(place.y, place.height);
  for (const auto& row : rows) {
    const auto squares = std::span{row}.subspan(place.x, place.width);
    if (std::ranges::find(squares, std::uint8_t{1}) != squares.end()) {
      return false;
    }
  }
  for (auto& row : rows) {
    std::ranges::fill(std::span{row}.subspan(place.x, place.width), std::uint8_t{1});
  }
  places_[laid_++] = place;
  width_ = std::max(width_, right_of(place));
  height_ = std::max(height_, bottom_of(place));
  return true;
}

floorplan_choice::floorplan_choice(std::span<const floorplan_cell> cells,
                                   const floorplan_board& board) noexcept {
  const std::span<const floorplan_place> laid = board.places();
  const floorplan_cell cell = cells[laid.size()];
  for (int width = kShortestSide; width <= kLongestSide; ++width) {
    const int height = cell.area / width;
    if (width * height != cell.area || height < kShortestSide || height > kLongestSide) {
      continue;
    }
    if (laid.empty()) {
      add(0, 0, width, height);
    } else if (cell.is_below) {
      add_below(laid[cell.neighbour], width, height);
    } else {
      add_right_of(laid[cell.neighbour], width, height);
    }
  }
}

void floorplan_choice::add_right_of(floorplan_place neighbour, int width, int height) noexcept {
  for (int y = std::max(0, neighbour.y - height + 1); y < bottom_of(neighbour); ++y) {
    add(right_of(neighbour), y, width, height);
  }
}

void floorplan_choice::add_below(floorplan_place neighbour, int width, int height) noexcept {
  for (int x = std::max(0, neighbour.x - width + 1); x < right_of(neighbour); ++x) {
    add(x, bottom_of(neighbour), width, height);
  }
}

void floorplan_choice::add(int x, int y, int width, int height) noexcept {
  places_[size_++] = place_of(x, y, width, height);
}

void smallest_floorplan::offer(const floorplan_board& plan) {
  const std::lock_guard lock{improving_};
  if (plan.area() < area()) {
    area_.store(plan.area(), std::memory_order_relaxed);
    plan_ = plan;
  }
}

void smallest_floorplan::forget() noexcept {
  area_.store(kNone, std::memory_order_relaxed);
  plan_ = {};
}

std::vector<floorplan_cell> seeded_cells(std::size_t count) {
  constexpr std::uint32_t kSeed = 2009;
  constexpr std::array<std::uint8_t, 8> kAreas = {4, 6, 8, 9, 10, 12, 15, 20};
  std::mt19937 random{kSeed};
  std::vector<floorplan_cell> cells;
  for (std::size_t cell = 0; cell < count; ++cell) {
    const std::uint8_t area = kAreas[random() % kAreas.size()];
    // One of the two cells before, and never two cells on the same side: so a plan exists.
    const std::size_t neighbour = cell < 2 ? 0 : cell - 1 - random() % 2;
    cells.push_back({.area = area,
                     .neighbour = static_cast<std::uint8_t>(neighbour),
                     .is_below = cell % 2 == 0});
  }
  return cells;
}

int least_area(std::span<const floorplan_cell> cells) {
  return rectangle_search{cells}.least_area();
}

std::optional<std::string> fault_of_plan(std::span<const floorplan_cell> cells,
                                         std::span<const floorplan_place> plan, int area) {
  if (plan.size() != cells.size()) {
    return "the plan has " + std::to_string(plan.size()) + " cells";
  }
  int width = 0;
  int height = 0;
  for (std::size_t i = 0; i < plan.size(); ++i) {
    const std::string cell = "cell " + std::to_string(i);
    if (plan[i].width * plan[i].height != cells[i].area ||
        std::min(plan[i].width, plan[i].height) < kShortestSide ||
        std::max(plan[i].width, plan[i].height) > kLongestSide) {
      return cell + " has a shape that is none of its own";
    }
    const bool is_in_place = i == 0 ? plan[0].x == 0 && plan[0].y == 0
                                    : touches(cells[i], plan[i], plan[cells[i].neighbour]);
    if (!is_in_place) {
      return cell + " lies in a wrong place";
    }
    for (std::size_t before = 0; before < i; ++before) {
      if (overlap(plan[i], plan[before])) {
        return cell + " overlaps cell " + std::to_string(before);
      }
    }
    width = std::max(width, right_of(plan[i]));
    height = std::max(height, bottom_of(plan[i]));
  }
  if (width * height != area) {
    return "the plan's area is " + std::to_string(width * height) + ", not " + std::to_string(area);
  }
  return std::nullopt;
}

}  // namespace fg::bench
