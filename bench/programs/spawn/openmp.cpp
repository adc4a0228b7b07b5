// The OpenMP runtimes of GNU, LLVM and Intel: one source, compiled and linked three times.
// SPDX-License-Identifier: Apache-2.0
#include <omp.h>

#include <cstdint>
#include <exception>
#include <functional>
#include <stdexcept>
#include <string>
#include <string_view>

#include "programs/spawn/plain_runner.hpp"
#include "programs/spawn/spawn_runtime.hpp"
#include "programs/spawn/workloads/flat_job.hpp"
#include "programs/spawn/workloads/thread_sums.hpp"
#include "programs/spawn/workloads/tile_job.hpp"
#include "programs/spawn/workloads/walk.hpp"

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
  const std::uint64_t end = job.end_of(producer);
  for (std::uint64_t i = job.first_of(producer); i < end; ++i) {
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

// A wait at every node, and the first child called: T1 takes 219 ns per node on 2 threads under
// libiomp5 and 249 under libomp; 258 and 298 with all children as tasks, 257 and 286 with one group
// for all (T1 to depth 7, otherwise as above).
template <fg::bench::tree_walk Walk>
void task_walk(const Walk& walk, const typename Walk::node& at) {
  const std::uint32_t children = walk.children(at);
  walk.visit(at, children, fg::bench::thread_sums<Walk>::own());
  if (children == 0) {
    return;
  }
  for (std::uint32_t index = 1; index < children; ++index) {
#pragma omp task default(none) shared(walk, at) firstprivate(index)
    task_walk(walk, walk.child(at, index));
  }
  task_walk(walk, walk.child(at, 0));
#pragma omp taskwait
}

// For one group around all. Under GNU's runtime it takes 50 ns per node on 2 threads, where the
// form above takes 161; 52 with one child called, 56 with the child computed in its own task.
template <fg::bench::tree_walk Walk>
void task_walk_without_wait(const Walk& walk, const typename Walk::node& at) {
  const std::uint32_t children = walk.children(at);
  walk.visit(at, children, fg::bench::thread_sums<Walk>::own());
  for (std::uint32_t index = 0; index < children; ++index) {
    const typename Walk::node child = walk.child(at, index);
#pragma omp task default(none) shared(walk) firstprivate(child)
    task_walk_without_wait(walk, child);
  }
}

constexpr bool kWaitsAreDear = std::string_view{FINEGRAIN_BENCH_OPENMP_NAME} == "gnu-openmp";

template <fg::bench::tree_walk Walk>
void run_walk(const Walk& walk) {
  if constexpr (Walk::kWaitsAtEveryNode || !kWaitsAreDear) {
    task_walk(walk, walk.root());
  } else {
#pragma omp taskgroup
    task_walk_without_wait(walk, walk.root());
  }
}

// A group is all the children of a task.
template <bool kTied>
struct openmp_tasks {
  class group {
   public:
    explicit group(openmp_tasks /*tasks*/) {}

    template <class Task>
    void spawn(Task task) {
      if constexpr (kTied) {
#pragma omp task default(none) firstprivate(task)
        task(openmp_tasks{});
      } else {
#pragma omp task untied default(none) firstprivate(task)
        task(openmp_tasks{});
      }
    }
    void wait() {
#pragma omp taskwait
    }
  };
};
// Spawned by one thread, in the program's order: the runtime computes the dependences.
void run_tiles(const fg::bench::tile_job& job) {
  for (const fg::bench::tiles::task& task : job.program.tasks) {
    const auto elements = [&](std::uint32_t tile) { return job.program.tiles[tile].data; };
    [[maybe_unused]] const double* const c = elements(task.target);
    [[maybe_unused]] const double* const a = elements(task.operand[0]);
    [[maybe_unused]] const double* const b = elements(task.operand[1]);
    switch (task.operands().size()) {
      case 0:
#pragma omp task default(none) shared(job, task) depend(inout : c[0])
        job.run(task);
        break;
      case 1:
#pragma omp task default(none) shared(job, task) depend(in : a[0]) depend(inout : c[0])
        job.run(task);
        break;
      default:
#pragma omp task default(none) shared(job, task) depend(in : a[0], b[0]) depend(inout : c[0])
        job.run(task);
    }
  }
#pragma omp taskwait
}

struct forms {
  template <class Leaf>
  static std::uint64_t fib(int n) {
    return task_fib<Leaf>(n);
  }
  static void flat(const fg::bench::flat_job& job) { run_flat(job); }
  template <fg::bench::tree_walk Walk>
  static typename Walk::result walk(const Walk& tree) {
    return fg::bench::summed<Walk>([&tree] { run_walk(tree); });
  }
  template <class Root>
  static void with_tasks(bool tied, const Root& root) {
    if (tied) {
      root(openmp_tasks<true>{});
    } else {
      root(openmp_tasks<false>{});
    }
  }
  static void run(const fg::bench::tile_job& job) { run_tiles(job); }
};

// The threads' CPUs come from OMP_PLACES, which the runtime reads before `main`; the caller of the
// process sets it (finegrain_lab/runtimes.py), and the process reports where the threads ran. One
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
    try {  // no exception may leave the region
      if (granted == threads) {
        fg::bench::plain_runner runner{forms{}};
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
