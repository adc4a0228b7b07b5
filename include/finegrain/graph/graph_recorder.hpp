// Makes a graph of what code does with a task group.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <stdexcept>
#include <utility>
#include <vector>

#include "finegrain/core/errors.hpp"
#include "finegrain/graph/early_end.hpp"
#include "finegrain/graph/graph.hpp"
#include "finegrain/graph/graph_run.hpp"

namespace fg::inline FINEGRAIN_ABI {

/// Takes the place of a `task_group` in code that takes any group, runs its tasks, and adds them to a
/// graph, whose runs then do the same again at a graph's price:
///
///     template <class Group>
///     void blur(image& in, Group& group) {
///       for (stripe& each : in.stripes) {
///         group.spawn([&each] { each.blur_rows(); });
///       }
///       group.wait();
///       ...
///     }
///
///     fg::graph again;
///     fg::graph_recorder group{again};
///     blur(in, group);
///     again.run(pool);
///
/// Recorded are the tasks, and that those after a `wait` come after those before. What the code does
/// besides is not done again, and what tasks have captured by copy stays as it was. A recorded task may
/// spawn into other groups, which happens in each run, but not into the recorder. What tasks refer to has
/// to live as long as the graph: no variables of the recorded code.
///
/// One thread at a time, which also uses the graph. Requires: the graph lives longer.
class graph_recorder {
 public:
  explicit graph_recorder(graph& into) noexcept : graph_{into}, not_run_{into.size()} {}
  /// Runs the tasks that no `wait` has; drops what they throw.
  ~graph_recorder() {
    FINEGRAIN_TRY { run_tasks(); }
    // NOLINTNEXTLINE(bugprone-empty-catch): as a task group does
    FINEGRAIN_CATCH(...) {}
  }
  graph_recorder(const graph_recorder&) = delete;
  graph_recorder& operator=(const graph_recorder&) = delete;

  /// Adds a node that calls a copy of `closure`, which `wait` calls, too. Throws what `graph::add` does,
  /// and std::logic_error within a task of its own.
  template <class F>
  void spawn(F&& closure) {
    if (is_running_) {
      detail::raise(
          std::logic_error{"graph_recorder: a recorded task must not spawn into the recorder"});
    }
    const graph_node task = graph_.add(std::forward<F>(closure));
    task.succeed(waited_for_);
    spawned_.push_back(task);
  }

  /// Calls the tasks since the last `wait`, on this thread, in order. All are in the graph; if one throws,
  /// those after it are not called now, and the exception is rethrown.
  void wait() {
    if (spawned_.empty()) {
      return;
    }
    const graph_node end = graph_.add("wait", [] {});
    end.succeed(spawned_);
    waited_for_.assign(1, end);
    spawned_.clear();
    run_tasks();
  }

 private:
  void run_tasks() {
    detail::early_end end;
    detail::graph_run run{.end = end};
    is_running_ = true;
    const std::size_t first = std::exchange(not_run_, graph_.size());
    FINEGRAIN_TRY { graph_.call_nodes(first, not_run_, run); }
    FINEGRAIN_CATCH(...) {
      is_running_ = false;
      FINEGRAIN_RETHROW;
    }
    is_running_ = false;
  }

  graph& graph_;
  std::vector<graph_node> spawned_;     // since the last wait
  std::vector<graph_node> waited_for_;  // the last wait, if there was one
  std::size_t not_run_;                 // the first node that was not
  bool is_running_ = false;
};

}  // namespace fg::inline FINEGRAIN_ABI
