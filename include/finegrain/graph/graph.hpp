// A graph of tasks that is built once and run any number of times.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <stdexcept>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

#include "finegrain/core/atomic.hpp"
#include "finegrain/core/errors.hpp"
#include "finegrain/core/stop_token.hpp"
#include "finegrain/graph/compiled_graph.hpp"
#include "finegrain/graph/early_end.hpp"
#include "finegrain/graph/explained.hpp"
#include "finegrain/graph/flattened_graph.hpp"
#include "finegrain/graph/graph_layout.hpp"
#include "finegrain/graph/graph_nodes.hpp"
#include "finegrain/graph/graph_run.hpp"
#include "finegrain/graph/inner_runs.hpp"
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
/// One thread at a time may use a graph; it need not be the same one. While it runs neither its nodes
/// nor other threads may use it: that is a std::logic_error, if it is noticed.
class graph {
 public:
  graph() = default;
  graph(const graph&) = delete;  // its nodes know where it is
  graph& operator=(const graph&) = delete;

  /// Names a node of a graph, as long as the graph lives: two words.
  class node {
   public:
    /// No node.
    node() noexcept = default;

    /// This node ends before each of `others`, nodes or ranges of nodes, begins. What is said twice
    /// counts once. Throws std::invalid_argument for a node of another graph, or none, and
    /// std::bad_alloc.
    template <class... Nodes>
    void precede(const Nodes&... others) const {
      (for_each_node(others, [this](const node& other) { connect(*this, other); }), ...);
    }
    /// This node begins after each of `others` has ended. Otherwise the same.
    template <class... Nodes>
    void succeed(const Nodes&... others) const {
      (for_each_node(others, [this](const node& other) { connect(other, *this); }), ...);
    }
    /// As given to `add`, or its number in the order of addition: `#0`. Requires: a node.
    [[nodiscard]] std::string name() const { return owner_->layout_.nodes().name_of(index_); }

    friend bool operator==(const node&, const node&) = default;

   private:
    friend class graph;
    node(graph& owner, std::size_t index) noexcept
        : owner_{&owner}, index_{static_cast<std::uint32_t>(index)} {}

    template <class Nodes, class Call>
    static void for_each_node(const Nodes& nodes, Call call) {
      if constexpr (std::is_same_v<Nodes, node>) {
        call(nodes);
      } else {
        for (const node& each : nodes) {
          call(each);
        }
      }
    }
    static void connect(const node& before, const node& after) {
      before.expect_with(after);
      before.owner_->change().connect({before.index_, after.index_});
    }
    // Both are there, in one graph.
    void expect_with(const node& other) const {
      if (owner_ == nullptr || owner_ != other.owner_ || !is_there() || !other.is_there()) {
        detail::raise(std::invalid_argument{"graph: an edge is between two nodes of one graph"});
      }
    }
    [[nodiscard]] bool is_there() const noexcept { return owner_->has(index_); }

    graph* owner_ = nullptr;
    std::uint32_t index_ = 0;
  };

  /// Adds a node that calls a copy of `closure`, a callable without arguments, of any size, whose
  /// result is dropped. The name is for errors and `explain`. Up to 2^32 nodes. Throws std::bad_alloc
  /// and what copying the closure throws; then nothing was added.
  template <class F>
  node add(std::string_view name, F&& closure) {
    expect_callable<F>();
    return {*this, change().add<detail::no_frame>(name, std::forward<F>(closure))};
  }
  /// The same without a name.
  template <class F>
  node add(F&& closure) {
    return add(std::string_view{}, std::forward<F>(closure));
  }

  /// Adds a node in whose place all nodes of `part` run, as if they had been added here: it costs no
  /// run of its own. What is changed in `part` later changes this graph, too. One graph can be a part
  /// several times; its nodes are then called as often, at the same time where no edges order them.
  /// Requires: `part` lives as long as this graph, and is not used while this one runs.
  node add_graph(std::string_view name, const graph& part) {
    return {*this, change().add_part(name, part.layout_)};
  }

