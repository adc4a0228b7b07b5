// Taskflow.
// SPDX-License-Identifier: Apache-2.0
#include "programs/fork_join/taskflow.hpp"

#include "programs/relic_kernels/sample_process.hpp"

int main(int argc, char** argv) {
  return fg::bench::sample_main<fg::bench::taskflow_runtime>(argc, argv);
}
