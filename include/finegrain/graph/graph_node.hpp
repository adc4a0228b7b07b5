// What programs call a node of a graph by.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <iterator>
#include <stdexcept>
#include <string>
#include <type_traits>

#include "finegrain/core/errors.hpp"
#include "finegrain/graph/graph_core.hpp"

namespace fg::inline FINEGRAIN_ABI {

/// Names a node of a graph, as long as the graph has it: two words.
class graph_node {
 public:
  /// No node.
  graph_node() noexcept = default;

  /// This node ends before each of `others`, nodes or ranges of nodes, begins. What is said twice
  /// counts once. Throws std::invalid_argument for a node of another graph, or none, and
  /// std::bad_alloc.
  template <class... Nodes>
  void precede(const Nodes&... others) const {
    (for_each_node(others, [this](const graph_node& other) { connect(*this, other); }), ...);
  }
  /// This node begins after each of `others` has ended. Otherwise the same.
  template <class... Nodes>
  void succeed(const Nodes&... others) const {
    (for_each_node(others, [this](const graph_node& other) { connect(other, *this); }), ...);
  }
  /// As given to `add`, or its number in the order of addition: `#0`. Requires: a node.
  [[nodiscard]] std::string name() const { return owner_->layout().nodes().name_of(index_); }

  friend bool operator==(const graph_node&, const graph_node&) = default;

 private:
  template <class... Frame>
  friend class basic_graph;

  graph_node(detail::graph_core& owner, std::size_t index) noexcept
      : owner_{&owner},
        index_{static_cast<std::uint32_t>(index)},
        clears_{owner.layout().clears()} {}

  template <class Nodes>
  static consteval bool expect_range_of_nodes() {
    constexpr bool kIsOne = requires(const Nodes& nodes) {
      *std::begin(nodes) == graph_node{};
      std::end(nodes);
    };
    static_assert(kIsOne,
                  "finegrain: an edge is to a node of a graph, or to each of a range of them");
    return kIsOne;
  }
  template <class Nodes, class Call>
  static void for_each_node(const Nodes& nodes, Call call) {
    if constexpr (std::is_same_v<Nodes, graph_node>) {
      call(nodes);
    } else if constexpr (expect_range_of_nodes<Nodes>()) {
      for (const graph_node& each : nodes) {
        call(each);
      }
    }
  }
  static void connect(const graph_node& before, const graph_node& after) {
    before.expect_with(after);
    before.owner_->change().connect({before.index_, after.index_});
  }
  [[nodiscard]] bool is_in(const detail::graph_core& graph) const noexcept {
    return owner_ == &graph && clears_ == graph.layout().clears() && graph.layout().has(index_);
  }
  // Both are there, in one graph.
  void expect_with(const graph_node& other) const {
    if (owner_ == nullptr || !is_in(*owner_) || !other.is_in(*owner_)) {
      detail::raise(std::invalid_argument{
          "graph: an edge is between two nodes of one graph, neither of which was removed"});
    }
  }

  detail::graph_core* owner_ = nullptr;
  std::uint32_t index_ = 0;
  std::uint32_t clears_ = 0;  // of the graph before it was added
};

}  // namespace fg::inline FINEGRAIN_ABI
