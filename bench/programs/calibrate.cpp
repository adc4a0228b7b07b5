// calibrate [--cpu CPU]: see bench/README.md.
// SPDX-License-Identifier: Apache-2.0
#include "kernels/kernel.hpp"
#include "programs/frame/program.hpp"

int main(int argc, char** argv) {
  CLI::App app{"Steps of the spin kernel that take one microsecond"};
  int cpu = 0;
  app.add_option("--cpu", cpu, "The CPU to measure on")->check(CLI::NonNegativeNumber);
  return fg::bench::run_program("calibrate", app, argc, argv, [&]() -> nlohmann::ordered_json {
    fg::bench::require_cpu(cpu);
    return {{"spin_steps_per_us", fg::bench::calibrate_spin_steps_per_us()}};
  });
}
