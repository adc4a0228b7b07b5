// Which CPU each worker of a pool is pinned to, if any.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cstddef>
#include <utility>
#include <vector>

#include "finegrain/host/cpu_registry.hpp"
#include "finegrain/host/host_view.hpp"
#include "finegrain/host/placement.hpp"
#include "finegrain/pool/pool_options.hpp"

namespace fg::inline FINEGRAIN_ABI::detail {

/// One entry per worker; -1: not pinned. If any is pinned, one more CPU is left to `run`'s caller.
struct pool_cpus {
  std::vector<int> cpus;
  int callers_cpu = -1;
};

// The CPUs in the order in which they are assigned: the caller's first, then one of each core, near
// ones (same package and cache) before far ones, those of cores in use elsewhere (`busy_cores`)
// last, then the remaining siblings in that order.
inline std::vector<int> cpus_by_preference(const topology& machine, const std::vector<int>& allowed,
                                           int main_cpu, bool siblings,
                                           const std::vector<int>& busy_cores = {}) {
  const logical_cpu* const main = machine.find(main_cpu);
  struct candidate {
    enum { own_core, busy_core, further_sibling } use;
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
    const bool is_busy = cpu != main_cpu && other != nullptr && holds(busy_cores, other->core);
    candidates.push_back({.use = is_busy ? candidate::busy_core : candidate::own_core,
                          .distance = distance,
                          .cpu = cpu});
  }
  std::sort(candidates.begin(), candidates.end());
  std::vector<int> cores;
  for (candidate& each : candidates) {
    const logical_cpu* const found = machine.find(each.cpu);
    if (found != nullptr && found->core >= 0) {
      if (holds(cores, found->core)) {
        each.use = candidate::further_sibling;
      }
      cores.push_back(found->core);
    }
  }
  std::sort(candidates.begin(), candidates.end());
  std::vector<int> order;
  for (const candidate& each : candidates) {
    if (siblings || each.use != candidate::further_sibling) {
      order.push_back(each.cpu);
    }
  }
  return order;
}

// Those of `allowed` that are not claimed, and the caller's own if no thread is pinned there: the
// caller may be the main thread of a relic, or create several pools.
inline std::vector<int> unclaimed(const std::vector<int>& allowed, int main_cpu,
                                  const claimed_cpus& claimed) {
  std::vector<int> cpus;
  for (const int cpu : allowed) {
    if (!holds(claimed.tied, cpu) && (cpu == main_cpu || !holds(claimed.callers, cpu))) {
      cpus.push_back(cpu);
    }
  }
  return cpus;
}

inline std::vector<int> cores_in_use(const topology& machine, const claimed_cpus& claimed) {
  std::vector<int> cores;
  for (const std::vector<int>* const cpus : {&claimed.tied, &claimed.callers}) {
    for (const int cpu : *cpus) {
      const logical_cpu* const found = machine.find(cpu);
      if (found != nullptr && found->core >= 0) {
        cores.push_back(found->core);
      }
    }
  }
  return cores;
}

/// Places `workers` workers (0: as many as there are CPUs for, within the quota) on the unclaimed
/// CPUs of `allowed`, near `main_cpu`. Worker 0 stays unpinned: its thread belongs to the caller,
/// to which the first of these CPUs is left, its own unless a thread is pinned there. If there are
/// more workers than CPUs, none is pinned; otherwise only those without an unclaimed CPU are not.
/// At least one worker, however much is claimed. Quadratic in the CPUs. Throws std::bad_alloc.
inline pool_cpus choose_pool_cpus(const host_view& host, const std::vector<int>& allowed,
                                  int main_cpu, worker_placement placement, std::size_t workers,
                                  const claimed_cpus& claimed = {}) {
  const bool siblings = placement != worker_placement::one_per_core;
  const std::size_t there_are = cpus_by_preference(*host.cpus, allowed, main_cpu, siblings).size();
  if (workers == 0) {
    workers = std::max<std::size_t>(there_are, 1);
    if (host.quota_cpus) {
      const auto whole = static_cast<std::size_t>(*host.quota_cpus);
      workers = std::min(workers, std::max<std::size_t>(whole, 1));
    }
  }
  pool_cpus chosen{.cpus = std::vector<int>(workers, -1)};
  if (placement == worker_placement::untied || workers > there_are) {
    return chosen;
  }
  const std::vector<int> cpus =
      cpus_by_preference(*host.cpus, unclaimed(allowed, main_cpu, claimed), main_cpu, siblings,
                         cores_in_use(*host.cpus, claimed));
  const std::size_t pinned = std::min(workers, cpus.size());
  if (pinned > 1) {
    chosen.callers_cpu = cpus.front();
    std::copy_n(cpus.begin() + 1, pinned - 1, chosen.cpus.begin() + 1);
  }
  return chosen;
}

/// The worker to move off `cpu` for a caller of `run`: the one pinned there, if `free_cpu`, the
/// caller's CPU before, is known (-1: unknown), to pin it there. 0: none. Linear in the workers.
inline std::size_t worker_to_move(const pool_cpus& chosen, int cpu, int free_cpu) noexcept {
  if (cpu < 0 || free_cpu < 0 || cpu == free_cpu) {
    return 0;
  }
  // Not worker 0, which is the caller.
  const auto tied_there = std::find(chosen.cpus.begin() + 1, chosen.cpus.end(), cpu);
  return tied_there != chosen.cpus.end()
             ? static_cast<std::size_t>(tied_there - chosen.cpus.begin())
             : 0;
}

/// A choice and the claim on it; the claim is empty if no worker is pinned.
struct claimed_pool_cpus : pool_cpus {
  pool_cpu_claim claim{};
};

inline std::vector<pool_cpu> cpus_to_claim(const pool_cpus& chosen) {
  std::vector<pool_cpu> cpus;
  for (const int cpu : chosen.cpus) {
    if (cpu >= 0) {
      cpus.push_back({.cpu = cpu, .is_tied = true});
    }
  }
  if (!cpus.empty() && chosen.callers_cpu >= 0) {
    cpus.push_back({.cpu = chosen.callers_cpu, .is_tied = false});
  }
  return cpus;
}

/// Applies `choose_pool_cpus` under `pinning` and claims the choice in `registry`, in one step;
/// does not touch it if no worker is to be pinned. When a worker moves for the caller, the claimed
/// CPUs stay the same: they swap theirs. Throws std::bad_alloc; then nothing is claimed.
inline claimed_pool_cpus claim_pool_cpus(cpu_registry& registry, const host_view& host,
                                         const std::vector<int>& allowed, int main_cpu,
                                         worker_placement placement, worker_pinning pinning,
                                         std::size_t workers) {
  pool_cpus chosen;
  if (kWhyNotPinned != nullptr || pinning == worker_pinning::never ||
      placement == worker_placement::untied) {
    chosen = choose_pool_cpus(host, allowed, main_cpu, placement, workers);
    return {{.cpus = std::vector<int>(chosen.cpus.size(), -1)}};
  }
  pool_cpu_claim claim = registry.claim_for_pool([&](const claimed_cpus& others) {
    chosen = choose_pool_cpus(host, allowed, main_cpu, placement, workers,
                              pinning == worker_pinning::automatic ? others : claimed_cpus{});
    return cpus_to_claim(chosen);
  });
  return {std::move(chosen), std::move(claim)};
}

}  // namespace fg::inline FINEGRAIN_ABI::detail
