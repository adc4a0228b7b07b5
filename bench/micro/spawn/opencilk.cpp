// spawn-opencilk: OpenCilk.
#include <cilk/cilk.h>

#include <cstdint>
#include <functional>

#include "micro/spawn/leaves.hpp"
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

struct runner : fg::bench::fib_runner {
  std::uint64_t fib(int n) override { return spawned_fib<fg::bench::fib_leaf>(n); }
  std::uint64_t leaves_elsewhere(int n) override {
    fg::bench::leaf_census::begin();
    return spawned_fib<fg::bench::census_leaf>(n);
  }
};

// The number of workers comes from CILK_NWORKERS, which the caller of the process sets
// (finegrain_lab/spawn/measure.py). OpenCilk ties no worker to a CPU.
void session(const fg::bench::spawn_setup&,
             const std::function<void(fg::bench::fib_runner&)>& body) {
  runner runner;
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
