// SPDX-License-Identifier: Apache-2.0
#include "programs/relic_kernels/openmp.hpp"

#include "programs/relic_kernels/sample_process.hpp"

int main(int argc, char** argv) {
  return fg::bench::sample_main<fg::bench::openmp_runtime>(argc, argv);
}
