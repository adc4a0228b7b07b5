// spawn-opencilk: OpenCilk.
// SPDX-License-Identifier: Apache-2.0
#include <cilk/cilk.h>

#include <cstdint>
#include <functional>
#include <stdexcept>
#include <vector>

#include "programs/spawn/plain_runner.hpp"
#include "programs/spawn/spawn_runtime.hpp"
#include "programs/spawn/workloads/flat_job.hpp"
#include "programs/spawn/workloads/tile_job.hpp"
#include "programs/spawn/workloads/tile_waves.hpp"
#include "programs/spawn/workloads/walk.hpp"

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
  const std::uint64_t end = job.end_of(producer);
  for (std::uint64_t i = job.first_of(producer); i < end; ++i) {
    cilk_spawn job.run(i);
  }
  cilk_sync;
}

void produce_with_others(const fg::bench::flat_job& job, std::size_t producer,
                         fg::bench::start_gate& gate) {
  gate.arrive_and_wait();
  produce(job, producer);
}

// The spawned call runs here and the loop continues elsewhere: continuations are stolen.
void run_flat(const fg::bench::flat_job& job) {
  fg::bench::start_gate gate{job.producers};
  for (std::size_t producer = 1; producer < job.producers; ++producer) {
    cilk_spawn produce_with_others(job, producer, gate);
  }
  produce_with_others(job, 0, gate);
  cilk_sync;
}

template <fg::bench::tree_walk Walk>
typename Walk::result spawned_walk(const Walk& walk, const typename Walk::node& at);

template <fg::bench::tree_walk Walk>
typename Walk::result spawned_child(const Walk& walk, const typename Walk::node& parent,
                                    std::uint32_t index) {
  return spawned_walk(walk, walk.child(parent, index));
}

template <fg::bench::tree_walk Walk>
typename Walk::result spawned_rest(const Walk& walk, const typename Walk::node& parent,
                                   std::uint32_t index, std::uint32_t children) {
  if (index + 1 == children) {
    return spawned_child(walk, parent, index);
  }
  typename Walk::result sum = cilk_spawn spawned_child(walk, parent, index);
  const typename Walk::result rest = spawned_rest(walk, parent, index + 1, children);
  cilk_sync;
  sum += rest;
  return sum;
}

// The result is returned by value: a thread's sum would have to be looked up again after every
// spawn, as the continuation may be on another thread.
template <fg::bench::tree_walk Walk>
typename Walk::result spawned_walk(const Walk& walk, const typename Walk::node& at) {
  const std::uint32_t children = walk.children(at);
  typename Walk::result sum{};
  walk.visit(at, children, sum);
  if (children > 0) {
    sum += spawned_rest(walk, at, 0, children);
  }
  return sum;
}

// As X-OpenMP's authors did it: the ready tasks, then a join.
void run_tiles(const fg::bench::tile_job& job) {
  for (const std::vector<std::uint32_t>& wave : fg::bench::tile_waves(job.program)) {
    for (const std::uint32_t task : wave) {
      cilk_spawn job.run(task);
    }
    cilk_sync;
  }
}

struct forms {
  template <class Leaf>
  static std::uint64_t fib(int n) {
    return spawned_fib<Leaf>(n);
  }
  static void flat(const fg::bench::flat_job& job) { run_flat(job); }
  template <fg::bench::tree_walk Walk>
  static typename Walk::result walk(const Walk& tree) {
    return spawned_walk(tree, tree.root());
  }
  // A spawned call has ended when the function that spawned it returns.
  template <class Root>
  static void with_tasks(bool /*tied*/, const Root& /*root*/) {
    throw std::runtime_error("Cilk has no group of tasks that another function could add to");
  }
  static void run(const fg::bench::tile_job& job) { run_tiles(job); }
};

// The number of workers comes from CILK_NWORKERS, which the caller of the process sets
// (finegrain_lab/runtimes.py). OpenCilk does not pin workers to CPUs.
void session(const fg::bench::spawn_setup&,
             const std::function<void(fg::bench::task_runner&)>& body) {
  fg::bench::plain_runner runner{forms{}};
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
