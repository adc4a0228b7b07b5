// Random graphs with parts and choices whose nodes compute something that depends on all that precede
// them, and on where they are.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <random>
#include <string>
#include <vector>

#include "finegrain/graph/graph.hpp"

namespace fg::test {

/// Each node hashes the values of its predecessors; one in a part also those of the predecessors of
/// the part, and one after a part all values in it. A choice chooses by its hash.
class composite_graph {
 public:
  /// With an odd seed the nodes are so long that sharing them pays.
  explicit composite_graph(std::uint32_t seed) : composite_graph{seed + 1, 3, seed % 2 == 1} {}
  composite_graph(const composite_graph&) = delete;
  composite_graph& operator=(const composite_graph&) = delete;

  fg::graph& graph() noexcept { return graph_; }

  /// After a run: whether the values are those of as many runs in serial code.
  [[nodiscard]] bool is_right() {
    run_serially();
    return equals();
  }

 private:
  enum values : std::size_t { kRun, kExpected };
  struct node {
    std::uint64_t value[2]{};
    std::vector<std::uint32_t> before;
    std::vector<composite_graph*> parts;
    bool is_choice = false;
    fg::graph::node handle{};
  };

  composite_graph(std::uint32_t seed, int depth, bool is_long) {
    std::minstd_rand dice{seed};
    const auto roll = [&dice](std::uint32_t sides) {
      return static_cast<std::uint32_t>(dice()) % sides;
    };
    nodes_.resize(roll(depth == 3 ? 8 : 5));
    for (std::uint32_t at = 0; at != nodes_.size(); ++at) {
      node& added = nodes_[at];
      const std::uint32_t kind = depth == 0 ? 0 : roll(4);
      const std::size_t parts = kind == 2 ? 1 : kind == 3 ? 1 + roll(3) : 0;
      for (std::size_t part = 0; part != parts; ++part) {
        inner_.push_back(std::unique_ptr<composite_graph>(
            new composite_graph{static_cast<std::uint32_t>(dice()), depth - 1, is_long}));
        inner_.back()->outer_ = this;
        inner_.back()->within_ = at;
        added.parts.push_back(inner_.back().get());
      }
      const auto run = [this, at, is_long] {
        const auto end =
            std::chrono::steady_clock::now() + std::chrono::microseconds{is_long ? 3 : 0};
        compute(at, kRun);
        while (std::chrono::steady_clock::now() < end) {
        }
      };
      const auto choose = [this, at, run] {
        run();
        return choice_of(at, kRun);
      };
      added.is_choice = kind == 3;
      if (kind == 2) {
        added.handle = graph_.add_graph("part", added.parts[0]->graph_);
      } else if (parts == 1) {
        added.handle = graph_.add_choice("choice", choose, added.parts[0]->graph_);
      } else if (parts == 2) {
        added.handle =
            graph_.add_choice("choice", choose, added.parts[0]->graph_, added.parts[1]->graph_);
      } else if (parts == 3) {
        added.handle = graph_.add_choice("choice", choose, added.parts[0]->graph_,
                                         added.parts[1]->graph_, added.parts[2]->graph_);
      } else {
        added.handle = graph_.add(run);
      }
    }
    for (std::uint32_t at = 0; at != nodes_.size(); ++at) {
      in_order_.push_back(at);
    }
    std::shuffle(in_order_.begin(), in_order_.end(), dice);
    for (std::uint32_t after = 1; after < in_order_.size(); ++after) {
      for (std::uint32_t edges = roll(3); edges != 0; --edges) {
        const std::uint32_t before = in_order_[roll(after)];
        nodes_[before].handle.precede(nodes_[in_order_[after]].handle);
        nodes_[in_order_[after]].before.push_back(before);
      }
    }
  }

  static std::uint64_t mix(std::uint64_t hash, std::uint64_t value) {
    return (hash ^ value) * 0x9e3779b97f4a7c15U;
  }
  // What precedes a node: in its graph, and before the node that this is a part of.
  [[nodiscard]] std::uint64_t hash_before(std::uint32_t at, values which) const {
    std::uint64_t hash = at + 1;
    for (const std::uint32_t before : nodes_[at].before) {
      hash = mix(hash, nodes_[before].value[which]);
      for (const composite_graph* part : nodes_[before].parts) {
        hash = mix(hash, part->hash_of_all(which));
      }
    }
    return outer_ == nullptr
               ? hash
               : mix(mix(hash, outer_->hash_before(within_, which)),
                     outer_->nodes_[within_].is_choice ? outer_->nodes_[within_].value[which] : 0);
  }
  [[nodiscard]] std::uint64_t hash_of_all(values which) const {
    std::uint64_t hash = 0;
    for (const node& each : nodes_) {
      hash = mix(hash, each.value[which]);
      for (const composite_graph* part : each.parts) {
        hash = mix(hash, part->hash_of_all(which));
      }
    }
    return hash;
  }
  void compute(std::uint32_t at, values which) {
    nodes_[at].value[which] = mix(hash_before(at, which), 3 * nodes_[at].value[which]);
  }
  // One more than there are: none.
  [[nodiscard]] std::size_t choice_of(std::uint32_t at, values which) const {
    return (nodes_[at].value[which] >> 32U) % (nodes_[at].parts.size() + 1);
  }

  void run_serially() {
    for (const std::uint32_t at : in_order_) {
      node& each = nodes_[at];
      if (each.is_choice || each.parts.empty()) {
        compute(at, kExpected);
      }
      const std::size_t chosen = each.is_choice ? choice_of(at, kExpected) : 0;
      if (chosen < each.parts.size()) {
        each.parts[chosen]->run_serially();
      }
    }
  }
  [[nodiscard]] bool equals() const {
    return std::ranges::all_of(nodes_, [](const node& each) {
      return each.value[kRun] == each.value[kExpected] &&
             std::ranges::all_of(each.parts,
                                 [](const composite_graph* part) { return part->equals(); });
    });
  }

  fg::graph graph_;
  std::vector<node> nodes_;
  std::vector<std::uint32_t> in_order_;
  std::vector<std::unique_ptr<composite_graph>> inner_;
  composite_graph* outer_ = nullptr;
  std::uint32_t within_ = 0;
};

}  // namespace fg::test
