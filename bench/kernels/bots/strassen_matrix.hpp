// Square matrices, and what Strassen's algorithm does to them. Compiled once, for all runtimes.
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
  /// One of the four quarters: 0 or 1 from the top, 0 or 1 from the left. Requires an even number.
  [[nodiscard]] square_view quarter(std::size_t down, std::size_t right) const noexcept {
    const std::size_t half = rows / 2;
    return {.values = values + down * half * stride + right * half, .rows = half, .stride = stride};
  }
};

using matrix_view = square_view<double>;
using const_matrix_view = square_view<const double>;

/// Rows one after the other. Of its values the first one is no number and the others are whatever
/// they are: one that is used before it was computed is seen in the result.
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

/// Whole numbers from -8 to 8, the same ones each time for a seed: products and sums are exact.
[[nodiscard]] square_matrix seeded_square(std::size_t rows, std::uint32_t seed);

/// `out` = `left` + `right`, and the difference. Of the same size; `out` may be one of them.
void add(matrix_view out, const_matrix_view left, const_matrix_view right) noexcept;
void subtract(matrix_view out, const_matrix_view left, const_matrix_view right) noexcept;

/// `out` = `left` * `right`, by eighths and then by rows. Overlaps neither.
void multiply_sequentially(matrix_view out, const_matrix_view left,
                           const_matrix_view right) noexcept;

/// Nothing if `product` is `left` * `right`, all of whole numbers: each applied to vectors of
/// random whole numbers below 1024, which a wrong product survives with a chance of 2^-10 a vector,
/// of three. Source: R. Freivalds, "Probabilistic machines can use less running time", IFIP 1977.
/// O(rows^2).
[[nodiscard]] std::optional<std::string> fault_of_product(const_matrix_view left,
                                                          const_matrix_view right,
                                                          const_matrix_view product);

}  // namespace fg::bench
