// V cycles of a multigrid method for Poisson's equation on n x n squares, with weighted Jacobi
// sweeps: the coarser a grid, the shorter its loops. Source: W. Briggs, V. Henson, S. McCormick, "A
// Multigrid Tutorial", 2000.
// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <utility>
#include <vector>

#include "programs/omp/loops/loop_program.hpp"
#include "programs/omp/omp_kernel.hpp"

namespace fg::bench::FINEGRAIN_OMP_FORM {

namespace {

constexpr std::size_t kCoarsest = 4;  // squares along a side
constexpr std::size_t kSweeps = 2;    // before a coarser grid, and after it
constexpr std::size_t kLastSweeps = 8;
constexpr double kWeight = 0.8;

// Of points, whose outermost are zero; distances are scaled away.
struct grid {
  explicit grid(std::size_t squares)
      : side(squares + 1),
        solution(side * side),
        next(side * side),
        right(side * side),
        residual(side * side) {}

  std::size_t side;
  std::vector<double> solution;
  std::vector<double> next;  // what a sweep writes
  std::vector<double> right;
  std::vector<double> residual;
};

double beside(const std::vector<double>& of, std::size_t at, std::size_t side) {
  return of[at - side] + of[at - 1] + of[at + 1] + of[at + side];
}

template <class Tally>
void sweep(grid& on) {
#pragma omp parallel for default(none) shared(on)
  for (std::size_t row = 1; row < on.side - 1; ++row) {
    Tally::count();
    for (std::size_t at = row * on.side + 1; at < (row + 1) * on.side - 1; ++at) {
      const double jacobi = (on.right[at] + beside(on.solution, at, on.side)) / 4;
      on.next[at] = on.solution[at] + kWeight * (jacobi - on.solution[at]);
    }
  }
  std::swap(on.solution, on.next);
}

void find_residual(grid& on) {
#pragma omp parallel for default(none) shared(on)
  for (std::size_t row = 1; row < on.side - 1; ++row) {
    for (std::size_t at = row * on.side + 1; at < (row + 1) * on.side - 1; ++at) {
      on.residual[at] = on.right[at] + beside(on.solution, at, on.side) - 4 * on.solution[at];
    }
  }
}

// With full weights; squares are four times as large, which cancels a fourth of the weights.
void restrict_residual(const grid& fine, grid& coarse) {
#pragma omp parallel for default(none) shared(fine, coarse)
  for (std::size_t row = 1; row < coarse.side - 1; ++row) {
    for (std::size_t column = 1; column < coarse.side - 1; ++column) {
      const std::size_t at = 2 * row * fine.side + 2 * column;
      const std::vector<double>& of = fine.residual;
      const double corners = of[at - fine.side - 1] + of[at - fine.side + 1] +
                             of[at + fine.side - 1] + of[at + fine.side + 1];
      const std::size_t to = row * coarse.side + column;
      coarse.right[to] = of[at] + beside(of, at, fine.side) / 2 + corners / 4;
      coarse.solution[to] = 0;
    }
  }
}

void add_correction(const grid& coarse, grid& fine) {
#pragma omp parallel for default(none) shared(coarse, fine)
  for (std::size_t row = 1; row < fine.side - 1; ++row) {
    for (std::size_t column = 1; column < fine.side - 1; ++column) {
      const std::size_t above = row / 2 * coarse.side;
      const std::size_t below = (row + 1) / 2 * coarse.side;
      const std::size_t left = column / 2;
      const std::size_t right = (column + 1) / 2;
      const std::vector<double>& of = coarse.solution;
      fine.solution[row * fine.side + column] +=
          (of[above + left] + of[above + right] + of[below + left] + of[below + right]) / 4;
    }
  }
}

class program final : public loop_program {
 public:
  explicit program(std::size_t squares) : repeats_(repeats_for(16 * squares * squares)) {
    for (; squares > kCoarsest && squares % 2 == 0; squares /= 2) {
      grids_.emplace_back(squares);
    }
    grids_.emplace_back(squares);
    grid& finest = grids_.front();
    for (std::size_t row = 1; row < finest.side - 1; ++row) {
      for (std::size_t column = 1; column < finest.side - 1; ++column) {
        const std::size_t at = row * finest.side + column;
        finest.right[at] = scattered(at) - 0.5;
      }
    }
  }

  void prepare() override { std::ranges::fill(grids_.front().solution, 0.0); }
  void run() override { cycle_again_and_again<uncounted>(); }
  void run_counted() override { cycle_again_and_again<counted_by_thread>(); }
  [[nodiscard]] std::vector<double> result() const override { return grids_.front().solution; }
  [[nodiscard]] std::uint64_t loops() const override {
    return repeats_ * ((grids_.size() - 1) * (2 * kSweeps + 3) + kLastSweeps);
  }

 private:
  template <class Tally>
  void cycle_again_and_again() {
    for (std::size_t repeat = 0; repeat < repeats_; ++repeat) {
      prepare();  // else nothing would change any more
      cycle<Tally>(0);
    }
  }

  template <class Tally>
  void cycle(std::size_t level) {
    grid& here = grids_[level];
    if (level + 1 == grids_.size()) {
      sweeps<Tally>(here, kLastSweeps);
      return;
    }
    grid& coarse = grids_[level + 1];
    sweeps<Tally>(here, kSweeps);
    find_residual(here);
    restrict_residual(here, coarse);
    cycle<Tally>(level + 1);
    add_correction(coarse, here);
    sweeps<Tally>(here, kSweeps);
  }

  template <class Tally>
  static void sweeps(grid& on, std::size_t count) {
    for (std::size_t i = 0; i < count; ++i) {
      sweep<Tally>(on);
    }
  }

  std::vector<grid> grids_;  // the finest first
  std::size_t repeats_;
};

}  // namespace

made_loop_program make_multigrid(std::size_t size) { return std::make_unique<program>(size); }

}  // namespace fg::bench::FINEGRAIN_OMP_FORM