  /// Adds a node that calls a copy of `choose`, and in whose place the nodes of one of `parts` run:
  /// `choose()` returns its number, counted from 0, or true for the first part and false for the
  /// second one. With another number none of them runs. Those that this node precedes begin in any
  /// case. Otherwise as `add_graph`.
  template <class F, std::same_as<graph>... Parts>
  node add_choice(std::string_view name, F&& choose, const Parts&... parts) {
    expect_callable<F>();
    static_assert(std::is_integral_v<std::invoke_result_t<std::decay_t<F>&>>,
                  "finegrain: a choice returns the number of the part that runs, or a bool");
    return {*this, change().add_choice<detail::no_frame>(name, std::forward<F>(choose),
                                                         {&parts.layout_...})};
  }

  /// Adds a node that calls a copy of `again` and runs `part` as long as `again()` returns true. In
  /// each round `part` learns, as if the same relic or pool ran it: it is shared where that pays and
  /// this graph is not shared on the relic at the time. A stop request ends the loop after the round.
  /// Requires: as `add_graph`.
  template <class F>
  node add_loop(std::string_view name, F&& again, graph& part) {
    expect_callable<F>();
    using loop = detail::part_loop<detail::no_frame, std::decay_t<F>>;
    return {*this, change().add_runner(name, loop{std::forward<F>(again), part}, part)};
  }

  /// Takes a node out, and its edges. The others keep their numbers. Throws std::invalid_argument if
  /// it is not one of this graph. O(n + e).
  void remove(const node& gone) {
    if (gone.owner_ != this || !has(gone.index_)) {
      detail::raise(std::invalid_argument{"graph: it has no such node to remove"});
    }
    change().remove(gone.index_);
  }
  /// Takes an edge out. False: there was none. Throws as `precede`. O(e).
  bool remove_edge(const node& before, const node& after) {
    before.expect_with(after);
    return before.owner_->change().disconnect({before.index_, after.index_});
  }
  /// Takes all nodes out. What named them must not be used any more.
  void clear() { change().clear(); }

  /// How many nodes were added since the last `clear`, removed ones included.
  [[nodiscard]] std::size_t size() const noexcept { return layout_.nodes().size(); }

  /// The node that was added after `number` others. Throws std::out_of_range if there is none, or
  /// it was removed.
  [[nodiscard]] node at(std::size_t number) {
    if (number >= size() || !has(number)) {
      detail::raise(std::out_of_range{"graph: there is no such node"});
    }
    return {*this, number};
  }

  /// Does now what the next run would do first, as there were changes: it allocates, and throws
  /// std::invalid_argument, naming the nodes, if some of them wait for each other, and
  /// std::bad_alloc. Runs call it themselves.
  void prepare() { static_cast<void>(compiled()); }

  /// Runs the graph, on the thread and assistant of a relic or the workers of a pool, and returns when
  /// all nodes have ended. If nodes throw, those that have not begun are dropped, and the first
  /// exception is rethrown; the graph can be run again. Throws what `prepare` throws, before any node
  /// begins.
  ///
  /// On a relic: on any thread but its main one, and in its tasks, all nodes run on the calling
  /// thread. Nodes may call `fork_join` and loops on the relic, which then run where they are called
  /// while the graph is shared. They must not call `submit`, `fork` or `wait`: these could wait for
  /// the nodes themselves.
  ///
  /// On a pool: on a thread that does not work in it, within `pool.run`. Nodes may use everything that
  /// a task may.
  template <relic_like Relic>
  void run(Relic& runner) {
    const run_of now{*this};
    run_in(runner);
  }
  void run(pool& workers) {
    const run_of now{*this};
    run_in(workers);
  }

  /// The same. If `stop` is requested, nodes that have not begun by then are dropped, and the result
  /// is false.
  template <class Executor>
    requires(relic_like<Executor> || std::is_same_v<Executor, pool>)
  bool run(Executor& executor, const stop_token& stop) {
    const run_of now{*this};
    const stoppable_run asked{compiled_, stop};
    run_in(executor);
    return !stop.stop_requested();
  }

