// SPDX-License-Identifier: Apache-2.0
#include "runtimes/openmp.hpp"

#include "runtimes/sample_process.hpp"

int main(int argc, char** argv) {
  return fg::bench::sample_main<fg::bench::openmp_runtime>(argc, argv);
}
