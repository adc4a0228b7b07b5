// A graph and those that are parts of it as one graph.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>
#include <stdexcept>
#include <string>
#include <vector>

#include "finegrain/core/errors.hpp"
#include "finegrain/graph/graph_layout.hpp"
#include "finegrain/graph/graph_nodes.hpp"
#include "finegrain/graph/graph_run.hpp"
#include "finegrain/graph/precedence.hpp"
#include "finegrain/graph/traced_calls.hpp"
#include "finegrain/trace/trace.hpp"

namespace fg::inline FINEGRAIN_ABI::detail {

/// A node with parts becomes two, between which the nodes of the parts run: so the schedule sees all of
/// them, and a part costs no call of its own. The first of the two is, in a choice, the call that
/// chooses; the nodes of its parts look whether theirs was chosen.
class flattened_graph {
 public:
  flattened_graph() = default;
  flattened_graph(const flattened_graph&) = delete;  // calls refer to it
  flattened_graph& operator=(const flattened_graph&) = delete;

  /// From scratch, in the memory that is there. Throws std::invalid_argument if a graph is a part of
  /// itself, and std::bad_alloc.
  void rebuild(const graph_layout& whole) {
    whole_ = &whole;
    is_copied_ = !whole.is_flat() || is_traced();
    used_.clear();
    run_by_nodes_.clear();
    choices_.clear();
    if (is_copied_) {
      flatten(whole);
    } else {
      run_by_nodes_ = whole.run_by_nodes();
    }
  }

  /// Afterwards `rebuild` allocates nothing for so many nodes without parts, and edges.
  void reserve(std::size_t nodes, std::size_t edges) {
    bodies_.reserve(nodes);
    origins_.reserve(nodes);
    ends_.reserve(nodes);
    edges_.reserve(edges);
  }

  /// By node, like everything of `precedence`.
  [[nodiscard]] std::span<const node_body> bodies() const noexcept {
    return is_copied_ ? bodies_ : whole_->nodes().bodies();
  }
  [[nodiscard]] std::span<const graph_edge> edges() const noexcept {
    return is_copied_ ? edges_ : whole_->edges();
  }
  /// How many words `graph_run::chosen` has.
  [[nodiscard]] std::size_t choices() const noexcept { return choices_.size(); }

  /// The graphs that its nodes run.
  [[nodiscard]] const std::vector<run_by_node>& run_by_nodes() const noexcept {
    return run_by_nodes_;
  }

  /// A part has changed since.
  [[nodiscard]] bool is_outdated() const noexcept {
    return std::ranges::any_of(
        used_, [](const used_layout& each) { return each.layout->changes() != each.changes; });
  }

  /// In one line: `whole/part`. Of a node without a name its number.
  [[nodiscard]] std::string name_of(std::uint32_t node) const {
    if (!is_copied_) {
      return whole_->nodes().name_of(node);
    }
    const origin& from = origins_[node];
    std::string name = from.layout->nodes().name_of(from.node);
    if (from.is_end) {
      name = "end of " + name;
    }
    return from.within == kNowhere ? name : name_of(from.within) + '/' + name;
  }

 private:
  static constexpr std::uint32_t kNowhere = ~std::uint32_t{0};

  // Which choice has to be which for a node to run. Without one it always does.
  struct condition {
    std::uint32_t choice = kNowhere;
    std::uint32_t part = 0;

    [[nodiscard]] bool holds(const graph_run& run) const noexcept {
      return choice == kNowhere || run.chosen[choice] == part;
    }
  };
  struct guarded_call {
    node_body body;
    condition when;
    std::uint32_t node;
  };
  struct choice_call {
    void* closure;
    std::uint32_t (*choose)(void* closure, graph_run& run);
    condition when;
    std::uint32_t index;
    std::uint32_t node;
  };
  // Where a node comes from, and the node that it is a part of.
  struct origin {
    const graph_layout* layout;
    std::uint32_t node;
    std::uint32_t within;
    bool is_end;
  };
  // A part as it was.
  struct used_layout {
    const graph_layout* layout;
    std::uint64_t changes;
  };
  // Of a node of a layout, the first and the last one of those that it has become.
  struct ends {
    std::uint32_t first;
    std::uint32_t last;
    bool has_before = false;
    bool has_after = false;
  };
  // What is true of all nodes of a part.
  struct place {
    std::uint32_t within;
    condition when;
  };

