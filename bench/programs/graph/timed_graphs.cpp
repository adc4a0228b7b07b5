// SPDX-License-Identifier: Apache-2.0
#include "programs/graph/timed_graphs.hpp"

#include <cstddef>

#include "finegrain/host/affinity.hpp"

namespace fg::bench {
namespace {

using clock = std::chrono::steady_clock;

constexpr std::uint64_t kProofs = 100;
constexpr std::uint64_t kDelaySteps = 1000;  // a microsecond, and half of it in the mean
// A node that looks around is longer: of so few runs the controllers of ours learn little.
constexpr std::uint64_t kLocatedRuns = 2;

double ns_between(clock::time_point begin, clock::time_point end) {
  return std::chrono::duration<double, std::nano>{end - begin}.count();
}

}  // namespace

void timed_graphs::run_and_count(const graph_run& run, std::uint64_t times) {
  for (std::uint64_t i = 0; i < times; ++i) {
    run();
  }
  runs_ += times;
}

void timed_graphs::measure(const build_graph& build) {
  {
    const graph_run run = build(nodes_);
    prove_order(run);
    warm_up(run);
  }
  graph_run last;
  for (int graph = 0; graph < plan_.graphs; ++graph) {
    last = nullptr;  // ends the one before
    last = time_graph(build);
  }
  warm_up(last);
  for (int batch = 0; batch < plan_.batches; ++batch) {
    result_.ns.push_back(run_batch(last));
  }
  locate(last);
}

void timed_graphs::prove_order(const graph_run& run) {
  nodes_.watch(true, kDelaySteps);
  for (std::uint64_t i = 0; i < kProofs; ++i) {
    run_and_count(run, 1);
    nodes_.check(runs_);
  }
  nodes_.watch(false);
}

void timed_graphs::warm_up(const graph_run& run) {
  const clock::time_point end = clock::now() + plan_.warmup;
  do {
    static_cast<void>(run_batch(run));
  } while (clock::now() < end);
}

graph_run timed_graphs::time_graph(const build_graph& build) {
  const auto nodes = static_cast<double>(nodes_.size());
  const clock::time_point begin = clock::now();
  graph_run run = build(nodes_);
  const clock::time_point built = clock::now();
  run_and_count(run, 1);
  const clock::time_point first = clock::now();
  run_and_count(run, 98);
  const clock::time_point before = clock::now();
  run_and_count(run, 1);
  const clock::time_point hundredth = clock::now();
  nodes_.check(runs_);
  result_.build_ns.push_back(ns_between(begin, built) / nodes);
  result_.first_ns.push_back(ns_between(built, first) / nodes);
  result_.hundredth_ns.push_back(ns_between(before, hundredth) / nodes);
  return run;
}

double timed_graphs::run_batch(const graph_run& run) {
  const clock::time_point begin = clock::now();
  run_and_count(run, plan_.runs);
  const double taken = ns_between(begin, clock::now());
  nodes_.check(runs_);
  return taken / static_cast<double>(plan_.runs * nodes_.size());
}

void timed_graphs::locate(const graph_run& run) {
  const int own_cpu = current_cpu();
  std::size_t elsewhere = 0;
  nodes_.watch(true);
  for (std::uint64_t i = 0; i < kLocatedRuns; ++i) {
    run_and_count(run, 1);
    nodes_.check(runs_);
    for (const int cpu : nodes_.cpus()) {
      elsewhere += cpu == own_cpu ? 0U : 1U;
      result_.cpus.insert(cpu);
    }
  }
  result_.elsewhere =
      static_cast<double>(elsewhere) / static_cast<double>(kLocatedRuns * nodes_.size());
}

}  // namespace fg::bench
