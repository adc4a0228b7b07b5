// GNU's, LLVM's and Intel's OpenMP: one source, compiled and linked three times.
#include <omp.h>

#include <cstdint>
#include <exception>
#include <functional>
#include <stdexcept>
#include <string>

#include "micro/spawn/leaves.hpp"
#include "micro/spawn/spawn_runtime.hpp"

#ifndef FINEGRAIN_BENCH_OPENMP_NAME
#error "the build names the OpenMP runtime that this file is compiled for"
#endif

namespace {

// Tied tasks: untied ones were slower under LLVM's runtime (2 vCPUs of an AMD EPYC, libiomp5, wall
// ns per spawn on 2 threads, 110-140 against 60-70), and no faster beyond the noise under GNU's.
template <class Leaf>
std::uint64_t task_fib(int n) {
  if (n < 2) {
    return Leaf::value(n);
  }
  std::uint64_t spawned = 0;
#pragma omp task default(none) shared(spawned) firstprivate(n)
  spawned = task_fib<Leaf>(n - 2);
  const std::uint64_t own = task_fib<Leaf>(n - 1);
#pragma omp taskwait
  return spawned + own;
}

struct runner : fg::bench::fib_runner {
  std::uint64_t fib(int n) override { return task_fib<fg::bench::fib_leaf>(n); }
  std::uint64_t leaves_elsewhere(int n) override {
    fg::bench::leaf_census::begin();
    return task_fib<fg::bench::census_leaf>(n);
  }
};

// The threads' CPUs come from OMP_PLACES, which the runtime reads before `main`; the caller of the
// process sets it (finegrain_lab/runtimes.py), and the process reports where the threads were. One
// region for all batches.
void session(const fg::bench::spawn_setup& setup,
             const std::function<void(fg::bench::fib_runner&)>& body) {
  const auto threads = static_cast<int>(setup.cpus.size());
  std::exception_ptr failure;
  int granted = 0;
#pragma omp parallel num_threads(threads) default(none) shared(body, failure, granted, threads)
#pragma omp master  // the others go to the region's barrier, where they run tasks
  {
    granted = omp_get_num_threads();
    try {  // none may leave the region
      if (granted == threads) {
        runner runner;
        body(runner);
      }
    } catch (...) {
      failure = std::current_exception();
    }
  }
  if (failure) {
    std::rethrow_exception(failure);
  }
  if (granted != threads) {
    throw std::runtime_error("the region has " + std::to_string(granted) + " threads");
  }
}

}  // namespace

int main(int argc, char** argv) {
  return fg::bench::spawn_main(
      {.name = FINEGRAIN_BENCH_OPENMP_NAME,
       .version = "OpenMP " + std::to_string(_OPENMP) + ", compiler " __VERSION__,
       .policies = {},
       .session = session},
      argc, argv);
}
