// The kernels of the tile algorithms: OpenBLAS's, each run on the calling thread.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>
#include <string>

#include "kernels/tiles/tile_program.hpp"

namespace fg::bench::tiles {

/// Loads OpenBLAS, without threads of its own, and returns its version and the processor that its
/// kernels are for. The first call requires that the process has no other thread, as it sets
/// environment variables that OpenBLAS reads; later calls may come from any thread. Throws
/// std::runtime_error with one line if it is not installed, or if its calls cannot run
/// concurrently.
///
/// Debian's sequential build (libopenblas0-serial 0.3.21) cannot: it is built without USE_LOCKING,
/// so that two threads may get the same buffer, and factors were wrong under every runtime, in half
/// of the runs on two threads. So the build with POSIX threads is used, which starts no threads if
/// OPENBLAS_NUM_THREADS is 1; it is not linked, because every other program here would then start
/// them.
///
/// Version 0.3.21 does not know newer processors and runs its SSE3 kernels on them, at a third of
/// the speed. Unless OPENBLAS_CORETYPE is set, it is set according to the processor's features.
std::string load_blas();

/// Runs one task by its kernel. A tile that is not positive definite leaves a wrong factor.
/// Requires that BLAS is loaded. Any thread; two tasks may run concurrently if the program allows
/// reordering them.
void run(const program& whole, const task& one) noexcept;

/// The Cholesky factor of a column-major matrix, in its lower triangle: LAPACK's dpotrf. Requires
/// that BLAS is loaded. Throws std::runtime_error unless it is positive definite.
void factor_whole(std::span<double> matrix, int n);

/// C := C - A A^T of whole column-major matrices, in the lower triangle: BLAS's dsyrk. Requires
/// that BLAS is loaded.
void update_whole(std::span<const double> a, std::span<double> c, int n) noexcept;

}  // namespace fg::bench::tiles
