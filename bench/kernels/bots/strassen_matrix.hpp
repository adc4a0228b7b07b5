// Square matrices, and the matrix operations of Strassen's algorithm. Compiled once for all
// runtimes.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>
#include <memory>
#include <optional>
#include <string>

namespace fg::bench {

/// `rows` * `rows` values of a matrix whose rows are `stride` apart. Does not own them.
template <class Value>
struct square_view {
  Value* values;
  std::size_t rows;
  std::size_t stride;

  [[nodiscard]] Value* row(std::size_t at) const noexcept { return values + at * stride; }
  /// One of the four quarters: 0 or 1 from the top, 0 or 1 from the left. Requires an even number
  /// of rows.
  [[nodiscard]] square_view quarter(std::size_t down, std::size_t right) const noexcept {
    const std::size_t half = rows / 2;
    return {.values = values + down * half * stride + right * half, .rows = half, .stride = stride};
  }
};

using matrix_view = square_view<double>;
using const_matrix_view = square_view<const double>;

/// Row-major. The first value is NaN and the others are uninitialized: the result shows whether one
/// was used before it was computed.
class square_matrix {
 public:
  explicit square_matrix(std::size_t rows)
      : rows_{rows}, values_{std::make_unique_for_overwrite<double[]>(rows * rows)} {
    values_[0] = std::numeric_limits<double>::quiet_NaN();
  }

  [[nodiscard]] matrix_view view() noexcept {
    return {.values = values_.get(), .rows = rows_, .stride = rows_};
  }
  [[nodiscard]] const_matrix_view view() const noexcept {
    return {.values = values_.get(), .rows = rows_, .stride = rows_};
  }

 private:
  std::size_t rows_;
  std::unique_ptr<double[]> values_;
};

/// Integers from -8 to 8, the same for a given seed: products and sums are exact.
[[nodiscard]] square_matrix seeded_square(std::size_t rows, std::uint32_t seed);

/// `out` = `left` + `right`, and the difference. All have the same size; `out` may be one of them.
void add(matrix_view out, const_matrix_view left, const_matrix_view right) noexcept;
void subtract(matrix_view out, const_matrix_view left, const_matrix_view right) noexcept;

/// `out` = `left` * `right`, by eighths and then by rows. `out` overlaps neither.
void multiply_sequentially(matrix_view out, const_matrix_view left,
                           const_matrix_view right) noexcept;

/// Nothing if `product` is `left` * `right`, all of integers: applies both to three vectors of
/// random integers below 1024; a wrong product passes each with a probability of 2^-10. Source: R.
/// Freivalds, "Probabilistic machines can use less running time", IFIP 1977. O(rows^2).
[[nodiscard]] std::optional<std::string> fault_of_product(const_matrix_view left,
                                                          const_matrix_view right,
                                                          const_matrix_view product);

}  // namespace fg::bench
