// floor --cpus MAIN,ASSISTANT [--batches B] [--round-trips R]: see bench/README.md.
#include <CLI/CLI.hpp>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <exception>
#include <nlohmann/json.hpp>
#include <vector>

#include "micro/floor.hpp"

int main(int argc, char** argv) {
  CLI::App app{"Round trip of one cache line between two CPUs"};
  std::vector<int> cpus{0, 1};
  int batches = 10;
  std::uint64_t round_trips = 10'000;
  app.add_option("--cpus", cpus, "MAIN,ASSISTANT")
      ->delimiter(',')
      ->expected(2)
      ->check(CLI::NonNegativeNumber);
  app.add_option("--batches", batches, "Numbers to print")->check(CLI::PositiveNumber);
  app.add_option("--round-trips", round_trips, "Round trips a batch")->check(CLI::PositiveNumber);
  try {
    app.parse(argc, argv);
  } catch (const CLI::CallForHelp&) {
    std::fputs(app.help().c_str(), stdout);
    return 0;
  } catch (const CLI::ParseError& error) {
    std::fprintf(stderr, "floor: %s\n", error.what());
    return 2;
  }
  try {
    std::vector<double> floor_ns(static_cast<std::size_t>(batches));
    for (double& batch : floor_ns) {
      batch = fg::bench::measure_floor_ns(cpus.at(0), cpus.at(1), round_trips);
    }
    const nlohmann::ordered_json line = {{"floor_ns", floor_ns}, {"cpus", cpus}};
    std::puts(line.dump().c_str());
    return 0;
  } catch (const std::exception& error) {
    std::fprintf(stderr, "floor: %s\n", error.what());
    return 1;
  }
}
