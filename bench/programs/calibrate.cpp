// calibrate [--cpu CPU]: see bench/README.md.
// SPDX-License-Identifier: Apache-2.0
#include <nlohmann/json.hpp>

#include "kernels/kernel.hpp"
#include "programs/frame/program.hpp"

int main(int argc, char** argv) {
  fg::bench::options app{"Steps of the spin kernel that take one microsecond"};
  int cpu = 0;
  app.add("--cpu", cpu, "The CPU to measure on").non_negative();
  return fg::bench::run_program("calibrate", app, argc, argv, [&]() -> nlohmann::ordered_json {
    fg::bench::require_cpu(cpu);
    return {{"spin_steps_per_us", fg::bench::calibrate_spin_steps_per_us()}};
  });
}
