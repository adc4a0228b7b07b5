// Which CPUs the workers of a pool get.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <span>
#include <vector>

#include "finegrain/core/host_view.hpp"
#include "finegrain/core/placement.hpp"
#include "finegrain/pool/pool_options.hpp"

namespace fg {

/// One entry a worker; -1: not tied.
struct seating {
  std::vector<int> cpus;
};

namespace detail {

// The CPUs in the order in which they are given away: the caller's first, then one of each core,
// near ones (same package and cache) before far ones, then the remaining siblings in that order.
inline std::vector<int> cpus_by_preference(const topology& machine, std::span<const int> allowed,
                                           int main_cpu, bool siblings) {
  const logical_cpu* const main = machine.find(main_cpu);
  struct candidate {
    bool further_sibling;
    int distance;
    int cpu;
    auto operator<=>(const candidate&) const = default;
  };
  std::vector<candidate> candidates;
  for (const int cpu : allowed) {
    const logical_cpu* const other = machine.find(cpu);
    const bool known = main != nullptr && other != nullptr;
    const int distance = cpu == main_cpu ? -1
                         : known         ? static_cast<int>(proximity_of(*main, *other))
                                         : 0;
    candidates.push_back({.further_sibling = false, .distance = distance, .cpu = cpu});
  }
  std::ranges::sort(candidates);
  std::vector<int> cores;
  for (candidate& each : candidates) {
    const logical_cpu* const found = machine.find(each.cpu);
    if (found != nullptr && found->core >= 0) {
      each.further_sibling = std::ranges::find(cores, found->core) != cores.end();
      cores.push_back(found->core);
    }
  }
  std::ranges::sort(candidates);
  std::vector<int> order;
  for (const candidate& each : candidates) {
    if (siblings || !each.further_sibling) {
      order.push_back(each.cpu);
    }
  }
  return order;
}

}  // namespace detail

/// Seats `workers` workers (0: as many as there are CPUs for, within the quota) on the CPUs of
/// `allowed`, near `main_cpu`. Worker 0 stays untied: its thread belongs to the caller, and the
/// seat beside it is left free. More workers than CPUs are all untied. At least one worker.
/// Quadratic in the CPUs. Throws std::bad_alloc.
inline seating choose_seats(const host_view& host, std::span<const int> allowed, int main_cpu,
                            worker_placement placement, std::size_t workers) {
  const std::vector<int> cpus = detail::cpus_by_preference(
      *host.cpus, allowed, main_cpu, placement != worker_placement::one_per_core);
  if (workers == 0) {
    workers = std::max<std::size_t>(cpus.size(), 1);
    if (host.quota_cpus) {
      const double most = std::max(std::floor(*host.quota_cpus), 1.0);
      workers = std::min(workers, static_cast<std::size_t>(most));
    }
  }
  seating seats{.cpus = std::vector<int>(workers, -1)};
  if (placement != worker_placement::untied && workers <= cpus.size()) {
    std::copy_n(cpus.begin() + 1, workers - 1, seats.cpus.begin() + 1);
  }
  return seats;
}

/// The worker that has to leave `cpu` to a caller of `run` who is there: the one tied to it, if
/// there is `free_cpu`, which the caller was on before, to tie it to instead (-1: unknown). 0:
/// nobody. Linear in the workers.
inline std::size_t who_makes_way(const seating& seats, int cpu, int free_cpu) noexcept {
  if (cpu < 0 || free_cpu < 0 || cpu == free_cpu) {
    return 0;
  }
  // Not worker 0, which is the caller.
  const auto tied_there = std::find(seats.cpus.begin() + 1, seats.cpus.end(), cpu);
  return tied_there != seats.cpus.end() ? static_cast<std::size_t>(tied_there - seats.cpus.begin())
                                        : 0;
}

}  // namespace fg
