// A graph of tasks that is built once and run any number of times.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <stdexcept>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include "finegrain/core/errors.hpp"
#include "finegrain/core/stop_token.hpp"
#include "finegrain/graph/compiled_graph.hpp"
#include "finegrain/graph/early_end.hpp"
#include "finegrain/graph/explained.hpp"
#include "finegrain/graph/graph_node.hpp"
#include "finegrain/graph/pool_team.hpp"
#include "finegrain/graph/precedence.hpp"
#include "finegrain/graph/relic_team.hpp"
#include "finegrain/graph/replay.hpp"
#include "finegrain/pool/pool.hpp"
#include "finegrain/pool/worker.hpp"
#include "finegrain/relic/relic_like.hpp"

namespace fg::inline FINEGRAIN_ABI {

/// Tasks, the nodes, and which of them run before which, the edges. Built once, run often:
///
///     fg::graph graph;
///     const auto read = graph.add("read", [&] { block = next_block(); });
///     const auto left = graph.add("left", [&] { filter(block.left); });
///     const auto right = graph.add("right", [&] { filter(block.right); });
///     const auto mix = graph.add("mix", [&] { out = mixed(block); });
///     read.precede(left, right);
///     mix.succeed(left, right);
///     while (playing) {
///       graph.run(relic);   // or a pool
///     }
///
/// Each run calls every node once, after all that precede it. What a node has written is visible to
/// those that it precedes, and what all have written to the caller of `run`.
///
/// **It learns.** The graph measures its nodes in the first runs, and now and then later. A run stays
/// on the calling thread, in one loop over the nodes, unless sharing it was measured to be faster: see
/// controller/call_site.hpp. On a relic, and on a pool of two workers, it is then divided into two
/// lanes, one a thread (graph/lane_schedule.hpp), that wait for each other only where an edge crosses
/// from one to the other: there is no queue, and a crossing costs the transfer of one cache line. On
/// larger pools a node is a task for whichever worker takes it. `explain` says what it does, and why.
///
/// Runs allocate nothing but the first one, and the first one after a change.
///
/// One thread at a time may use a graph; it need not be the same one. Nodes do not use it.
class graph {
 public:
  graph() = default;
  graph(const graph&) = delete;
  graph& operator=(const graph&) = delete;

  /// A node of a graph, to name it by: two words, as long as the graph lives.
  class node {
   public:
    /// This node ends before each of `others`, nodes of the same graph, begins. What is said twice
    /// counts once. Throws std::bad_alloc.
    template <class... Nodes>
      requires(std::is_same_v<Nodes, node> && ...)
    void precede(const Nodes&... others) const {
      (owner_->add_edge(*this, others), ...);
    }
    /// This node begins after each of `others` has ended.
    template <class... Nodes>
      requires(std::is_same_v<Nodes, node> && ...)
    void succeed(const Nodes&... others) const {
      (owner_->add_edge(others, *this), ...);
    }
    /// As given to `add`, or its number in the order of addition: `#0`.
    [[nodiscard]] std::string name() const { return owner_->name_of(index_); }

   private:
    friend class graph;
    node(graph& owner, std::size_t index) noexcept
        : owner_{&owner}, index_{static_cast<std::uint32_t>(index)} {}
    graph* owner_;
    std::uint32_t index_;
  };

  /// Adds a node that calls a copy of `closure`, a callable without arguments, whose result is
  /// dropped. The name is for errors and `explain`. Up to 2^32 nodes. Throws std::bad_alloc and what
  /// copying the closure throws; then nothing was added.
  template <class F>
    requires std::is_invocable_v<std::decay_t<F>&>
  node add(std::string name, F&& closure) {
    nodes_.emplace_back(std::move(name), std::forward<F>(closure));
    compiled_.reset();
    return {*this, nodes_.size() - 1};
  }
  /// The same without a name.
  template <class F>
    requires std::is_invocable_v<std::decay_t<F>&>
  node add(F&& closure) {
    return add(std::string{}, std::forward<F>(closure));
  }

  [[nodiscard]] std::size_t size() const noexcept { return nodes_.size(); }

