// SPDX-License-Identifier: Apache-2.0
#include "programs/graph/graph_nodes.hpp"

#include <algorithm>
#include <cmath>
#include <iterator>
#include <string>
#include <utility>

#include "finegrain/host/affinity.hpp"
#include "programs/frame/program_errors.hpp"

namespace fg::bench {

void graph_node::look_around() noexcept {
  const auto own = static_cast<std::size_t>(this - graph_->nodes_.data());
  for (const std::uint32_t before : graph_->shape_.predecessors[own]) {
    was_early_ |= graph_->nodes_[before].runs_ != runs_ + 1;
  }
  cpu_ = current_cpu();
  if (delay_ != 0) {
    const std::uint64_t chance = kLcgFactor * (runs_ * graph_->nodes_.size() + own) + kLcgTerm;
    result_ = walk_lcg_chain(chance, (chance >> 33U) % delay_);
  }
}

graph_nodes::graph_nodes(graph_shape shape, double steps)
    : shape_{std::move(shape)}, nodes_(shape_.weights.size()) {
  for (std::size_t at = 0; at < size(); ++at) {
    const double own = steps == 0 ? 0 : std::max(1.0, std::round(steps * shape_.weights[at]));
    nodes_[at].steps_ = static_cast<std::uint64_t>(own);
    nodes_[at].graph_ = this;
  }
}

void graph_nodes::watch(bool is_watched, std::uint64_t delay) noexcept {
  for (graph_node& each : nodes_) {
    each.is_watched_ = is_watched;
    each.delay_ = delay;
  }
}

void graph_nodes::check(std::uint64_t runs) const {
  for (std::size_t at = 0; at < size(); ++at) {
    const graph_node& each = nodes_[at];
    const std::string name = "node " + std::to_string(at) + " of " + std::to_string(size());
    if (each.runs_ != runs) {
      throw wrong_result(name + " ran " + std::to_string(each.runs_) + " times in " +
                         std::to_string(runs) + " runs");
    }
    if (each.was_early_) {
      throw wrong_result(name + " began before one that precedes it had ended");
    }
    if (each.steps_ != 0 && each.result_ != jump_lcg_chain(runs - 1, each.steps_)) {
      throw wrong_result(name + " has another result");
    }
  }
}

std::vector<int> graph_nodes::cpus() const {
  std::vector<int> found;
  std::ranges::transform(nodes_, std::back_inserter(found), &graph_node::cpu_);
  return found;
}

}  // namespace fg::bench
