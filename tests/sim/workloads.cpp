// SPDX-License-Identifier: Apache-2.0
#include "sim/workloads.hpp"

#include <optional>
#include <vector>

#include "finegrain/graph.hpp"
#include "finegrain/pool.hpp"
#include "sim/simulator/program.hpp"

namespace sim {
namespace {

constexpr double kTaskNs = 500;
constexpr double kElementNs = 100;
constexpr double kTreeNodeNs = 100;

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

// The finalizer of MurmurHash3 (Appleby), whose bits depend on all of its argument's.
std::uint64_t hashed(std::uint64_t value) {
  value = (value ^ value >> 33U) * 0xff51afd7ed558ccdU;
  value = (value ^ value >> 33U) * 0xc4ceb9fe1a85ec53U;
  return value ^ value >> 33U;
}

// A tree of exactly so many nodes. A node has up to eight children; each but the last one gets a
// share of what is left that is as likely to be small as large.
void visit_tree(std::uint64_t nodes, std::uint64_t state) {
  constexpr unsigned kMostChildren = 8;
  spend_ns(kTreeNodeNs);
  fg::task_group group;
  std::uint64_t left = nodes - 1;
  for (unsigned child = 1; left != 0; ++child) {
    const std::uint64_t own = hashed(state + child);
    const std::uint64_t share = child == kMostChildren ? left : 1 + own % left;
    group.spawn([share, own] { visit_tree(share, own); });
    left -= share;
  }
  group.wait();
}

std::uint64_t run_tree(std::uint64_t workers, std::uint64_t tasks_a_worker) {
  const std::uint64_t nodes = workers * tasks_a_worker;
  visit_tree(nodes, 1);
  return nodes;
}

// A square of nodes, each of which waits for the ones above it and to its left. Returns its nodes.
std::uint64_t add_wavefront(fg::graph& graph, std::uint64_t side) {
  std::vector<std::optional<fg::graph::node>> above(side);
  for (std::uint64_t row = 0; row != side; ++row) {
    std::optional<fg::graph::node> left;
    for (std::optional<fg::graph::node>& last : above) {
      const fg::graph::node made = graph.add([] { spend_ns(kTaskNs); });
      for (const std::optional<fg::graph::node>& before : {last, left}) {
        if (before) {
          before->precede(made);
        }
      }
      last = left = made;
    }
  }
  return side * side;
}

std::uint64_t run_graph(std::uint64_t workers, std::uint64_t tasks_a_worker) {
  constexpr std::uint64_t kRuns = 4;  // it times its nodes in the first one
  std::uint64_t side = 2;
  while ((side + 1) * (side + 1) * kRuns <= workers * tasks_a_worker) {
    ++side;
  }
  fg::graph graph;
  const std::uint64_t nodes = add_wavefront(graph, side);
  for (std::uint64_t run = 0; run != kRuns; ++run) {
    graph.run(fg::worker::current()->home());
  }
  return kRuns * nodes;
}

}  // namespace

const std::array<workload, 12> kWorkloads{{
    {"fib", 1000, &run_fib},
    {"flat-one", 64, &run_flat_from_one},
    {"flat-all", 256, &run_flat_from_all},
    {"parallel-for", 256, &run_parallel_for},
    {"tree", 256, &run_tree},
    {"graph", 256, &run_graph},
    {.name = "regions", .tasks_a_worker = 50, .run = &run_regions, .is_of_pool = false},
    {.name = "barriers", .tasks_a_worker = 50, .run = &run_barriers, .is_of_pool = false},
    {.name = "handoff", .tasks_a_worker = 1000, .run = &hand_over_one_by_one, .is_of_pool = false},
    {.name = "handoff-64", .tasks_a_worker = 50, .run = &hand_over_bursts, .is_of_pool = false},
    {.name = "queue-one-way", .tasks_a_worker = 1000, .run = &pass_to_and_fro, .is_of_pool = false},
    {.name = "queue-throughput", .tasks_a_worker = 5000, .run = &pass_on, .is_of_pool = false},
}};

}  // namespace sim
