// fg_graph_...
// SPDX-License-Identifier: Apache-2.0
#include "finegrain/graph/graph.hpp"

#include <cstddef>
#include <memory>
#include <string>

#include "capi/calls.hpp"
#include "capi/options.hpp"
#include "capi/pool.hpp"
#include "capi/relic.hpp"
#include "capi/status.hpp"
#include "finegrain/core/atomic.hpp"
#include "finegrain/core/cache_line.hpp"
#include "finegrain/finegrain.h"

/// A graph, and the strings that C programs read.
struct fg_graph {
  fg::graph graph;
  std::string explanation;
  std::string picture;
  /// Between fg_graph_cancel and the end of the run that it cancels. Each node reads it, and each run
  /// writes to `graph`: so on a line of its own.
  alignas(fg::kCacheLineBytes) fg::atomic<bool> is_cancelled{false};
};

namespace {

using fg::capi::call;
using fg::capi::fail;
using fg::capi::guarded;
using fg::capi::null_pointer;

/// Thrown by the nodes of a cancelled run. As with any exception, the graph drops the nodes that have
/// not begun, and learns nothing from the run.
struct run_cancelled {};

/// A node that is dropped if its run is cancelled.
struct node_call {
  const fg::atomic<bool>* is_cancelled;
  call routine;

  void operator()() const {
    // Relaxed: the run's end orders it, see `run`.
    if (is_cancelled->load(fg::memory_order_relaxed)) [[unlikely]] {
      throw run_cancelled{};
    }
    routine();
  }
};

/// Calls `run_it()`, which runs the graph. The graph's own errors are found before, so that all
/// exceptions of `run_it` are the nodes'.
template <class Run>
fg_status run(fg_graph& graph, Run run_it) noexcept {
  if (const fg_status status = guarded([&] { graph.graph.prepare(); }); status != FG_OK) {
    return status;
  }
  try {
    run_it();
    return FG_OK;
  } catch (const run_cancelled&) {
    // Acquire: pairs with the release in fg_graph_cancel.
    graph.is_cancelled.exchange(false, fg::memory_order_acquire);
    return fail(FG_CANCELLED, "fg_graph_cancel has ended the run");
  } catch (...) {
    return fg::capi::failed_by_task();
  }
}

}  // namespace

fg_status fg_graph_create(fg_graph** graph) noexcept {
  if (graph == nullptr) {
    return null_pointer("graph");
  }
  return guarded([&] { *graph = std::make_unique<fg_graph>().release(); });
}

void fg_graph_destroy(fg_graph* graph) noexcept { delete graph; }

fg_status fg_graph_add(fg_graph* graph, const char* name, fg_routine routine, void* arguments,
                       std::size_t* node) noexcept {
  if (graph == nullptr || routine == nullptr) {
    return null_pointer(graph == nullptr ? "graph" : "routine");
  }
  return guarded([&] {
    graph->graph.add(fg::capi::text(name, ""),
                     node_call{&graph->is_cancelled, {routine, arguments}});
    if (node != nullptr) {
      *node = graph->graph.size() - 1;
    }
  });
}

fg_status fg_graph_add_edge(fg_graph* graph, std::size_t before, std::size_t after) noexcept {
  if (graph == nullptr) {
    return null_pointer("graph");
  }
  return guarded([&] { graph->graph.at(before).precede(graph->graph.at(after)); });
}

fg_status fg_graph_prepare(fg_graph* graph) noexcept {
  if (graph == nullptr) {
    return null_pointer("graph");
  }
  return guarded([&] { graph->graph.prepare(); });
}

fg_status fg_graph_run(fg_graph* graph) noexcept {
  if (graph == nullptr) [[unlikely]] {
    return null_pointer("graph");
  }
  return run(*graph, [&] { graph->graph.run(); });
}

fg_status fg_graph_run_on_relic(fg_graph* graph, fg_relic* relic) noexcept {
  if (graph == nullptr || relic == nullptr) [[unlikely]] {
    return null_pointer(graph == nullptr ? "graph" : "relic");
  }
  return run(*graph, [&] { graph->graph.run(relic->relic); });
}

fg_status fg_graph_run_on_pool(fg_graph* graph, fg_pool* pool) noexcept {
  if (graph == nullptr || pool == nullptr) [[unlikely]] {
    return null_pointer(graph == nullptr ? "graph" : "pool");
  }
  return run(*graph, [&] {
    if (pool->hybrid) {  // gives the caller an assistant, too
      pool->hybrid->run([&] { graph->graph.run(*pool->workers); });
    } else {
      graph->graph.run(*pool->plain);
    }
  });
}

fg_status fg_graph_cancel(fg_graph* graph) noexcept {
  if (graph == nullptr) {
    return null_pointer("graph");
  }
  // Release: pairs with the acquire in `run`. An exchange: so for earlier requests, too.
  graph->is_cancelled.exchange(true, fg::memory_order_release);
  return FG_OK;
}

fg_status fg_graph_explain(fg_graph* graph, const char** text) noexcept {
  if (graph == nullptr || text == nullptr) {
    return null_pointer(graph == nullptr ? "graph" : "text");
  }
  return guarded([&] {
    graph->explanation = graph->graph.explain();
    *text = graph->explanation.c_str();
  });
}

fg_status fg_graph_dot(fg_graph* graph, const char** text) noexcept {
  if (graph == nullptr || text == nullptr) {
    return null_pointer(graph == nullptr ? "graph" : "text");
  }
  return guarded([&] {
    graph->picture = graph->graph.dot();
    *text = graph->picture.c_str();
  });
}
