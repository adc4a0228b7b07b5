// OpenCilk.
// SPDX-License-Identifier: Apache-2.0
#include "programs/fork_join/opencilk.hpp"

#include "programs/periodic/periodic_process.hpp"

int main(int argc, char** argv) {
  return fg::bench::periodic_main<fg::bench::opencilk_runtime>(argc, argv);
}
