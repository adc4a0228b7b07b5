// The OpenMP runtimes of GNU, LLVM and Intel: one source, compiled and linked three times.
// SPDX-License-Identifier: Apache-2.0
#include "programs/fork_join/openmp.hpp"

#include <cstddef>
#include <stdexcept>
#include <string>
#include <string_view>

#include "programs/loops/loops_process.hpp"

namespace fg::bench {
namespace {

// A region of its own for each loop, as programs write it. The elements are alike, and a static
// schedule costs least.
void run_loop(const loop_work& work) {
#pragma omp parallel for schedule(static) default(none) shared(work)
  for (std::size_t i = 0; i < work.elements; ++i) {
    work(i);
  }
}

// The threads' number and CPUs come from the environment (fork_join/openmp.hpp).
void measure(cpu_pair /*cpus*/, std::string_view /*calls*/, timed_loops& loops) {
  if (omp_get_max_threads() != 2) {
    throw std::runtime_error("a region has " + std::to_string(omp_get_max_threads()) + " threads");
  }
  loops.measure(run_loop);
}

}  // namespace
}  // namespace fg::bench

int main(int argc, char** argv) {
  using runtime = fg::bench::openmp_runtime;
  return fg::bench::loops_main(argc, argv,
                               {.name = runtime::kName,
                                .version = runtime::version(),
                                .calls = {"default"},
                                .measure = fg::bench::measure});
}
