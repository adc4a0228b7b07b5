// Waves on a plane of n x n points, whose edges rest: each step a loop over the rows, of five points
// each.
// SPDX-License-Identifier: Apache-2.0
#include <cstddef>
#include <cstdint>
#include <memory>
#include <utility>
#include <vector>

#include "programs/omp/loops/loop_program.hpp"
#include "programs/omp/omp_kernel.hpp"

namespace fg::bench::FINEGRAIN_OMP_FORM {

namespace {

// Writes the step that follows over the one before.
template <class Tally>
void step(const std::vector<double>& now, std::vector<double>& before, std::size_t n) {
#pragma omp parallel for default(none) shared(now, before) firstprivate(n) schedule(static)
  for (std::size_t row = 1; row < n - 1; ++row) {
    Tally::count();
    for (std::size_t at = row * n + 1; at < (row + 1) * n - 1; ++at) {
      const double around = now[at - n] + now[at - 1] + now[at + 1] + now[at + n];
      before[at] = 2 * now[at] - before[at] + 0.25 * (around - 4 * now[at]);
    }
  }
}

class program final : public loop_program {
 public:
  explicit program(std::size_t n) : n_(n), input_(n * n), steps_(repeats_for(n * n / 2)) {
    for (std::size_t i = 0; i < input_.size(); ++i) {
      const bool is_edge = i % n == 0 || i % n == n - 1 || i < n || i >= n * (n - 1);
      input_[i] = is_edge ? 0 : scattered(i);
    }
  }

  void prepare() override {
    now_ = input_;
    before_ = input_;
  }
  void run() override { steps<uncounted>(); }
  void run_counted() override { steps<counted_by_thread>(); }
  [[nodiscard]] std::vector<double> result() const override {
    std::vector<double> numbers = now_;
    numbers.insert(numbers.end(), before_.begin(), before_.end());
    return numbers;
  }
  [[nodiscard]] std::uint64_t loops() const override { return steps_; }

 private:
  template <class Tally>
  void steps() {
    for (std::size_t i = 0; i < steps_; ++i) {
      step<Tally>(now_, before_, n_);
      std::swap(now_, before_);
    }
  }

  std::size_t n_;
  std::vector<double> input_;
  std::vector<double> now_;
  std::vector<double> before_;
  std::size_t steps_;
};

}  // namespace

made_loop_program make_stencil(std::size_t size) { return std::make_unique<program>(size); }

}  // namespace fg::bench::FINEGRAIN_OMP_FORM
