// Strassen's matrix multiplication.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <optional>
#include <string>
#include <utility>

#include "kernels/bots/application.hpp"
#include "kernels/bots/strassen_matrix.hpp"
#include "kernels/bots/tasks.hpp"

namespace fg::bench::bots {

/// One task for each of the seven products of quarters, down to `base` rows. Source: V. Strassen,
/// "Gaussian elimination is not optimal", 1969; in "Barcelona OpenMP Tasks Suite" (see
/// applications.hpp), which uses Winograd's form, with 15 sums instead of 18.
class strassen final : public application {
 public:
  /// Requires `rows` to be `base` times a power of two.
  strassen(std::size_t rows, std::size_t base)
      : base_{base},
        left_{seeded_square(rows, kLeftSeed)},
        right_{seeded_square(rows, kRightSeed)},
        product_{rows} {}

  void prepare() override {
    const matrix_view all = product_.view();
    for (std::size_t i = 0; i < all.rows; ++i) {
      for (std::size_t j = 0; j < all.rows; ++j) {
        all.row(i)[j] = std::numeric_limits<double>::quiet_NaN();
      }
    }
  }

  template <task_handle Tasks>
  void run(Tasks tasks) {
    multiply(tasks, base_, product_.view(), std::as_const(left_).view(),
             std::as_const(right_).view());
  }

  [[nodiscard]] std::optional<std::string> fault() const override {
    return fault_of_product(left_.view(), right_.view(), product_.view());
  }

 private:
  static constexpr std::uint32_t kLeftSeed = 1969;
  static constexpr std::uint32_t kRightSeed = 2009;

  // A quarter of a factor, or the sum or difference of two.
  enum class operation { none, sum, difference };
  struct operand {
    const_matrix_view first;
    operation with = operation::none;
    const_matrix_view second{};

    // The operand itself, or the sum or difference, computed into `room`.
    [[nodiscard]] const_matrix_view value(std::optional<square_matrix>& room) const {
      if (with == operation::none) {
        return first;
      }
      const matrix_view out = room.emplace(first.rows).view();
      if (with == operation::sum) {
        add(out, first, second);
      } else {
        subtract(out, first, second);
      }
      return std::as_const(*room).view();
    }
  };
  struct factors {
    operand left;
    operand right;
  };

  static std::array<factors, 7> seven_products(const_matrix_view left, const_matrix_view right) {
    const auto a = [left](std::size_t down, std::size_t across) {
      return left.quarter(down - 1, across - 1);
    };
    const auto b = [right](std::size_t down, std::size_t across) {
      return right.quarter(down - 1, across - 1);
    };
    const auto sum = [](const_matrix_view x, const_matrix_view y) -> operand {
      return {.first = x, .with = operation::sum, .second = y};
    };
    const auto difference = [](const_matrix_view x, const_matrix_view y) -> operand {
      return {.first = x, .with = operation::difference, .second = y};
    };
    return {{{sum(a(1, 1), a(2, 2)), sum(b(1, 1), b(2, 2))},
             {sum(a(2, 1), a(2, 2)), {b(1, 1)}},
             {{a(1, 1)}, difference(b(1, 2), b(2, 2))},
             {{a(2, 2)}, difference(b(2, 1), b(1, 1))},
             {sum(a(1, 1), a(1, 2)), {b(2, 2)}},
             {difference(a(2, 1), a(1, 1)), sum(b(1, 1), b(1, 2))},
             {difference(a(1, 2), a(2, 2)), sum(b(2, 1), b(2, 2))}}};
  }

  template <task_handle Tasks>
  static void multiply(Tasks tasks, std::size_t base, matrix_view out, const_matrix_view left,
                       const_matrix_view right) {
    if (out.rows <= base) {
      multiply_sequentially(out, left, right);
      return;
    }
    const std::size_t half = out.rows / 2;
    const std::array<factors, 7> of = seven_products(left, right);
    std::array<square_matrix, 7> m{square_matrix{half}, square_matrix{half}, square_matrix{half},
                                   square_matrix{half}, square_matrix{half}, square_matrix{half},
                                   square_matrix{half}};
    typename Tasks::group products{tasks};
    for (std::size_t i = 0; i < of.size(); ++i) {
      products.spawn([base, &product = m[i], &two = of[i]](Tasks inner) {
        multiply_factors(inner, base, product.view(), two);
      });
    }
    products.wait();
    join(out, m);
  }

  template <task_handle Tasks>
  static void multiply_factors(Tasks tasks, std::size_t base, matrix_view out, const factors& two) {
    std::optional<square_matrix> left;
    std::optional<square_matrix> right;
    multiply(tasks, base, out, two.left.value(left), two.right.value(right));
  }

  static void join(matrix_view out, std::array<square_matrix, 7>& m) noexcept {
    const auto view = [&m](std::size_t number) { return std::as_const(m[number - 1]).view(); };
    const auto c = [out](std::size_t down, std::size_t across) {
      return out.quarter(down - 1, across - 1);
    };
    const auto constant = [](matrix_view x) -> const_matrix_view {
      return {.values = x.values, .rows = x.rows, .stride = x.stride};
    };
    add(c(1, 1), view(1), view(4));
    subtract(c(1, 1), constant(c(1, 1)), view(5));
    add(c(1, 1), constant(c(1, 1)), view(7));
    add(c(1, 2), view(3), view(5));
    add(c(2, 1), view(2), view(4));
    subtract(c(2, 2), view(1), view(2));
    add(c(2, 2), constant(c(2, 2)), view(3));
    add(c(2, 2), constant(c(2, 2)), view(6));
  }

  std::size_t base_;
  square_matrix left_;
  square_matrix right_;
  square_matrix product_;
};

}  // namespace fg::bench::bots
