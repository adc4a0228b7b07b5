// A graph between its changes and its runs: which of them may be now.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <exception>
#include <memory>
#include <mutex>
#include <optional>
#include <stdexcept>
#include <string>
#include <type_traits>
#include <vector>

#include "finegrain/core/atomic.hpp"
#include "finegrain/core/errors.hpp"
#include "finegrain/core/stop_token.hpp"
#include "finegrain/graph/compiled_graph.hpp"
#include "finegrain/graph/early_end.hpp"
#include "finegrain/graph/explained.hpp"
#include "finegrain/graph/flattened_graph.hpp"
#include "finegrain/graph/graph_layout.hpp"
#include "finegrain/graph/graph_run.hpp"
#include "finegrain/graph/pool_team.hpp"
#include "finegrain/graph/relic_team.hpp"
#include "finegrain/graph/replay.hpp"
#include "finegrain/graph/spare_runs.hpp"
#include "finegrain/pool/pool.hpp"
#include "finegrain/pool/worker.hpp"
#include "finegrain/relic/relic_like.hpp"

namespace fg::inline FINEGRAIN_ABI::detail {

/// In place of a relic or a pool: nobody else takes part.
struct calling_thread {};

/// One run at a time has the compiled graph with what it has learnt. Of a graph whose runs may overlap,
/// those that find it taken have spare runs, from which nothing is learnt: they are shared if the others
/// were. Of other graphs an overlapping run, like a change within a run, is an error.
class graph_core {
 public:
  explicit graph_core(bool may_overlap)
      : spares_{may_overlap ? std::make_unique<spare_runs>() : nullptr} {}
  graph_core(const graph_core&) = delete;
  graph_core& operator=(const graph_core&) = delete;

  [[nodiscard]] const graph_layout& layout() const noexcept { return layout_; }
  /// To change it. Throws std::logic_error if it runs.
  [[nodiscard]] graph_layout& change() {
    expect_unused();
    is_compiled_.store(false, memory_order_relaxed);  // the program orders changes and runs
    return layout_;
  }

  /// Room for so many nodes without parts, edges, and bytes of closures and names. Requires: there are no
  /// nodes. Throws std::bad_alloc; then as much can be added as before.
  void reserve(std::size_t nodes, std::size_t edges, std::size_t bytes) {
    graph_layout& layout = change();
    flat_.reserve(nodes, edges);
    // The compiled graph allocates nothing if it was as large before: nodes of which most may run
    // first, added in an order in which they may not.
    const std::vector<node_body> bodies(std::max<std::size_t>(nodes, 2));
    static_cast<void>(compiled_.rebuild(bodies, std::vector<graph_edge>(edges, {1, 0})));
    layout.reserve(nodes, edges, bytes);
  }

  /// Throws std::invalid_argument if there is a cycle, and std::bad_alloc. Any thread.
  void compile_if_changed() {
    // Acquire: pairs with the release in compile, which may have been another thread's.
    if (!is_compiled_.load(memory_order_acquire) || flat_.is_outdated()) [[unlikely]] {
      compile();
    }
  }
  /// The same, and makes room for so many runs at a time. Throws std::logic_error if it runs.
  void prepare(std::size_t runs) {
    expect_unused();
    compile_if_changed();
    if (spares_ != nullptr) {
      spares_->make_first(runs - 1, [this] { return compiled_.new_spare_run(); });
    }
  }

  /// Does what the first run on a pool would do first, after `prepare`. Throws std::bad_alloc.
  template <bool MayOverlap>
  void prepare_for(pool& workers) {
    compiled_.run_by(&workers, workers.size(), &run_part<MayOverlap, pool>);
  }

  /// `executor`: a relic, a pool, or the calling thread. `MayOverlap`: as the graph was constructed.
  /// Rethrows a node's exception.
  template <bool MayOverlap, class Executor>
  void run(Executor& executor, void* frame) {
    compile_if_changed();
    if (begin_run<MayOverlap>(frame)) {
      const only_run<MayOverlap> now{*this};
      run_compiled<MayOverlap>(executor);
    } else {
      run_beside(executor, frame, nullptr);
    }
  }
  /// The same, and `stop` may end it.
  template <bool MayOverlap, class Executor>
  void run(Executor& executor, void* frame, const stop_token& stop) {
    compile_if_changed();
    if (begin_run<MayOverlap>(frame)) {
      const only_run<MayOverlap> now{*this};
      const stoppable_run asked{compiled_, stop};
      run_compiled<MayOverlap>(executor);
    } else {
      run_beside(executor, frame, &stop);
    }
  }

