// Random graphs whose nodes compute something that depends on all that precede them.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <random>
#include <string>
#include <vector>

#include "finegrain/graph/graph.hpp"

namespace fg::test {

/// Each node hashes the values of its predecessors and the number of the run into its own: a node
/// that runs too early, twice or not at all makes it wrong.
class random_graph {
 public:
  /// Of up to `most_nodes`, of all densities, added in an order that is none of those that the edges
  /// allow.
  explicit random_graph(std::uint32_t seed, std::uint32_t most_nodes = 40) {
    std::minstd_rand dice{seed + 1};
    const std::uint32_t nodes = 1 + static_cast<std::uint32_t>(dice()) % most_nodes;
    const std::uint32_t density = 1 + static_cast<std::uint32_t>(dice()) % 8;
    predecessors_.resize(nodes);
    values_.resize(nodes);
    std::vector<std::uint32_t> number(nodes);  // by place in one order that the edges allow
    for (std::uint32_t node = 0; node != nodes; ++node) {
      number[node] = node;
      handles_.push_back(graph_.add([this, node] { compute(node); }));
    }
    std::shuffle(number.begin(), number.end(), dice);
    for (std::uint32_t after = 1; after < nodes; ++after) {
      for (std::uint32_t edge = static_cast<std::uint32_t>(dice()) % density; edge != 0; --edge) {
        const std::uint32_t before = static_cast<std::uint32_t>(dice()) % after;
        handles_[number[before]].precede(handles_[number[after]]);
        predecessors_[number[after]].push_back(number[before]);
      }
    }
    in_order_ = number;
  }
  random_graph(const random_graph&) = delete;
  random_graph& operator=(const random_graph&) = delete;

  fg::graph& graph() noexcept { return graph_; }

  /// After a run: empty, or which node has another value than after as many runs in serial code.
  std::string wrong() {
    expected_.resize(values_.size());
    for (const std::uint32_t node : in_order_) {
      expected_[node] = hash_of(node, expected_);
    }
    for (std::size_t node = 0; node != values_.size(); ++node) {
      if (values_[node] != expected_[node]) {
        return "node " + std::to_string(node) + " of " + std::to_string(values_.size());
      }
    }
    return {};
  }

 private:
  void compute(std::uint32_t node) { values_[node] = hash_of(node, values_); }

  [[nodiscard]] std::uint64_t hash_of(std::uint32_t node,
                                      const std::vector<std::uint64_t>& values) const {
    std::uint64_t hash = 3 * values[node] + node + 1;
    for (const std::uint32_t before : predecessors_[node]) {
      hash = (hash ^ values[before]) * 0x9e3779b97f4a7c15U;
    }
    return hash;
  }

  fg::graph graph_;
  std::vector<fg::graph::node> handles_;
  std::vector<std::vector<std::uint32_t>> predecessors_;  // by node
  std::vector<std::uint32_t> in_order_;
  std::vector<std::uint64_t> values_;  // by node
  std::vector<std::uint64_t> expected_;
};

}  // namespace fg::test
