// The nodes and edges of a graph as they were added, and the graphs that are parts of it.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <stdexcept>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

#include "finegrain/core/errors.hpp"
#include "finegrain/graph/graph_nodes.hpp"
#include "finegrain/graph/graph_run.hpp"
#include "finegrain/graph/precedence.hpp"

namespace fg::inline FINEGRAIN_ABI::detail {

class graph_layout;

/// A node in whose place the nodes of other graphs run.
struct composite_node {
  std::uint32_t node;
  /// Of a choice: calls the node's closure, which returns the number of the part that runs. Null: all
  /// parts run.
  std::uint32_t (*choose)(void* closure, graph_run& run);
  std::vector<const graph_layout*> parts;
};

/// A graph that a node runs.
struct run_by_node {
  std::uint32_t node;
  graph_core* part;
};

class graph_layout {
 public:
  graph_layout() = default;
  graph_layout(const graph_layout&) = delete;
  graph_layout& operator=(const graph_layout&) = delete;

  /// Returns the node's number.
  template <class Calls, class F>
  std::uint32_t add(std::string_view name, F&& closure) {
    nodes_.add<Calls>(name, std::forward<F>(closure));
    ++changes_;
    return static_cast<std::uint32_t>(nodes_.size() - 1);
  }
  template <class Calls, class F>
  std::uint32_t add_choice(std::string_view name, F&& choose,
                           std::vector<const graph_layout*> parts) {
    const auto call = [](void* called, graph_run& run) {
      return part_number(Calls::call(*static_cast<std::decay_t<F>*>(called), run));
    };
    make_room();
    const std::uint32_t node = add<Calls>(name, std::forward<F>(choose));
    composites_.push_back({node, call, std::move(parts)});
    return node;
  }
  std::uint32_t add_part(std::string_view name, const graph_layout& part) {
    std::vector<const graph_layout*> parts{&part};
    make_room();
    const std::uint32_t node = add<frame_calls<>>(name, [] {});
    composites_.push_back({node, nullptr, std::move(parts)});
    return node;
  }
  /// Adds a node whose closure, called with the run, runs `part`.
  template <class F>
  std::uint32_t add_runner(std::string_view name, F&& closure, graph_core& part) {
    run_by_nodes_.reserve(run_by_nodes_.size() + 1);
    const std::uint32_t node = add<run_calls>(name, std::forward<F>(closure));
    run_by_nodes_.push_back({node, &part});
    return node;
  }

  /// From now on so many can be added, without allocation. Requires: there are none.
  void reserve(std::size_t nodes, std::size_t edges, std::size_t bytes) {
    edges_.reserve(edges);
    nodes_.reserve(nodes, bytes);
    most_edges_ = edges;
  }

  void connect(const graph_edge& edge) {
    if (edges_.size() == most_edges_) {
      detail::raise(
          std::length_error{"graph: only " + std::to_string(most_edges_) + " edges are reserved"});
    }
    edges_.push_back(edge);
    ++changes_;
  }
  /// False: there is no such edge.
  bool disconnect(const graph_edge& edge) noexcept {
    ++changes_;
    return std::erase(edges_, edge) != 0;
  }
  /// And its edges. O(n + e).
  void remove(std::uint32_t node) noexcept {
    ++changes_;
    nodes_.remove(node);
    has_gaps_ = true;
    std::erase_if(edges_, [node](const graph_edge& each) {
      return each.before == node || each.after == node;
    });
    std::erase_if(composites_, [node](const composite_node& each) { return each.node == node; });
    std::erase_if(run_by_nodes_, [node](const run_by_node& each) { return each.node == node; });
  }
  void clear() noexcept {
    ++changes_;
    ++clears_;
    nodes_.clear();
    has_gaps_ = false;
    edges_.clear();
    composites_.clear();
    run_by_nodes_.clear();
  }

  /// Its nodes and edges are those that run: no parts, and none is taken out.
  [[nodiscard]] bool is_flat() const noexcept { return composites_.empty() && !has_gaps_; }
  [[nodiscard]] bool has(std::size_t node) const noexcept {
    return node < nodes_.size() && !nodes_.is_removed(node);
  }
  [[nodiscard]] const graph_nodes& nodes() const noexcept { return nodes_; }
  [[nodiscard]] const std::vector<graph_edge>& edges() const noexcept { return edges_; }
  /// By number of the node.
  [[nodiscard]] const std::vector<composite_node>& composites() const noexcept {
    return composites_;
  }
  [[nodiscard]] const std::vector<run_by_node>& run_by_nodes() const noexcept {
    return run_by_nodes_;
  }
  /// How often all nodes were taken out, modulo 2^32: numbers mean other nodes since.
  [[nodiscard]] std::uint32_t clears() const noexcept { return clears_; }
  /// Rises with each change.
  [[nodiscard]] std::uint64_t changes() const noexcept { return changes_; }

 private:
  // For one more: then it cannot fail after its node was added.
  void make_room() {
    if (composites_.size() == composites_.capacity()) {
      composites_.reserve(2 * composites_.size() + 1);
    }
  }

  static constexpr std::uint32_t part_number(bool is_first) noexcept { return is_first ? 0 : 1; }
  template <class Number>
  static constexpr std::uint32_t part_number(Number number) noexcept {
    return std::in_range<std::uint32_t>(number) ? static_cast<std::uint32_t>(number) : kNoPart;
  }

  graph_nodes nodes_;
  std::vector<graph_edge> edges_;
  std::size_t most_edges_ = ~std::size_t{0};
  std::vector<composite_node> composites_;
  std::vector<run_by_node> run_by_nodes_;
  bool has_gaps_ = false;  // numbers of nodes that were removed
  std::uint32_t clears_ = 0;
  std::uint64_t changes_ = 0;
};

}  // namespace fg::inline FINEGRAIN_ABI::detail
