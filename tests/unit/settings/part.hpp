// One program of parts that were compiled with different settings: the interface of each part.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

namespace fg::test {

/// One part. No type of the library is in the interface, so that one program can ask all parts.
struct part {
  struct count {
    int of;
    int caught;
  };

  bool has_exceptions;
  bool has_checks;

  /// How many ways to run a task there are, and how many brought its exception to the caller. Null
  /// without exceptions.
  count (*catch_exceptions)();
  /// Runs tasks on a relic, and as many in a pool; returns how many have run.
  unsigned (*run_tasks)(unsigned of_each);
  /// Gives a hint to a relic on a thread that did not make it, which is misuse.
  void (*misuse_a_relic)();
  /// Claims a CPU for a pool, calls `meanwhile`, and releases it.
  void (*claim_cpu)(int cpu, void (*meanwhile)());
  /// The CPUs that pools use.
  std::vector<int> (*cpus_of_pools)();
};

}  // namespace fg::test
