// The two tile algorithms with their inputs and expected results.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "kernels/tiles/tile_matrix.hpp"
#include "kernels/tiles/tile_program.hpp"

namespace fg::bench::tiles {

/// A tile program with its own matrices. It may be moved: the tiles stay where they are.
struct problem {
  program steps;
  tile_matrix input;     ///< what the program writes to, before the run
  tile_matrix result;    ///< the same during and after the run; used by the program
  tile_matrix operand;   ///< what it only reads, if anything
  tile_matrix expected;  ///< the result of one call for the whole matrix
  double allowed = 0;    ///< how much an element of the result may differ from that

  /// Resets the result to the input. Call it on the thread that runs the program next, or ordered
  /// before.
  void restore();
  /// Whether the result is right.
  [[nodiscard]] bool is_solved() const { return greatest_difference(result, expected) <= allowed; }
};

/// The Cholesky factorisation of a matrix of `n` rows in tiles of `extent`; its input is always the
/// same. O(n^3), by LAPACK's dpotrf. Loads BLAS (blas.hpp); throws what that throws, and
/// std::bad_alloc.
///
/// The input has n on its diagonal and numbers of absolute value at most 1/2 elsewhere. With |E|
/// the rounding errors that either factorisation amounts to in the input, |E| <= g |L| |L^T| (N.
/// Higham, Accuracy and Stability, theorem 10.3), g = (n + 1) u to first order and u half the
/// machine epsilon, so that no element is above g n, by Cauchy and Schwarz. L differs by L F, where
/// |F| <= |L^-1 E L^-T| (theorem 10.8's proof), whose elements are at most |L^-1|^2 max |E| in the
/// row sum norm. That of L^-1 = L^T A^-1 is at most 2 sqrt(n) 2/n, as L's columns are diagonally
/// dominant like the input. So an element of L F is at most 16 g |L|, and both together 16 (n + 1)
/// epsilon |L|. A task that is left out changes some elements by 1e-7 and more up to n = 12288,
/// where this bound is 6e-9.
[[nodiscard]] problem make_cholesky(int n, int extent);

/// C := C - A A^T of matrices of `n` rows in tiles of `extent`, from inputs that are always the
/// same. O(n^3), by BLAS's dsyrk. Throws as `make_cholesky`.
///
/// All elements have absolute value at most 1/2. A sum of n products and C's element, in any order,
/// has an error of at most (n + 1) u (1/2 + n/4) to first order; both results may have it.
[[nodiscard]] problem make_syrk(int n, int extent);

}  // namespace fg::bench::tiles
