// The OpenMP runtimes of GNU, LLVM and Intel: one source, compiled and linked three times.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <omp.h>

#include <string>

#include "programs/fork_join/runtime.hpp"

#ifndef FINEGRAIN_BENCH_OPENMP_NAME
#error "the build names the OpenMP runtime that this file is compiled for"
#endif

namespace fg::bench {

/// `#pragma omp task` and `taskwait` (relic-2024, section III), inside one parallel region that is
/// opened before the measurement. The threads' CPUs come from OMP_PLACES, which the runtime reads
/// before `main`; the caller of the process sets it (finegrain_lab/runtimes.py), and the process
/// reports where the threads ran.
struct openmp_runtime {
  static constexpr const char* kName = FINEGRAIN_BENCH_OPENMP_NAME;
  static std::string version() {
    return "OpenMP " + std::to_string(_OPENMP) + ", compiler " __VERSION__;
  }

  struct fork_join {
    template <class Task, class Own>
    void operator()(Task&& task, Own&& own) const {
#pragma omp task default(none) shared(task)
      task();
      own();
#pragma omp taskwait
    }
  };

  template <class Body>
  static void session(cpu_pair, Body&& body) {
#pragma omp parallel num_threads(2) default(none) shared(body)
#pragma omp master  // the other thread goes to the region's barrier, where it runs tasks
    {
      fork_join pair;
      body(pair);
    }
  }
};
static_assert(fork_join_runtime<openmp_runtime>);

}  // namespace fg::bench
