// A machine: its cores, and what transfers between them cost.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>

namespace sim {

/// Cores in clusters that share a cache, clusters in packages. Further cores than it has lie in
/// further packages of the same kind. Times in cycles; machines/README.md says what each one means
/// and where it comes from.
struct machine {
  std::string name;
  std::uint64_t packages = 1;
  std::uint64_t clusters_a_package = 1;
  std::uint64_t cores_a_cluster = 1;
  double ghz = 1;

  std::uint64_t hit = 1;
  std::uint64_t read_modify_write = 1;
  std::uint64_t pause = 1;
  std::uint64_t clock_read = 1;

  std::uint64_t within_cluster = 1;
  std::uint64_t within_package = 1;
  std::uint64_t between_packages = 1;
  std::uint64_t memory = 1;
  std::uint64_t occupancy = 1;
  std::uint64_t system_call = 1;
  std::uint64_t wake = 1;
  std::uint64_t wake_up = 1;
  std::uint64_t heavy_fence = 1;

  /// A thread begins up to so much later than it was started.
  std::uint64_t latest_start = 0;

  /// What it takes a line to get from one core to another one.
  [[nodiscard]] std::uint64_t transfer(std::size_t from, std::size_t to) const noexcept {
    const std::uint64_t package = clusters_a_package * cores_a_cluster;
    return from / package != to / package                   ? between_packages
           : from / cores_a_cluster != to / cores_a_cluster ? within_package
                                                            : within_cluster;
  }
  [[nodiscard]] std::uint64_t shortest_transfer() const noexcept {
    return cores_a_cluster > 1 ? within_cluster : within_package;
  }
  [[nodiscard]] std::uint64_t cycles(double ns) const noexcept {
    return static_cast<std::uint64_t>(ns * ghz);
  }
};

/// Which of the three numbers of an entry that has a bracket.
enum class bracket : std::uint8_t { low, usual, high };

/// Reads a file as those in machines/. Throws std::runtime_error that names what is wrong with it.
machine read_machine(const std::string& path, bracket which = bracket::usual);

/// The machine with each of its times up to `percent` shorter or longer, and with threads that begin
/// up to a wake-up later: all drawn by the seed.
machine jittered(machine it, std::uint64_t percent, std::uint64_t seed);

}  // namespace sim
