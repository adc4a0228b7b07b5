// The OpenMP runtimes of GNU, LLVM and Intel: one source, compiled and linked three times.
// SPDX-License-Identifier: Apache-2.0
#include "programs/fork_join/openmp.hpp"

#include "programs/relic_kernels/sample_process.hpp"

int main(int argc, char** argv) {
  return fg::bench::sample_main<fg::bench::openmp_runtime>(argc, argv);
}