  /// Runs all nodes on the calling thread, in an order that the edges allow: of those that may run,
  /// the one that was added first. Otherwise as above.
  void run() {
    const run_of now{*this};
    compiled_.run_alone([](detail::graph_run& /*run*/, graph& part) { part.run(); });
  }

  /// What is known about the graph: whether the last executor shares it, the time of each node and
  /// its lane. For people; the form may change. Throws what `prepare` throws.
  [[nodiscard]] std::string explain() {
    detail::compiled_graph& plan = compiled();
    return explained(plan).text(plan.decision(), plan.is_in_lanes());
  }
  /// The same as a picture, in the language of Graphviz: the lanes are colours, crossings dashed.
  [[nodiscard]] std::string dot() {
    detail::compiled_graph& plan = compiled();
    return explained(plan).dot(plan.is_in_lanes());
  }

 private:
  template <class F>
  static constexpr void expect_callable() {
    static_assert(detail::no_frame::may_call<std::decay_t<F>>,
                  "finegrain: a node is called without arguments; let a lambda capture them");
  }

  [[nodiscard]] bool has(std::size_t number) const noexcept {
    return number < layout_.nodes().size() && !layout_.nodes().is_removed(number);
  }
  // To change it.
  detail::graph_layout& change() {
    expect_unused();
    return layout_;
  }

  // While it lives the graph runs. It may run. Both stores are relaxed: see expect_unused.
  class run_of {
   public:
    explicit run_of(graph& which) : graph_{which} {
      graph_.prepare();
      graph_.runs_.store(true, memory_order_relaxed);
    }
    ~run_of() { graph_.runs_.store(false, memory_order_relaxed); }  // relaxed: see above
    run_of(const run_of&) = delete;
    run_of& operator=(const run_of&) = delete;

   private:
    graph& graph_;
  };

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

  // Relaxed, like the stores of `runs_`: it orders nothing, and finds most mistakes, as a data race
  // would.
  void expect_unused() const {
    if (runs_.load(memory_order_relaxed)) [[unlikely]] {
      detail::raise(std::logic_error{
          "graph: it is being run: neither its nodes nor other threads may use it meanwhile"});
    }
  }

  template <relic_like Relic>
  void run_in(Relic& runner) {
    compiled_.run_by(&runner, runner.inline_mode() ? 1 : 2, &run_part<Relic>);
    detail::replay(compiled_, detail::relic_team<Relic>{runner});
  }
  void run_in(pool& workers) {
    compiled_.run_by(&workers, workers.size(), &run_part<pool>);
    workers.run([&plan = compiled_] {
      if (worker* const self = worker::current()) {
        detail::replay(plan, detail::pool_team{*self});
      } else {  // there is no place for this thread
        plan.run_here<false>();
      }
    });
  }
  template <class Executor>
  static void run_part(detail::graph_run& run, graph& part) {
    part.run(*static_cast<Executor*>(run.executor));
  }

  detail::compiled_graph& compiled() {
    expect_unused();
    if (!is_compiled_ || flat_.is_outdated()) [[unlikely]] {
      compile();
    }
    return compiled_;
  }

  [[gnu::noinline]] void compile() {
    is_compiled_ = false;
    flat_.rebuild(layout_);
    if (!compiled_.rebuild(flat_.bodies(), flat_.edges(), flat_.choices())) {
      detail::raise(std::invalid_argument{"graph: these nodes wait for each other: " +
                                          detail::path_of_cycle(flat_, compiled_.edges().cycle())});
    }
    is_compiled_ = true;
    for (graph* const part : flat_.run_by_nodes()) {
      part->prepare();
    }
  }

  [[nodiscard]] detail::explained_graph explained(detail::compiled_graph& plan) const {
    return {flat_, plan.edges(), plan.times(), plan.schedule()};
  }

  detail::graph_layout layout_;
  detail::flattened_graph flat_;
  detail::compiled_graph compiled_;  // of `flat_`
  bool is_compiled_ = false;
  atomic<bool> runs_{false};
};

}  // namespace fg::inline FINEGRAIN_ABI
