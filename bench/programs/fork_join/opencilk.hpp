// OpenCilk.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cilk/cilk.h>

#include <string>

#include "programs/fork_join/runtime.hpp"

namespace fg::bench {

/// `cilk_spawn` and `cilk_sync` (relic-2024, section III). The number of workers comes from
/// CILK_NWORKERS, which the caller of the process sets (finegrain_lab/runtimes.py). OpenCilk does
/// not pin workers to CPUs; the process reports where they ran.
struct opencilk_runtime {
  static constexpr const char* kName = "opencilk";
  static std::string version() { return "OpenCilk, compiler " __VERSION__; }

  struct fork_join {
    template <class Task, class Own>
    void operator()(Task&& task, Own&& own) const {
      cilk_spawn task();
      own();
      cilk_sync;
    }
  };

  template <class Body>
  static void session(cpu_pair, Body&& body) {
    fork_join pair;
    body(pair);
  }
};
static_assert(fork_join_runtime<opencilk_runtime>);

}  // namespace fg::bench
