// Chooses the CPUs of the workers of a hybrid pool and of their assistants.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <vector>

#include "finegrain/host/cpu_registry.hpp"
#include "finegrain/host/topology.hpp"

namespace fg::inline FINEGRAIN_ABI::detail {

/// The CPUs of one core and their roles.
struct hybrid_cpus {
  int worker_cpu = -1;                 ///< -1: not pinned, or not known
  std::optional<int> assistant_cpu{};  ///< its SMT sibling; empty: no assistant
};

/// The lowest CPU of `allowed` on the core of `cpu` other than itself.
inline std::optional<int> sibling_of(const topology& machine, const std::vector<int>& allowed,
                                     int cpu) {
  const logical_cpu* const self = machine.find(cpu);
  if (self == nullptr || self->core < 0) {
    return std::nullopt;
  }
  for (const int other : allowed) {
    const logical_cpu* const candidate = machine.find(other);
    if (other != cpu && candidate != nullptr && candidate->core == self->core) {
      return other;
    }
  }
  return std::nullopt;
}

/// The CPUs of each worker and its assistant, given the worker's own: the assistant gets the core's
/// other CPU, if that is allowed. Throws std::bad_alloc.
inline std::vector<hybrid_cpus> add_assistants(const topology& machine,
                                               const std::vector<int>& allowed,
                                               const std::vector<int>& worker_cpus) {
  std::vector<hybrid_cpus> all;
  all.reserve(worker_cpus.size());
  for (const int cpu : worker_cpus) {
    all.push_back({.worker_cpu = cpu, .assistant_cpu = sibling_of(machine, allowed, cpu)});
  }
  return all;
}

/// The CPUs that the assistants take in addition to the workers'. Throws std::bad_alloc.
inline std::vector<pool_cpu> cpus_of_assistants(const std::vector<hybrid_cpus>& all) {
  std::vector<pool_cpu> cpus;
  for (const hybrid_cpus& each : all) {
    if (each.assistant_cpu) {
      cpus.push_back({.cpu = *each.assistant_cpu, .is_tied = true});
    }
  }
  return cpus;
}

}  // namespace fg::inline FINEGRAIN_ABI::detail
