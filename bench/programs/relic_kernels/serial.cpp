// The baseline: both instances one after the other.
// SPDX-License-Identifier: Apache-2.0
#include "programs/fork_join/serial.hpp"

#include "programs/relic_kernels/sample_process.hpp"

int main(int argc, char** argv) {
  return fg::bench::sample_main<fg::bench::serial_runtime>(argc, argv);
}
