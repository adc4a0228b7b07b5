// Naive recursive Fibonacci: two tasks per call, and hardly any work. Source: A. Duran, X. Teruel,
// R. Ferrer, X. Martorell, E. Ayguade, "Barcelona OpenMP Tasks Suite", ICPP 2009; without its
// cutoff.
// SPDX-License-Identifier: Apache-2.0
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <utility>

#include "programs/frame/program_errors.hpp"
#include "programs/omp/cases.hpp"
#include "programs/omp/omp_kernel.hpp"

namespace fg::bench {

namespace {

template <class Tally>
std::uint64_t task_fib(int n) {
  if (n < 2) {
    return static_cast<std::uint64_t>(n);
  }
  std::uint64_t left = 0;
  std::uint64_t right = 0;
#pragma omp task default(none) shared(left) firstprivate(n)
  {
    Tally::count();
    left = task_fib<Tally>(n - 1);
  }
#pragma omp task default(none) shared(right) firstprivate(n)
  {
    Tally::count();
    right = task_fib<Tally>(n - 2);
  }
#pragma omp taskwait
  return left + right;
}

template <class Tally>
std::uint64_t region_fib(int n) {
  std::uint64_t found = 0;
#pragma omp parallel default(none) shared(found) firstprivate(n)
#pragma omp single
  found = task_fib<Tally>(n);
  return found;
}

std::uint64_t looped_fib(std::uint64_t n) {
  std::uint64_t at = 0;
  std::uint64_t next = 1;
  for (std::uint64_t i = 0; i < n; ++i) {
    at = std::exchange(next, at + next);
  }
  return at;
}

class fib_kernel final : public omp_kernel {
 public:
  explicit fib_kernel(std::uint64_t n) : n_(n) {}

  void prepare() override { found_ = ~looped_fib(n_); }
  double run_ns() override {
    return elapsed_ns([this] { found_ = region_fib<uncounted>(static_cast<int>(n_)); });
  }
  void run_counted() override { found_ = region_fib<counted_by_thread>(static_cast<int>(n_)); }
  void check() const override {
    if (found_ != looped_fib(n_)) {
      throw wrong_result("fib(" + std::to_string(n_) + ") is " + std::to_string(looped_fib(n_)) +
                         ", not " + std::to_string(found_));
    }
  }
  // All calls except the first: there are 2 fib(n + 1) - 1.
  [[nodiscard]] std::optional<std::uint64_t> tasks() const override {
    return 2 * looped_fib(n_ + 1) - 2;
  }

 private:
  std::uint64_t n_;
  std::uint64_t found_ = 0;
};

}  // namespace

std::unique_ptr<omp_kernel> make_fib(const omp_request& request) {
  return std::make_unique<fib_kernel>(request.size);
}

}  // namespace fg::bench
