// All placements of n queens that do not attack each other, by backtracking: each queen that fits
// gets a task, which continues with the next row. Source: A. Duran, X. Teruel, R. Ferrer, X.
// Martorell, E. Ayguade, "Barcelona OpenMP Tasks Suite", ICPP 2009, without its cutoff; there the
// task checks whether the queen fits, so that for 12 queens there are twelve times as many, most of
// which end at once.
// SPDX-License-Identifier: Apache-2.0
#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <numeric>
#include <optional>
#include <string>

#include "kernels/bots/queens_board.hpp"
#include "programs/frame/program_errors.hpp"
#include "programs/omp/cases.hpp"
#include "programs/omp/omp_kernel.hpp"

namespace fg::bench {

namespace {

template <class Tally>
std::uint64_t place(int queens, int row, const queens_board& board) {
  if (row == queens) {
    return 1;
  }
  std::array<std::uint64_t, queens_board::kMostQueens> found{};
  for (int column = 0; column < queens; ++column) {
    queens_board next = board;
    next.columns[static_cast<std::size_t>(row)] = static_cast<std::uint8_t>(column);
    if (!last_fits(next, row)) {
      continue;
    }
#pragma omp task default(none) shared(found) firstprivate(queens, row, column, next)
    {
      Tally::count();
      found[static_cast<std::size_t>(column)] = place<Tally>(queens, row + 1, next);
    }
  }
#pragma omp taskwait
  return std::accumulate(found.begin(), found.begin() + queens, std::uint64_t{0});
}

template <class Tally>
std::uint64_t region_place(int queens) {
  std::uint64_t found = 0;
#pragma omp parallel default(none) shared(found) firstprivate(queens)
#pragma omp single
  {
    const queens_board empty{};
    found = place<Tally>(queens, 0, empty);
  }
  return found;
}

class nqueens_kernel final : public omp_kernel {
 public:
  explicit nqueens_kernel(int queens) : queens_(queens), known_(count_queens(queens)) {}

  void prepare() override { found_ = ~known_.solutions; }
  double run_ns() override {
    return elapsed_ns([this] { found_ = region_place<uncounted>(queens_); });
  }
  void run_counted() override { found_ = region_place<counted_by_thread>(queens_); }
  void check() const override {
    if (found_ != known_.solutions) {
      throw wrong_result(std::to_string(queens_) + " queens have " +
                         std::to_string(known_.solutions) + " placements, not " +
                         std::to_string(found_));
    }
  }
  [[nodiscard]] std::optional<std::uint64_t> tasks() const override { return known_.placements; }

 private:
  int queens_;
  queens_count known_;
  std::uint64_t found_ = 0;
};

}  // namespace

std::unique_ptr<omp_kernel> make_nqueens(const omp_request& request) {
  return std::make_unique<nqueens_kernel>(static_cast<int>(request.size));
}

}  // namespace fg::bench
