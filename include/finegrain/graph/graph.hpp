// A graph of tasks that is built once and run any number of times.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <concepts>
#include <cstddef>
#include <memory>
#include <stdexcept>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>

#include "finegrain/core/errors.hpp"
#include "finegrain/core/stop_token.hpp"
#include "finegrain/graph/graph_core.hpp"
#include "finegrain/graph/graph_node.hpp"
#include "finegrain/graph/graph_run.hpp"
#include "finegrain/graph/inner_runs.hpp"
#include "finegrain/pool/pool.hpp"
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
///
/// `graph` has nodes without arguments. The nodes of a `graph_of<Frame>` are called with a `Frame&`, of
/// each run another one, and so its runs may overlap:
///
///     fg::graph_of<request> answer;
///     answer.add("parse", [](request& its) { its.query = parsed(its.text); });
///     ...
///     answer.prepare();
///     pool.post([&] { answer.run(pool, its); });   // for each request
///
/// One of the runs at a time is as those of a `graph`. The others learn nothing: they are shared, by
/// stealing, if the learning ones were shared last, and on a relic run on the calling thread. While no
/// run overlaps changes may be made as to a `graph`.
template <class... Frame>
class basic_graph {
 public:
  using node = graph_node;

  basic_graph() = default;
  basic_graph(const basic_graph&) = delete;  // its nodes know where it is
  basic_graph& operator=(const basic_graph&) = delete;

  /// Adds a node that calls a copy of `closure`, a callable of any size, whose result is dropped. The
  /// name is for errors and `explain`, and is copied. Up to 2^32 nodes. Throws std::bad_alloc, what
  /// copying the closure throws, and std::length_error: see `reserve`. Then nothing was added.
  template <class F>
  node add(std::string_view name, F&& closure) {
    expect_callable<F>();
    return {core_, core_.change().template add<calls>(name, std::forward<F>(closure))};
  }
  /// The same without a name.
  template <class F>
  node add(F&& closure) {
    return add(std::string_view{}, std::forward<F>(closure));
  }

  /// Adds a node in whose place all nodes of `part` run, as if they had been added here: it costs no
  /// run of its own. What is changed in `part` later changes this graph, too. One graph can be a part
  /// several times; its nodes are then called as often, at the same time where no edges order them. (The
  /// parts of a `graph`'s loops, and its growing nodes, must be ordered by edges: otherwise
  /// std::invalid_argument from `prepare` and the runs.)
  /// Requires: `part` lives as long as this graph, and is not used while this one runs.
  node add_graph(std::string_view name, basic_graph& part) {
    return {core_, core_.change().add_part(name, part.core_.layout())};
  }

  /// Adds a node that calls a copy of `choose`, and in whose place the nodes of one of `parts` run:
  /// `choose` returns its number, counted from 0, or true for the first part and false for the
  /// second one. With another number none of them runs. Those that this node precedes begin in any
  /// case. Otherwise as `add_graph`.
  template <class F, std::same_as<basic_graph>... Parts>
  node add_choice(std::string_view name, F&& choose, Parts&... parts) {
    expect_callable<F>();
    static_assert(std::is_integral_v<std::invoke_result_t<std::decay_t<F>&, Frame&...>>,
                  "finegrain: a choice returns the number of the part that runs, or a bool");
    return {core_, core_.change().template add_choice<calls>(name, std::forward<F>(choose),
                                                             {&parts.core_.layout()...})};
  }

  /// Adds a node that calls a copy of `again` and runs `part`, in turn, as long as `again` returns
  /// true. `part` learns by itself, and is shared where that pays, on a relic only while this graph is
  /// not. A stop request ends the loop after the round. Requires: as `add_graph`.
  template <class F>
  node add_loop(std::string_view name, F&& again, basic_graph& part) {
    expect_callable<F>();
    static_assert(std::is_convertible_v<std::invoke_result_t<std::decay_t<F>&, Frame&...>, bool>,
                  "finegrain: a loop's closure says whether there is another round: a bool");
    using loop = detail::part_loop<calls, std::decay_t<F>>;
    return {core_,
            core_.change().add_runner(name, loop{std::forward<F>(again), part.core_}, part.core_)};
  }

  /// Adds a node that adds others in each run: it calls a copy of `grow` with an empty `graph`, and runs
  /// what `grow` has added to that, `nodes` at most. The node ends when these have ended. They take their
  /// memory from a reserve that is made now: see `reserve`, which says what is thrown beyond it.
  template <class F>
    requires(sizeof...(Frame) == 0 && std::is_invocable_v<std::decay_t<F>&, basic_graph<>&>)
  node add_growing(std::string_view name, F&& grow, std::size_t nodes, std::size_t edges,
                   std::size_t bytes) {
    auto part = std::make_unique<basic_graph>();
    part->reserve(nodes, edges, bytes);
    detail::graph_core& core = part->core_;
    using growing = detail::growing_part<std::decay_t<F>, basic_graph>;
    return {core_,
            core_.change().add_runner(name, growing{std::forward<F>(grow), std::move(part)}, core)};
  }

