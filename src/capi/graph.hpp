// A graph behind a handle, and what its nodes call.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cstddef>
#include <memory>
#include <string>

#include "capi/calls.hpp"
#include "capi/status.hpp"
#include "finegrain/core/atomic.hpp"
#include "finegrain/core/cache_line.hpp"
#include "finegrain/finegrain.h"
#include "finegrain/graph/graph_core.hpp"
#include "finegrain/graph/graph_run.hpp"

/// A graph, and the strings that C programs read.
struct fg_graph {
  fg::detail::graph_core core{false};
  std::string explanation;
  std::string picture;
  /// Between fg_graph_cancel and the end of the run that it cancels. The frame of the graph's runs: so
  /// the nodes of its parts read it, too. Each run writes to `core`: so on a line of its own.
  alignas(fg::kCacheLineBytes) fg::atomic<bool> is_cancelled{false};
};

namespace fg::capi {

using cancel_flag = const atomic<bool>;

/// Thrown by the nodes of a cancelled run. As with any exception, the graph drops the nodes that have
/// not begun, and learns nothing from the run.
struct run_cancelled {};

/// Thrown by a node whose part cannot be run, and not by the part's nodes. Another thread than the
/// run's caller may have found out: so with the text.
struct part_failed {
  fg_status status;
  error_text why;
};

inline void expect_not_cancelled(cancel_flag& is_cancelled) {
  // Relaxed: the run's end orders it, see `run` in graph.cpp.
  if (is_cancelled.load(memory_order_relaxed)) [[unlikely]] {
    throw run_cancelled{};
  }
}
inline void expect_not_cancelled(const detail::graph_run& run) {
  expect_not_cancelled(*static_cast<cancel_flag*>(run.frame));
}

/// A node that is dropped if its run is cancelled, like all of these.
struct node_call {
  call routine;

  void operator()(cancel_flag& is_cancelled) const {
    expect_not_cancelled(is_cancelled);
    routine();
  }
};

struct choice_call {
  fg_choose_routine choose;
  void* arguments;

  std::size_t operator()(cancel_flag& is_cancelled) const {
    expect_not_cancelled(is_cancelled);
    return choose(arguments);
  }
};

/// Runs `part` within a node. Its own errors are found before, so that all other exceptions are its
/// nodes'.
inline void run_part(detail::graph_run& run, fg_graph& part) {
  if (const fg_status status = guarded([&] { part.core.prepare(1); }); status != FG_OK) {
    throw part_failed{status, last_error()};
  }
  run.run_part(run, part.core);
}

struct loop_node_call {
  fg_again_routine again;
  void* arguments;
  fg_graph* part;

  void operator()(detail::graph_run& run) const {
    while (!run.end.is_set()) {
      expect_not_cancelled(run);
      if (again(arguments) == 0) {
        return;
      }
      run_part(run, *part);
    }
  }
};

struct growing_call {
  fg_grow_routine grow;
  void* arguments;
  std::unique_ptr<fg_graph> more;

  void operator()(detail::graph_run& run) const {
    expect_not_cancelled(run);
    fg_status status = guarded([&] { more->core.change().clear(); });
    if (status == FG_OK) {
      status = grow(arguments, more.get());
    }
    if (status != FG_OK) {
      throw part_failed{status, last_error()};
    }
    run_part(run, *more);
  }
};

/// Of a graph's memory for a node without its name: the largest of these, aligned.
inline constexpr std::size_t kMostNodeBytes =
    std::max(
        {sizeof(node_call), sizeof(choice_call), sizeof(loop_node_call), sizeof(growing_call)}) +
    alignof(void*) - 1;

}  // namespace fg::capi
