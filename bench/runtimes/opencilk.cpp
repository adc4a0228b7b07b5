// SPDX-License-Identifier: Apache-2.0
#include "runtimes/opencilk.hpp"

#include "runtimes/sample_process.hpp"

int main(int argc, char** argv) {
  return fg::bench::sample_main<fg::bench::opencilk_runtime>(argc, argv);
}
