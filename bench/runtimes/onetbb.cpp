// SPDX-License-Identifier: Apache-2.0
#include "runtimes/onetbb.hpp"

#include "runtimes/sample_process.hpp"

int main(int argc, char** argv) {
  return fg::bench::sample_main<fg::bench::onetbb_runtime>(argc, argv);
}
