// OpenCilk.
// SPDX-License-Identifier: Apache-2.0
#include "programs/fork_join/opencilk.hpp"

#include "programs/relic_kernels/sample_process.hpp"

int main(int argc, char** argv) {
  return fg::bench::sample_main<fg::bench::opencilk_runtime>(argc, argv);
}
