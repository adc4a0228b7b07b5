// Breadth-first search by levels on a torus of n x n places with eight neighbours each: a region a
// level, with a dynamic loop over the places that the level before has found.
// SPDX-License-Identifier: Apache-2.0
#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <utility>
#include <vector>

#include "programs/omp/loops/loop_program.hpp"
#include "programs/omp/omp_kernel.hpp"

namespace fg::bench::FINEGRAIN_OMP_FORM {

namespace {

constexpr std::size_t kNeighbours = 8;
constexpr int kUnseen = -1;

struct graph {
  std::vector<std::uint32_t> neighbours;  // kNeighbours of each place
  std::size_t places;
};

graph torus(std::size_t n) {
  graph made{{}, n * n};
  for (std::size_t row = 0; row < n; ++row) {
    for (std::size_t column = 0; column < n; ++column) {
      for (std::size_t turn = 0; turn < 9; ++turn) {
        if (turn != 4) {  // itself
          const std::size_t other =
              (row + n + turn / 3 - 1) % n * n + (column + n + turn % 3 - 1) % n;
          made.neighbours.push_back(static_cast<std::uint32_t>(other));
        }
      }
    }
  }
  return made;
}

// Says whether this is the first to see the place, and writes its level.
bool sees_first(int& level_of, int level) {
  int before = 0;
#pragma omp atomic read
  before = level_of;
  if (before != kUnseen) {
    return false;
  }
#pragma omp atomic capture
  {
    before = level_of;
    level_of = level;
  }
  return before == kUnseen;
}

// Whoever sees a place writes the same level, so whoever is late does no harm.
template <class Tally>
std::size_t search_level(const graph& in, std::vector<int>& levels, int level,
                         const std::vector<std::uint32_t>& now, std::size_t count,
                         std::vector<std::uint32_t>& next) {
  std::size_t found = 0;
#pragma omp parallel default(none) shared(in, levels, now, next, found) firstprivate(level, count)
  {
    std::array<std::uint32_t, 64> own{};  // places that this thread has found
    std::size_t owned = 0;
    const auto hand_in = [&] {
      std::size_t at = 0;
#pragma omp atomic capture
      {
        at = found;
        found += owned;
      }
      for (std::size_t i = 0; i < owned; ++i) {
        next[at + i] = own[i];
      }
      owned = 0;
    };
#pragma omp for schedule(dynamic, 64) nowait
    for (std::size_t i = 0; i < count; ++i) {
      Tally::count();
      for (std::size_t turn = 0; turn < kNeighbours; ++turn) {
        const std::uint32_t place = in.neighbours[now[i] * kNeighbours + turn];
        if (sees_first(levels[place], level)) {
          own[owned++] = place;
        }
      }
      if (owned + kNeighbours > own.size()) {
        hand_in();
      }
    }
    hand_in();
  }
  return found;
}

class program final : public loop_program {
 public:
  explicit program(std::size_t n)
      : graph_(torus(n)),
        now_(n * n),
        next_(n * n),
        repeats_(repeats_for(2 * kNeighbours * n * n)) {}

  void prepare() override { levels_.assign(graph_.places, kUnseen); }
  void run() override { search_again_and_again<uncounted>(); }
  void run_counted() override { search_again_and_again<counted_by_thread>(); }
  [[nodiscard]] std::vector<double> result() const override {
    return {levels_.begin(), levels_.end()};
  }
  [[nodiscard]] std::uint64_t loops() const override { return loops_; }

 private:
  template <class Tally>
  void search_again_and_again() {
    loops_ = 0;
    for (std::size_t repeat = 0; repeat < repeats_; ++repeat) {
      prepare();
      search<Tally>();
    }
  }

  template <class Tally>
  void search() {
    levels_[0] = 0;
    now_[0] = 0;
    std::size_t count = 1;
    for (int level = 1; count > 0; ++level) {
      count = search_level<Tally>(graph_, levels_, level, now_, count, next_);
      std::swap(now_, next_);
      ++loops_;
    }
  }

  graph graph_;
  std::vector<int> levels_;
  std::vector<std::uint32_t> now_;
  std::vector<std::uint32_t> next_;
  std::size_t repeats_;
  std::uint64_t loops_ = 0;
};

}  // namespace

made_loop_program make_levels(std::size_t size) { return std::make_unique<program>(size); }

}  // namespace fg::bench::FINEGRAIN_OMP_FORM