  [[nodiscard]] std::string explain() {
    expect_unused();
    compile_if_changed();
    return explained().text(compiled_.decision(), compiled_.is_in_lanes());
  }
  [[nodiscard]] std::string dot() {
    expect_unused();
    compile_if_changed();
    return explained().dot(compiled_.is_in_lanes());
  }

 private:
  struct setter {
    early_end& end;
    void operator()() const noexcept { end.set(); }
  };

  // Whether the run has the compiled graph, and not another one.
  template <bool MayOverlap>
  bool begin_run(void* frame) {
    if constexpr (MayOverlap) {
      // Acquire: pairs with the release in ~only_run, of the run before, which may have been another
      // thread's.
      if (has_run_.exchange(true, memory_order_acquire)) {
        return false;
      }
    } else {
      if (has_run_.load(memory_order_relaxed)) [[unlikely]] {  // see expect_unused
        refuse();
      }
      has_run_.store(true, memory_order_relaxed);
    }
    compiled_.give_frame(frame);
    return true;
  }

  // While it lives there is one more run beside. Both relaxed: see expect_unused.
  struct counted_run {
    explicit counted_run(atomic<std::uint32_t>& all) noexcept : runs{all} {
      runs.fetch_add(1, memory_order_relaxed);
    }
    ~counted_run() { runs.fetch_sub(1, memory_order_relaxed); }  // relaxed: see above
    counted_run(const counted_run&) = delete;
    counted_run& operator=(const counted_run&) = delete;

    atomic<std::uint32_t>& runs;
  };

  // While it lives a run has the compiled graph.
  template <bool MayOverlap>
  struct only_run {
    explicit only_run(graph_core& which) noexcept : graph{which} {}
    ~only_run() {
      if constexpr (MayOverlap) {
        // Relaxed: a hint for run_spare.
        graph.is_shared_.store(graph.compiled_.site().hands_over(), memory_order_relaxed);
      }
      // Release: pairs with the acquire in run.
      graph.has_run_.store(false, memory_order_release);
    }
    only_run(const only_run&) = delete;
    only_run& operator=(const only_run&) = delete;

    graph_core& graph;
  };

  // A run that `stop` may end.
  struct stoppable_run {
    stoppable_run(compiled_graph& which, const stop_token& stop) : graph{which} {
      graph.allow_stop(true);
      asked.emplace(stop, setter{graph.end()});
    }
    ~stoppable_run() {
      asked.reset();
      graph.allow_stop(false);
    }
    stoppable_run(const stoppable_run&) = delete;
    stoppable_run& operator=(const stoppable_run&) = delete;

    compiled_graph& graph;
    std::optional<stop_callback<setter>> asked;
  };

  // Relaxed: it orders nothing, and finds most mistakes, as a data race would.
  void expect_unused() const {
    if (has_run_.load(memory_order_relaxed) || beside_.load(memory_order_relaxed) != 0)
        [[unlikely]] {
      refuse();
    }
  }
  [[noreturn]] FINEGRAIN_NOINLINE static void refuse() {
    raise(std::logic_error{
        "graph: it is being run: neither its nodes nor other threads may use it meanwhile"});
  }

