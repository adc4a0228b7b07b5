// SPDX-License-Identifier: Apache-2.0
#include "kernels/pr/pr_check.hpp"

#include <cmath>
#include <cstddef>
#include <utility>
#include <vector>

namespace fg::bench {
namespace {

constexpr double kDamping = 0.85;

/// One step of power iteration, pushing along every edge.
std::vector<double> step(const csr_graph& graph, const std::vector<double>& scores) {
  const auto num_nodes = static_cast<double>(graph.num_nodes());
  std::vector<double> next(scores.size(), (1.0 - kDamping) / num_nodes);
  for (node_id node = 0; node < graph.num_nodes(); ++node) {
    for (const node_id neighbor : graph.neighbors(node)) {
      next[neighbor] += kDamping * scores[node] / static_cast<double>(graph.degree(node));
    }
  }
  return next;
}

double distance(const std::vector<double>& a, const std::vector<double>& b) {
  double sum = 0.0;
  for (std::size_t i = 0; i < a.size(); ++i) {
    sum += std::abs(a[i] - b[i]);
  }
  return sum;
}

std::vector<double> fixed_point(const csr_graph& graph) {
  constexpr double kConverged = 1e-13;
  std::vector<double> scores(graph.num_nodes(), 1.0 / static_cast<double>(graph.num_nodes()));
  for (;;) {
    std::vector<double> next = step(graph, scores);
    if (distance(scores, next) < kConverged) {
      return next;
    }
    scores = std::move(next);
  }
}

}  // namespace

std::optional<std::string> check_pr(const csr_graph& graph, std::span<const float> scores,
                                    double tolerance) {
  if (scores.size() != graph.num_nodes()) {
    return "pr: not one score a node";
  }
  const std::vector<double> found(scores.begin(), scores.end());
  // Both comparisons are written so that a NaN score fails.
  const double change = distance(found, step(graph, found));
  if (!(change < tolerance)) {
    return "pr: not converged, a step still changes the scores by " + std::to_string(change);
  }
  // A step shrinks distances to the fixed point to at most .85 of their size, hence this bound.
  const double error = distance(found, fixed_point(graph));
  if (!(error < tolerance / (1.0 - kDamping))) {
    return "pr: the scores are " + std::to_string(error) + " from the right ones";
  }
  return std::nullopt;
}

}  // namespace fg::bench
