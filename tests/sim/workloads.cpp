// SPDX-License-Identifier: Apache-2.0
#include "sim/workloads.hpp"

#include "finegrain/pool.hpp"
#include "sim/simulator/program.hpp"

namespace sim {
namespace {

constexpr double kTaskNs = 500;
constexpr double kElementNs = 100;

std::uint64_t fib(unsigned n) {
  if (n < 2) {
    return n;
  }
  const auto [a, b] = fg::fork_join([n] { return fib(n - 1); }, [n] { return fib(n - 2); });
  return a + b;
}

// One less than the next Fibonacci number: each call but those of 0 and 1 forks once.
std::uint64_t forks_of(unsigned n) {
  std::uint64_t a = 1;
  std::uint64_t b = 1;
  for (; n > 1; --n) {
    b += a;
    a = b - a;
  }
  return b - 1;
}

std::uint64_t run_fib(std::uint64_t workers, std::uint64_t tasks_a_worker) {
  unsigned n = 2;
  while (forks_of(n + 1) <= workers * tasks_a_worker) {
    ++n;
  }
  fib(n);
  return forks_of(n);
}

void spawn_and_wait(std::uint64_t tasks) {
  fg::task_group group;
  for (; tasks != 0; --tasks) {
    group.spawn([] { spend_ns(kTaskNs); });
  }
  group.wait();
}

std::uint64_t run_flat_from_one(std::uint64_t workers, std::uint64_t tasks_a_worker) {
  spawn_and_wait(workers * tasks_a_worker);
  return workers * tasks_a_worker;
}

std::uint64_t run_flat_from_all(std::uint64_t workers, std::uint64_t tasks_a_worker) {
  fg::broadcast(fg::worker::current()->home(),
                [tasks_a_worker](std::size_t) { spawn_and_wait(tasks_a_worker); });
  return workers * tasks_a_worker;
}

std::uint64_t run_parallel_for(std::uint64_t workers, std::uint64_t tasks_a_worker) {
  fg::parallel_for(std::uint64_t{0}, workers * tasks_a_worker,
                   [](std::uint64_t) { spend_ns(kElementNs); });
  return workers * tasks_a_worker;
}

}  // namespace

const std::array<workload, 4> kWorkloads{{
    {"fib", 1000, &run_fib},
    {"flat-one", 64, &run_flat_from_one},
    {"flat-all", 256, &run_flat_from_all},
    {"parallel-for", 256, &run_parallel_for},
}};

}  // namespace sim
