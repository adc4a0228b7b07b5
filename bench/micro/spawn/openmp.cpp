// GNU's, LLVM's and Intel's OpenMP: one source, compiled and linked three times.
#include <omp.h>

#include <cstdint>
#include <exception>
#include <functional>
#include <stdexcept>
#include <string>

#include "micro/spawn/flat_job.hpp"
#include "micro/spawn/plain_runner.hpp"
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

void produce(const fg::bench::flat_job& job, std::size_t producer) {
  const std::uint64_t first = job.first_of(producer);
  for (std::uint64_t i = first; i < first + job.tasks_each; ++i) {
#pragma omp task default(none) shared(job) firstprivate(i)
    job.run(i);
  }
#pragma omp taskwait
}

// Within the session's region: the other producers are tasks.
void run_flat(const fg::bench::flat_job& job) {
  fg::bench::start_gate gate{job.producers};
  for (std::size_t producer = 1; producer < job.producers; ++producer) {
#pragma omp task default(none) shared(job, gate) firstprivate(producer)
    {
      gate.arrive_and_wait();
      produce(job, producer);
    }
  }
  gate.arrive_and_wait();
  produce(job, 0);
#pragma omp taskwait
}

// The threads' CPUs come from OMP_PLACES, which the runtime reads before `main`; the caller of the
// process sets it (finegrain_lab/runtimes.py), and the process reports where the threads were. One
// region for all batches.
void session(const fg::bench::spawn_setup& setup,
             const std::function<void(fg::bench::task_runner&)>& body) {
  const auto threads = static_cast<int>(setup.cpus.size());
  std::exception_ptr failure;
  int granted = 0;
#pragma omp parallel num_threads(threads) default(none) shared(body, failure, granted, threads)
#pragma omp master  // the others go to the region's barrier, where they run tasks
  {
    granted = omp_get_num_threads();
    try {  // none may leave the region
      if (granted == threads) {
        fg::bench::plain_runner runner{[]<class Leaf>(int n) { return task_fib<Leaf>(n); },
                                       run_flat};
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
