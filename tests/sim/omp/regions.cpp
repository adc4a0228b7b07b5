// Parallel regions of the OpenMP library with threads of its own, without anything in them.
// SPDX-License-Identifier: Apache-2.0
#include "runtime/hot_team.hpp"
#include "sim/workloads.hpp"
#include "thread.hpp"

namespace sim {
namespace {

using fg::omp::thread;
using fg::omp::runtime::region_call;
using fg::omp::runtime::run_region;

void do_nothing(thread& /*self*/, const region_call& /*call*/) {}

void pass_barriers(thread& self, const region_call& call) {
  if (self.inner->threads == nullptr) {
    return;  // the region's only thread
  }
  for (auto left = *static_cast<const std::uint64_t*>(call.arguments[0]); left != 0; --left) {
    self.inner->threads->meet(self);
  }
}

// The body's address is the key under which a region is known.
region_call call_of(void (*run)(thread&, const region_call&)) {
  return {.run = run, .body = reinterpret_cast<void*>(run)};
}

}  // namespace

std::uint64_t run_regions(std::uint64_t threads, std::uint64_t times) {
  for (std::uint64_t region = 0; region != times; ++region) {
    run_region(thread::here(), static_cast<unsigned>(threads), call_of(&do_nothing));
  }
  return threads * times;
}

std::uint64_t run_barriers(std::uint64_t threads, std::uint64_t times) {
  region_call call = call_of(&pass_barriers);
  call.arguments[0] = &times;
  run_region(thread::here(), static_cast<unsigned>(threads), call);
  return threads * times;
}

}  // namespace sim