  /// Runs the graph, on the thread and assistant of `relic` or the workers of `pool`, and returns when
  /// all nodes have ended. If nodes throw, those that have not begun are dropped, and the first
  /// exception is rethrown; the graph can be run again. Throws std::invalid_argument, naming the
  /// nodes, if some of them wait for each other, and std::bad_alloc, before any node begins.
  ///
  /// On a relic: on any thread but its main one, and in its tasks, all nodes run on the calling
  /// thread. Nodes may call `fork_join` and loops on the relic, which then run where they are called
  /// while the graph is shared; other calls of the relic are not for nodes.
  ///
  /// On a pool: on a thread that does not work in it, within `pool.run`. Nodes may use everything that
  /// a task may.
  template <relic_like Relic>
  void run(Relic& relic) {
    detail::compiled_graph& plan = compiled();
    plan.run_by(&relic);
    detail::replay(plan, detail::relic_team<Relic>{relic});
  }
  void run(pool& workers) {
    detail::compiled_graph& plan = compiled();
    plan.run_by(&workers);
    workers.run([&plan] {
      if (worker* const self = worker::current()) {
        detail::replay(plan, detail::pool_team{*self});
      } else {  // there is no place for this thread
        plan.run_here<false>();
      }
    });
  }

  /// The same unless `stop` is requested: nodes that have not begun by then are dropped, and the
  /// result is false.
  template <class Executor>
    requires(relic_like<Executor> || std::is_same_v<Executor, pool>)
  bool run(Executor& executor, const stop_token& stop) {
    const stoppable_run run_now{compiled(), stop};
    run(executor);
    return !stop.stop_requested();
  }

  /// Runs all nodes on the calling thread, in an order that the edges allow: of those that may run,
  /// the one that was added first. Otherwise as above.
  void run() { compiled().run_here<false>(); }

  /// What is known about the graph: for each node the time and lane, and whether the last executor
  /// shares it. For people; the form may change. Throws as `run` does.
  [[nodiscard]] std::string explain() {
    return explained().text(compiled().site().hands_over() ? "shared"
                                                           : "kept on the calling thread");
  }
  /// The same as a picture, in the language of Graphviz: the lanes are colours, crossings dashed.
  [[nodiscard]] std::string dot() { return explained().dot(); }

 private:
  // A run that `stop` may end.
  struct stoppable_run {
    struct setter {
      detail::early_end& end;
      void operator()() const noexcept { end.set(); }
    };
    stoppable_run(detail::compiled_graph& which, const stop_token& stop) : graph{which} {
      graph.allow_stop(true);
      asked.emplace(stop, setter{graph.end()});
    }
    ~stoppable_run() {
      asked.reset();
      graph.allow_stop(false);
    }
    stoppable_run(const stoppable_run&) = delete;
    stoppable_run& operator=(const stoppable_run&) = delete;

    detail::compiled_graph& graph;
    std::optional<stop_callback<setter>> asked;
  };

  FINEGRAIN_CHECKED_FUNCTION void add_edge(const node& before, const node& after) {
    FINEGRAIN_EXPECTS(before.owner_ == this && after.owner_ == this,
                      "an edge is between two nodes of one graph");
    edges_.push_back({before.index_, after.index_});
    compiled_.reset();
  }

  [[nodiscard]] std::string name_of(std::uint32_t index) const {
    return detail::name_of(nodes_, index);
  }

  detail::compiled_graph& compiled() {
    if (compiled_ == nullptr) [[unlikely]] {
      compile();
    }
    return *compiled_;
  }

  [[gnu::noinline]] void compile() {
    detail::precedence edges{nodes_.size(), edges_};
    if (edges.has_cycle()) {
      detail::raise(std::invalid_argument{"graph: these nodes wait for each other: " +
                                          detail::path_of_cycle(nodes_, edges.cycle())});
    }
    std::vector<detail::node_body> bodies;
    bodies.reserve(nodes_.size());
    for (const detail::graph_node& node : nodes_) {
      bodies.push_back(node.body());
    }
    compiled_ = std::make_unique<detail::compiled_graph>(std::move(edges), std::move(bodies));
  }

  detail::explained_graph explained() {
    const detail::compiled_graph& known = compiled();
    return {nodes_, known.edges(), known.times(), known.schedule()};
  }

  std::vector<detail::graph_node> nodes_;
  std::vector<detail::graph_edge> edges_;
  std::unique_ptr<detail::compiled_graph> compiled_;  // null: there were changes since
};

}  // namespace fg::inline FINEGRAIN_ABI
