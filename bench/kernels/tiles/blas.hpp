// The kernels of the tile algorithms: OpenBLAS's, each call on the thread that makes it.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>
#include <string>

#include "kernels/tiles/tile_program.hpp"

namespace fg::bench::tiles {

/// Loads OpenBLAS, without threads of its own, and returns which one it is and which processor its
/// kernels are for. The first time on a process's only thread, as it sets what OpenBLAS reads of
/// the environment; any thread afterwards. Throws std::runtime_error with one line where there is
/// none, or one whose calls can not run side by side.
///
/// Debian's sequential build (libopenblas0-serial 0.3.21) is such a one: it is made without
/// USE_LOCKING, so that two threads may get the same buffer, and factors were wrong under every
/// runtime, in half of the runs on two threads. So it is the build with POSIX threads, which it has
/// none of where OPENBLAS_NUM_THREADS is 1; not linked, for else every program here would start
/// them.
///
/// Version 0.3.21 does not know processors that are newer, and has its SSE3 kernels run on them, a
/// third as fast. Unless OPENBLAS_CORETYPE is set, it is set by what the processor can do.
std::string load_blas();

/// Runs one task by its kernel. A tile that is not positive definite leaves a wrong factor.
/// Requires that BLAS is loaded. Any thread; two at once where the program lets two change places.
void run(const program& whole, const task& one) noexcept;

/// The Cholesky factor of a matrix, column by column, in its lower triangle: LAPACK's dpotrf.
/// Requires that BLAS is loaded. Throws std::runtime_error unless it is positive definite.
void factor_whole(std::span<double> matrix, int n);

/// C := C - A A^T of whole matrices, column by column, in the lower triangle: BLAS's dsyrk.
/// Requires that BLAS is loaded.
void update_whole(std::span<const double> a, std::span<double> c, int n) noexcept;

}  // namespace fg::bench::tiles
