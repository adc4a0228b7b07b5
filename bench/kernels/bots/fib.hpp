// Naive recursive fib: one task per half.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <utility>

#include "kernels/bots/application.hpp"
#include "kernels/bots/tasks.hpp"

namespace fg::bench::bots {

/// The `n`-th Fibonacci number, with two tasks per call with n >= 2. Source: "Barcelona OpenMP
/// Tasks Suite" (see applications.hpp), fib without cutoff.
class fib final : public application {
 public:
  explicit fib(int n) : n_{n} {}

  void prepare() override { value_ = ~std::uint64_t{0}; }

  template <task_handle Tasks>
  void run(Tasks tasks) {
    value_ = of(tasks, n_);
  }

  [[nodiscard]] std::optional<std::string> fault() const override {
    std::uint64_t current = 0;
    std::uint64_t next = 1;
    for (int i = 0; i < n_; ++i) {
      current = std::exchange(next, current + next);
    }
    if (value_ == current) {
      return std::nullopt;
    }
    return "fib(" + std::to_string(n_) + ") is " + std::to_string(current) + ", not " +
           std::to_string(value_);
  }

 private:
  template <task_handle Tasks>
  static std::uint64_t of(Tasks tasks, int n) {
    if (n < 2) {
      return static_cast<std::uint64_t>(n);
    }
    std::uint64_t first = 0;
    std::uint64_t second = 0;
    typename Tasks::group halves{tasks};
    halves.spawn([n, &first](Tasks inner) { first = of(inner, n - 1); });
    halves.spawn([n, &second](Tasks inner) { second = of(inner, n - 2); });
    halves.wait();
    return first + second;
  }

  int n_;
  std::uint64_t value_ = 0;
};

}  // namespace fg::bench::bots
