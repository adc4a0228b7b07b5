// floor --cpus MAIN,ASSISTANT [--batches B] [--round-trips R]: see bench/README.md.
// SPDX-License-Identifier: Apache-2.0
#include <cstddef>
#include <cstdint>
#include <nlohmann/json.hpp>
#include <vector>

#include "finegrain/host/round_trip.hpp"
#include "programs/frame/program.hpp"

int main(int argc, char** argv) {
  fg::bench::options app{"Round trip of one cache line between two CPUs"};
  fg::bench::cpu_pair_option cpus;
  int batches = 10;
  std::uint64_t round_trips = 10'000;
  cpus.add_to(app);
  app.add("--batches", batches, "Numbers to print").in_range(1, 1'000'000);
  app.add("--round-trips", round_trips, "Round trips a batch").positive();
  return fg::bench::run_program("floor", app, argc, argv, [&]() -> nlohmann::ordered_json {
    std::vector<double> floor_ns(static_cast<std::size_t>(batches));
    for (double& batch : floor_ns) {
      batch = fg::measure_round_trip_ns(cpus.main(), cpus.assistant(), round_trips);
    }
    return {{"floor_ns", floor_ns}, {"cpus", cpus.cpus}};
  });
}
