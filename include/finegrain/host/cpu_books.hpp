// Which CPUs are in use: plain data, which parts of a program share that were compiled with other
// settings (core/config.hpp). host/cpu_registry.hpp writes it.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <mutex>
#include <vector>

#include "finegrain/core/config.hpp"

namespace fg::inline FINEGRAIN_SHARED_ABI::shared {

/// The CPUs of one relic.
struct relic_cpus {
  int main_cpu = -1;
  int assistant_cpu = -1;
  std::uint64_t generation = 0;
};

/// One of the CPUs of a pool.
struct pool_cpu {
  int cpu;
  bool is_tied;  ///< a thread is tied to it; else it is left to the caller of `run`
  bool operator==(const pool_cpu&) const = default;
};

/// What a registry knows.
struct cpu_books {
  std::mutex mutex;
  std::uint64_t generation = 0;    // forks that this process comes from
  std::vector<relic_cpus> relics;  // in use
  std::vector<pool_cpu> pools;
};

/// Those of this process. Never destroyed, so they serve static destructors too.
inline cpu_books& cpu_books_of_process() {
  static auto* const books = new cpu_books;
  return *books;
}

}  // namespace fg::inline FINEGRAIN_SHARED_ABI::shared