  static bool choose(void* closure, graph_run& run) {
    const choice_call& self = *static_cast<const choice_call*>(closure);
    std::uint32_t& chosen = run.chosen[self.index];
    if (!self.when.holds(run)) {
      chosen = kNoPart;
      return false;
    }
    chosen = self.choose(self.closure, run);
    return true;
  }
  static bool call_if_chosen(void* closure, graph_run& run) {
    const guarded_call& self = *static_cast<const guarded_call*>(closure);
    return self.when.holds(run) && self.body.call(self.body.closure, run);
  }
  static bool do_nothing(void* /*closure*/, graph_run& /*run*/) { return true; }

  void flatten(const graph_layout& whole) {
    bodies_.clear();
    edges_.clear();
    origins_.clear();
    guarded_.clear();
    ends_.clear();
    add_nodes_of(whole, {kNowhere, {}});
    // Only now they stay where they are.
    for (choice_call& each : choices_) {
      bodies_[each.node] = {&choose, &each};
    }
    if (is_traced()) {
      traced_.replace(bodies_, &do_nothing, [this](std::uint32_t node) { return name_of(node); });
    }
    for (guarded_call& each : guarded_) {
      each.body = bodies_[each.node];
      bodies_[each.node] = {&call_if_chosen, &each};
    }
  }

  // Leaves the ends of the part's nodes on top of `ends_`, by number.
  void add_nodes_of(const graph_layout& part, const place& at) {
    expect_not_within(part, at);
    if (at.within != kNowhere) {
      used_.push_back({&part, part.changes()});
    }
    const std::size_t base = ends_.size();
    ends_.resize(base + part.nodes().size());
    auto composite = part.composites().begin();
    for (std::uint32_t node = 0; node != part.nodes().size(); ++node) {
      if (part.nodes().is_removed(node)) {
        ends_[base + node].has_before = ends_[base + node].has_after = true;
        continue;
      }
      const std::uint32_t added = add({&part, node, at.within, false});
      bodies_.back() = part.nodes().bodies()[node];
      ends_[base + node].first = ends_[base + node].last = added;
      if (composite != part.composites().end() && composite->node == node) {
        add_parts(*composite++, at, added);
        ends_[base + node].last = static_cast<std::uint32_t>(bodies_.size() - 1);
      } else if (at.when.choice != kNowhere) {
        guarded_.push_back({{}, at.when, added});
      }
    }
    for (const run_by_node& each : part.run_by_nodes()) {
      run_by_nodes_.push_back({ends_[base + each.node].first, each.part});
    }
    for (const graph_edge& edge : part.edges()) {
      edges_.push_back({ends_[base + edge.before].last, ends_[base + edge.after].first});
      ends_[base + edge.before].has_after = true;
      ends_[base + edge.after].has_before = true;
    }
  }

  void add_parts(const composite_node& of, const place& at, std::uint32_t first) {
    place inside{first, at.when};
    if (of.choose != nullptr) {
      inside.when = {static_cast<std::uint32_t>(choices_.size()), 0};
      choices_.push_back({bodies_[first].closure, of.choose, at.when, inside.when.choice, first});
    } else {
      bodies_[first] = {&do_nothing, nullptr};
    }
    const std::size_t base = ends_.size();
    for (const graph_layout* part : of.parts) {  // several: of a choice
      add_nodes_of(*part, inside);
      ++inside.when.part;
    }
    const origin from = origins_[first];
    const std::uint32_t last = add({from.layout, from.node, from.within, true});
    edges_.push_back({first, last});
    for (std::size_t each = base; each != ends_.size(); ++each) {
      if (!ends_[each].has_before) {
        edges_.push_back({first, ends_[each].first});
      }
      if (!ends_[each].has_after) {
        edges_.push_back({ends_[each].last, last});
      }
    }
    ends_.resize(base);
  }

  std::uint32_t add(const origin& from) {
    bodies_.push_back({&do_nothing, nullptr});
    origins_.push_back(from);
    return static_cast<std::uint32_t>(bodies_.size() - 1);
  }

  void expect_not_within(const graph_layout& part, const place& at) const {
    for (std::uint32_t whole = at.within; whole != kNowhere; whole = origins_[whole].within) {
      if (origins_[whole].layout == &part) {
        detail::raise(
            std::invalid_argument{"graph: it would be a part of itself: " + name_of(at.within)});
      }
    }
  }

  const graph_layout* whole_ = nullptr;
  bool is_copied_ = false;  // otherwise it is as `whole_` has it
  std::vector<node_body> bodies_;
  std::vector<graph_edge> edges_;
  std::vector<origin> origins_;
  std::vector<choice_call> choices_;
  std::vector<guarded_call> guarded_;
  std::vector<used_layout> used_;
  std::vector<run_by_node> run_by_nodes_;
  traced_calls traced_;
  std::vector<ends> ends_;  // while it is built
};

}  // namespace fg::inline FINEGRAIN_ABI::detail