  FINEGRAIN_NOINLINE void compile() {
    compile_this();
    FINEGRAIN_TRY {
      for (const run_by_node& each : flat_.run_by_nodes()) {
        each.part->compile_if_changed();
      }
    }
    FINEGRAIN_CATCH(...) {
      is_compiled_.store(false, memory_order_relaxed);  // the next run fails, too
      FINEGRAIN_RETHROW;
    }
  }
  void compile_this() {
    const std::lock_guard only{compiling_};
    // Relaxed: the lock orders what another thread has compiled meanwhile.
    if (is_compiled_.load(memory_order_relaxed) && !flat_.is_outdated()) {
      return;
    }
    expect_unused();
    is_compiled_.store(false, memory_order_relaxed);  // until it is
    if (spares_ != nullptr) {
      spares_->clear();
    }
    flat_.rebuild(layout_);
    if (!compiled_.rebuild(flat_.bodies(), flat_.edges(), flat_.choices())) {
      raise(std::invalid_argument{"graph: these nodes wait for each other: " +
                                  path_of_cycle(flat_, compiled_.edges().cycle())});
    }
    if (spares_ == nullptr) {
      expect_runs_ordered();
    }
    // Release: pairs with the acquire in compile_if_changed.
    is_compiled_.store(true, memory_order_release);
  }
  // Nodes that run the same graph: it cannot be run by two at a time.
  void expect_runs_ordered() const {
    const std::vector<run_by_node>& all = flat_.run_by_nodes();
    for (std::size_t one = 0; one != all.size(); ++one) {
      for (std::size_t other = 0; other != one; ++other) {
        if (all[one].part == all[other].part &&
            !compiled_.edges().are_ordered(all[one].node, all[other].node)) {
          raise(std::invalid_argument{"graph: " + flat_.name_of(all[other].node) + " and " +
                                      flat_.name_of(all[one].node) +
                                      " run the same graph, and no edges order them"});
        }
      }
    }
  }

  template <bool MayOverlap, class Executor>
  static void run_part(graph_run& run, graph_core& part) {
    part.run<MayOverlap>(*static_cast<Executor*>(run.executor), run.frame);
  }

  template <bool MayOverlap, relic_like Relic>
  void run_compiled(Relic& runner) {
    compiled_.run_by(&runner, runner.inline_mode() ? 1 : 2, &run_part<MayOverlap, Relic>);
    replay(compiled_, relic_team<Relic>{runner});
  }
  template <bool MayOverlap>
  void run_compiled(pool& workers) {
    compiled_.run_by(&workers, workers.size(), &run_part<MayOverlap, pool>);
    workers.run([this] {
      if (worker* const self = worker::current()) {
        replay(compiled_, pool_team{*self});
      } else {  // there is no place for this thread
        compiled_.run_here<false>();
      }
    });
  }
  template <bool MayOverlap>
  void run_compiled(calling_thread& here) {
    graph_run alone = compiled_.plain_run();
    alone.run_part = &run_part<MayOverlap, calling_thread>;
    alone.executor = &here;
    compiled_.run_alone(alone);
  }

  template <class Executor>
  FINEGRAIN_NOINLINE void run_beside(Executor& executor, void* frame, const stop_token* stop) {
    const counted_run now{beside_};
    const spare_runs::taken spare = spares_->take([this] { return compiled_.new_spare_run(); });
    graph_run& run = spare->run();
    run.frame = frame;
    run.run_part = &run_part<true, Executor>;
    run.executor = &executor;
    std::optional<stop_callback<setter>> asked;
    if (stop != nullptr) {
      asked.emplace(*stop, setter{run.end});
    }
    run_spare(executor, *spare);
  }
  template <class Executor>
  void run_spare(Executor& /*executor*/, spare_run& spare) const {
    compiled_.run_alone(spare.run());
  }
  void run_spare(pool& workers, spare_run& spare) const {
    // Relaxed: a hint. The runs until now have found out, the present one may find otherwise.
    if (!is_shared_.load(memory_order_relaxed)) {
      compiled_.run_alone(spare.run());
      return;
    }
    workers.run([&] {
      if (worker* const self = worker::current()) {
        spare.tasks().run<false>(*self);
      } else {  // there is no place for this thread
        compiled_.run_alone(spare.run());
      }
    });
    if (const std::exception_ptr thrown = spare.run().end.take()) {
      std::rethrow_exception(thrown);
    }
  }

  [[nodiscard]] explained_graph explained() {
    return {flat_, compiled_.edges(), compiled_.times(), compiled_.schedule(),
            compiled_.cross_ticks()};
  }

  graph_layout layout_;
  flattened_graph flat_;
  compiled_graph compiled_;  // of `flat_`
  atomic<bool> is_compiled_{false};
  std::mutex compiling_;
  atomic<bool> has_run_{false};  // a run has `compiled_`
  // Of runs that may overlap; otherwise `spares_` is null.
  atomic<bool> is_shared_{false};
  atomic<std::uint32_t> beside_{0};
  std::unique_ptr<spare_runs> spares_;
};

}  // namespace fg::inline FINEGRAIN_ABI::detail
