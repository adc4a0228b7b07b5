// SPDX-License-Identifier: Apache-2.0
#include "kernels/pr/pr_kernel.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

#include "kernels/pr/pr_check.hpp"

namespace fg::bench {
namespace {

constexpr float kDamping = 0.85F;

}  // namespace

pr_kernel::pr_kernel(csr_graph graph, pr_limits limits)
    : graph_(std::move(graph)),
      limits_(limits),
      scores_(graph_.num_nodes()),
      contributions_(graph_.num_nodes()) {
  clear();
}

void pr_kernel::run() noexcept {
  start();
  for (unsigned i = 0; i < limits_.max_iterations; ++i) {
    if (sweep() < limits_.tolerance) {
      break;
    }
  }
}

void pr_kernel::start() noexcept {
  const float score = 1.0F / static_cast<float>(graph_.num_nodes());
  for (node_id node = 0; node < graph_.num_nodes(); ++node) {
    scores_[node] = score;
    contributions_[node] = contribution(node, score);
  }
}

/// One iteration. Returns the sum of all changes.
double pr_kernel::sweep() noexcept {
  const float base = (1.0F - kDamping) / static_cast<float>(graph_.num_nodes());
  double change = 0.0;
  for (node_id node = 0; node < graph_.num_nodes(); ++node) {
    float incoming = 0.0F;
    for (const node_id neighbor : graph_.neighbors(node)) {
      incoming += contributions_[neighbor];
    }
    const float score = base + (kDamping * incoming);
    change += static_cast<double>(std::fabs(score - scores_[node]));
    scores_[node] = score;
    contributions_[node] = contribution(node, score);
  }
  return change;
}

float pr_kernel::contribution(node_id node, float score) const noexcept {
  // The contribution of a node without neighbours is never read; this only avoids dividing by 0.
  return score / static_cast<float>(std::max(graph_.degree(node), 1U));
}

std::optional<std::string> pr_kernel::check() const {
  return check_pr(graph_, scores(), limits_.tolerance);
}

void pr_kernel::clear() noexcept { std::fill_n(scores_.data(), scores_.size(), -1.0F); }

}  // namespace fg::bench
