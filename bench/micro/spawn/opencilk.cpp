// spawn-opencilk: OpenCilk.
#include <cilk/cilk.h>

#include <cstdint>
#include <functional>

#include "micro/spawn/flat_job.hpp"
#include "micro/spawn/plain_runner.hpp"
#include "micro/spawn/spawn_runtime.hpp"

namespace {

template <class Leaf>
std::uint64_t spawned_fib(int n) {
  if (n < 2) {
    return Leaf::value(n);
  }
  const std::uint64_t spawned = cilk_spawn spawned_fib<Leaf>(n - 1);
  const std::uint64_t own = spawned_fib<Leaf>(n - 2);
  cilk_sync;
  return spawned + own;
}

void produce(const fg::bench::flat_job& job, std::size_t producer) {
  const std::uint64_t first = job.first_of(producer);
  for (std::uint64_t i = first; i < first + job.tasks_each; ++i) {
    cilk_spawn job.run(i);
  }
  cilk_sync;
}

void produce_with_others(const fg::bench::flat_job& job, std::size_t producer,
                         fg::bench::start_gate& gate) {
  gate.arrive_and_wait();
  produce(job, producer);
}

// The spawned call runs here and the loop goes on elsewhere: continuations are stolen.
void run_flat(const fg::bench::flat_job& job) {
  fg::bench::start_gate gate{job.producers};
  for (std::size_t producer = 1; producer < job.producers; ++producer) {
    cilk_spawn produce_with_others(job, producer, gate);
  }
  produce_with_others(job, 0, gate);
  cilk_sync;
}

// The number of workers comes from CILK_NWORKERS, which the caller of the process sets
// (finegrain_lab/spawn/measure.py). OpenCilk ties no worker to a CPU.
void session(const fg::bench::spawn_setup&,
             const std::function<void(fg::bench::task_runner&)>& body) {
  fg::bench::plain_runner runner{[]<class Leaf>(int n) { return spawned_fib<Leaf>(n); }, run_flat};
  body(runner);
}

}  // namespace

int main(int argc, char** argv) {
  return fg::bench::spawn_main({.name = "opencilk",
                                .version = "OpenCilk, compiler " __VERSION__,
                                .policies = {},
                                .session = session},
                               argc, argv);
}
