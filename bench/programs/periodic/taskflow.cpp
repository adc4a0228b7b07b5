// Taskflow.
// SPDX-License-Identifier: Apache-2.0
#include "programs/fork_join/taskflow.hpp"

#include "programs/periodic/periodic_process.hpp"

int main(int argc, char** argv) {
  return fg::bench::periodic_main<fg::bench::taskflow_runtime>(argc, argv);
}
