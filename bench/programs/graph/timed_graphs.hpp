// The timed part: a graph on a runtime, run for the first time and again and again.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <set>
#include <vector>

#include "programs/graph/graph_nodes.hpp"

namespace fg::bench {

/// Runs a graph once, and returns when all its nodes have ended. Its copies are of one graph.
using graph_run = std::function<void()>;
/// Builds the graph of these nodes on a runtime, which outlives what is returned.
using build_graph = std::function<graph_run(graph_nodes&)>;

struct graph_plan {
  graph_shape shape;
  double node_steps = 0;   ///< of a node of weight 1; 0: nodes do nothing
  std::uint64_t runs = 1;  ///< of a batch
  int graphs = 1;          ///< of which first and hundredth runs are timed
  int batches = 1;
  std::chrono::nanoseconds warmup{0};
};

/// Times of a run, each divided by the nodes.
struct graph_result {
  std::vector<double> build_ns;      ///< of building a graph, a number a graph
  std::vector<double> first_ns;      ///< of its first run
  std::vector<double> hundredth_ns;  ///< of its hundredth
  std::vector<double> ns;            ///< of a run of the last graph, a number a batch
  double elsewhere = 0;  ///< share of the nodes on another CPU than the calling thread's
  std::set<int> cpus;    ///< where nodes ran
};

/// Builds graphs, runs and times them. Each run is checked, and before the timed ones the order of
/// the nodes.
class timed_graphs {
 public:
  explicit timed_graphs(const graph_plan& plan)
      : plan_{plan}, nodes_{plan.shape, plan.node_steps} {}

  /// Throws wrong_result. Call it once.
  void measure(const build_graph& build);

  [[nodiscard]] std::size_t nodes() const noexcept { return nodes_.size(); }
  [[nodiscard]] const graph_result& result() const noexcept { return result_; }

 private:
  void prove_order(const graph_run& run);
  graph_run time_graph(const build_graph& build);
  double run_batch(const graph_run& run);
  void warm_up(const graph_run& run);
  void locate(const graph_run& run);
  void run_and_count(const graph_run& run, std::uint64_t times);

  graph_plan plan_;
  graph_nodes nodes_;
  std::uint64_t runs_ = 0;
  graph_result result_;
};

}  // namespace fg::bench