  /// Takes the memory for so many nodes and edges, and so many bytes of closures and names. From now on
  /// no more can be added: that is a std::length_error. In turn changes and the runs after them allocate
  /// nothing, but for a first run on a pool of more than two workers, and nodes with parts. Requires:
  /// there are no nodes. Throws std::bad_alloc.
  void reserve(std::size_t nodes, std::size_t edges, std::size_t bytes) {
    core_.reserve(nodes, edges, bytes);
  }

  /// Takes a node out, and its edges. The others keep their numbers. Throws std::invalid_argument if
  /// it is not one of this graph. O(n + e).
  void remove(const node& gone) {
    if (!gone.is_in(core_)) {
      detail::raise(std::invalid_argument{"graph: it has no such node to remove"});
    }
    core_.change().remove(gone.index_);
  }
  /// Takes an edge out. False: there was none. Throws as `precede`. O(e).
  bool remove_edge(const node& before, const node& after) {
    before.expect_with(after);
    return before.owner_->change().disconnect({before.index_, after.index_});
  }
  /// Takes all nodes out: what named them is no node of this graph any more.
  void clear() { core_.change().clear(); }

  /// How many nodes were added since the last `clear`, removed ones included.
  [[nodiscard]] std::size_t size() const noexcept { return core_.layout().nodes().size(); }

  /// The node that was added after `number` others. Throws std::out_of_range if there is none, or
  /// it was removed.
  [[nodiscard]] node at(std::size_t number) {
    if (!core_.layout().has(number)) {
      detail::raise(std::out_of_range{"graph: there is no such node"});
    }
    return {core_, number};
  }

  /// Does now what the next run would do first, as there were changes: it allocates, and throws
  /// std::invalid_argument, naming the nodes, if some of them wait for each other, and
  /// std::bad_alloc. Runs call it themselves. Of runs that overlap, `runs` at a time then allocate
  /// nothing. After a change of a part it has to be called before such runs.
  void prepare(std::size_t runs = 1) { core_.prepare(runs); }

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
  void run(Relic& runner, Frame&... frame) {
    core_.template run<kMayOverlap>(runner, pointer_to(frame...));
  }
  void run(pool& workers, Frame&... frame) {
    core_.template run<kMayOverlap>(workers, pointer_to(frame...));
  }

  /// The same. If `stop` is requested, nodes that have not begun by then are dropped, and the result
  /// is false.
  template <class Executor>
    requires(relic_like<Executor> || std::is_same_v<Executor, pool>)
  bool run(Executor& executor, Frame&... frame, const stop_token& stop) {
    core_.template run<kMayOverlap>(executor, pointer_to(frame...), stop);
    return !stop.stop_requested();
  }

  /// Runs all nodes on the calling thread, in an order that the edges allow: of those that may run,
  /// the one that was added first. Otherwise as above.
  void run(Frame&... frame) {
    detail::calling_thread here;
    core_.template run<kMayOverlap>(here, pointer_to(frame...));
  }

  /// What is known about the graph: whether the last executor shares it, the time of each node and
  /// its lane. For people; the form may change. Throws what `prepare` throws.
  [[nodiscard]] std::string explain() { return core_.explain(); }
  /// The same as a picture, in the language of Graphviz: the lanes are colours, crossings dashed.
  [[nodiscard]] std::string dot() { return core_.dot(); }

 private:
  template <class F, class Graph>
  friend class detail::growing_part;
  friend class graph_recorder;

  static_assert(sizeof...(Frame) <= 1, "finegrain: nodes are called with one frame, or none");
  using calls = detail::frame_calls<Frame...>;
  static constexpr bool kMayOverlap = sizeof...(Frame) != 0;

  template <class F>
  static constexpr void expect_callable() {
    static_assert(calls::template may_call<std::decay_t<F>>,
                  "finegrain: a graph's nodes are called without arguments (let a lambda capture "
                  "them), a graph_of<Frame>'s with a Frame&");
  }

  // Some nodes, by number, outside of a run.
  void call_nodes(std::size_t first, std::size_t end, detail::graph_run& run) const {
    for (std::size_t number = first; number != end; ++number) {
      const detail::node_body& body = core_.layout().nodes().bodies()[number];
      body.call(body.closure, run);
    }
  }

  static void* pointer_to() noexcept { return nullptr; }
  template <class Only>
  static void* pointer_to(Only& frame) noexcept {
    return std::addressof(frame);
  }

  detail::graph_core core_{kMayOverlap};
};

using graph = basic_graph<>;
/// A graph whose nodes get a `Frame&`, and whose runs may overlap.
template <class Frame>
using graph_of = basic_graph<Frame>;

}  // namespace fg::inline FINEGRAIN_ABI
