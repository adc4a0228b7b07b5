// calibrate [--cpu CPU]: see bench/README.md.
#include <CLI/CLI.hpp>
#include <cstdio>
#include <nlohmann/json.hpp>

#include "finegrain/core/affinity.hpp"
#include "kernels/kernel.hpp"

int main(int argc, char** argv) {
  CLI::App app{"Steps of the spin kernel that take one microsecond"};
  int cpu = 0;
  app.add_option("--cpu", cpu, "The CPU to measure on")->check(CLI::NonNegativeNumber);
  try {
    app.parse(argc, argv);
  } catch (const CLI::CallForHelp&) {
    std::fputs(app.help().c_str(), stdout);
    return 0;
  } catch (const CLI::ParseError& error) {
    std::fprintf(stderr, "calibrate: %s\n", error.what());
    return 2;
  }
  if (const auto error = fg::pin_this_thread(cpu)) {
    std::fprintf(stderr, "calibrate: can not run on CPU %d: %s\n", cpu, error.message().c_str());
    return 1;
  }
  const nlohmann::ordered_json line = {
      {"spin_steps_per_us", fg::bench::calibrate_spin_steps_per_us()}};
  std::puts(line.dump().c_str());
  return 0;
}
