// fg_graph_...
// SPDX-License-Identifier: Apache-2.0
#include "capi/graph.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <memory>
#include <stdexcept>
#include <string_view>
#include <utility>
#include <vector>

#include "capi/pool.hpp"
#include "capi/relic.hpp"
#include "capi/status.hpp"
#include "finegrain/core/atomic.hpp"
#include "finegrain/finegrain.h"
#include "finegrain/graph/graph_layout.hpp"
#include "finegrain/graph/graph_run.hpp"
#include "finegrain/graph/precedence.hpp"

namespace {

using fg::capi::fail;
using fg::capi::guarded;
using fg::capi::null_pointer;
using fg::detail::graph_core;
using fg::detail::graph_layout;

using frame_calls = fg::detail::frame_calls<fg::capi::cancel_flag>;

std::string_view name_of(const char* given) noexcept { return given == nullptr ? "" : given; }

/// `add(core)` adds a node and returns its number.
template <class Add>
fg_status add_node(fg_graph& graph, std::size_t* node, Add add) noexcept {
  return guarded([&] {
    const std::size_t added = add(graph.core);
    if (node != nullptr) {
      *node = added;
    }
  });
}

/// Returns the number as the layout has it. Throws std::out_of_range if there is no such node.
std::uint32_t checked(const fg_graph& graph, std::size_t node) {
  if (!graph.core.layout().has(node)) {
    throw std::out_of_range{"graph: there is no such node"};
  }
  return static_cast<std::uint32_t>(node);
}
fg::detail::graph_edge checked(const fg_graph& graph, std::size_t before, std::size_t after) {
  return {checked(graph, before), checked(graph, after)};
}

/// Makes room for nodes of any kind. Throws std::logic_error and std::bad_alloc.
void reserve(graph_core& core, std::size_t nodes, std::size_t edges, std::size_t name_bytes) {
  if (core.layout().nodes().size() != 0) {
    throw std::logic_error{"graph: a reserve is for a graph without nodes"};
  }
  if (std::max({nodes, edges, name_bytes}) > std::numeric_limits<std::uint32_t>::max()) {
    throw std::length_error{"graph: a reserve is of less than 2^32 nodes, edges and bytes"};
  }
  core.reserve(nodes, edges, nodes * fg::capi::kMostNodeBytes + name_bytes);
}

/// Calls `prepare()` and `run_it(frame)`, which runs the graph. The graph's own errors are found before,
/// so that all exceptions of `run_it` are the nodes'.
template <class Prepare, class Run>
fg_status run(fg_graph& graph, Prepare prepare, Run run_it) noexcept {
  const auto all = [&] {
    graph.core.prepare(1);
    prepare();
  };
  if (const fg_status status = guarded(all); status != FG_OK) {
    return status;
  }
  try {
    run_it(&graph.is_cancelled);
    return FG_OK;
  } catch (const fg::capi::run_cancelled&) {
    // Acquire: pairs with the release in fg_graph_cancel.
    graph.is_cancelled.exchange(false, fg::memory_order_acquire);
    return fail(FG_CANCELLED, "fg_graph_cancel has ended the run");
  } catch (const fg::capi::part_failed& failed) {
    return fail(failed.status, failed.why.data());
  } catch (...) {
    return fg::capi::failed_by_task();
  }
}
template <class Run>
fg_status run(fg_graph& graph, Run run_it) noexcept {
  return run(graph, [] {}, run_it);
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
  return add_node(*graph, node, [&](graph_core& core) {
    return core.change().add<frame_calls>(name_of(name), fg::capi::node_call{{routine, arguments}});
  });
}

fg_status fg_graph_add_graph(fg_graph* graph, const char* name, fg_graph* part,
                             std::size_t* node) noexcept {
  if (graph == nullptr || part == nullptr) {
    return null_pointer(graph == nullptr ? "graph" : "part");
  }
  return add_node(*graph, node, [&](graph_core& core) {
    return core.change().add_part(name_of(name), part->core.layout());
  });
}

fg_status fg_graph_add_choice(fg_graph* graph, const char* name, fg_choose_routine choose,
                              void* arguments, fg_graph* const* parts, std::size_t count,
                              std::size_t* node) noexcept {
  if (graph == nullptr || choose == nullptr) {
    return null_pointer(graph == nullptr ? "graph" : "choose");
  }
  if (parts == nullptr || std::find(parts, parts + count, nullptr) != parts + count) {
    return null_pointer(parts == nullptr ? "parts" : "a part");
  }
  return add_node(*graph, node, [&](graph_core& core) {
    std::vector<const graph_layout*> layouts(count);
    std::transform(parts, parts + count, layouts.begin(),
                   [](const fg_graph* part) { return &part->core.layout(); });
    return core.change().add_choice<frame_calls>(
        name_of(name), fg::capi::choice_call{choose, arguments}, std::move(layouts));
  });
}

fg_status fg_graph_add_loop(fg_graph* graph, const char* name, fg_again_routine again,
                            void* arguments, fg_graph* part, std::size_t* node) noexcept {
  if (graph == nullptr || again == nullptr) {
    return null_pointer(graph == nullptr ? "graph" : "again");
  }
  if (part == nullptr) {
    return null_pointer("part");
  }
  return add_node(*graph, node, [&](graph_core& core) {
    return core.change().add_runner(name_of(name), fg::capi::loop_node_call{again, arguments, part},
                                    part->core);
  });
}

fg_status fg_graph_add_growing(fg_graph* graph, const char* name, fg_grow_routine grow,
                               void* arguments, std::size_t nodes, std::size_t edges,
                               std::size_t name_bytes, std::size_t* node) noexcept {
  if (graph == nullptr || grow == nullptr) {
    return null_pointer(graph == nullptr ? "graph" : "grow");
  }
  return add_node(*graph, node, [&](graph_core& core) {
    auto more = std::make_unique<fg_graph>();
    reserve(more->core, nodes, edges, name_bytes);
    graph_core& grown = more->core;
    return core.change().add_runner(
        name_of(name), fg::capi::growing_call{grow, arguments, std::move(more)}, grown);
  });
}

fg_status fg_graph_reserve(fg_graph* graph, std::size_t nodes, std::size_t edges,
                           std::size_t name_bytes) noexcept {
  if (graph == nullptr) {
    return null_pointer("graph");
  }
  return guarded([&] { reserve(graph->core, nodes, edges, name_bytes); });
}

fg_status fg_graph_remove(fg_graph* graph, std::size_t node) noexcept {
  if (graph == nullptr) {
    return null_pointer("graph");
  }
  return guarded([&] {
    const std::uint32_t number = checked(*graph, node);
    graph->core.change().remove(number);
  });
}

fg_status fg_graph_remove_edge(fg_graph* graph, std::size_t before, std::size_t after) noexcept {
  if (graph == nullptr) {
    return null_pointer("graph");
  }
  return guarded([&] {
    const fg::detail::graph_edge edge = checked(*graph, before, after);
    if (!graph->core.change().disconnect(edge)) {
      throw std::invalid_argument{"graph: there is no such edge"};
    }
  });
}

fg_status fg_graph_clear(fg_graph* graph) noexcept {
  if (graph == nullptr) {
    return null_pointer("graph");
  }
  return guarded([&] { graph->core.change().clear(); });
}

fg_status fg_graph_add_edge(fg_graph* graph, std::size_t before, std::size_t after) noexcept {
  if (graph == nullptr) {
    return null_pointer("graph");
  }
  return guarded([&] {
    const fg::detail::graph_edge edge = checked(*graph, before, after);
    graph->core.change().connect(edge);
  });
}

fg_status fg_graph_prepare(fg_graph* graph) noexcept {
  if (graph == nullptr) {
    return null_pointer("graph");
  }
  return guarded([&] { graph->core.prepare(1); });
}

fg_status fg_graph_run(fg_graph* graph) noexcept {
  if (graph == nullptr) [[unlikely]] {
    return null_pointer("graph");
  }
  return run(*graph, [&](void* frame) {
    fg::detail::calling_thread here;
    graph->core.run<false>(here, frame);
  });
}

fg_status fg_graph_run_on_relic(fg_graph* graph, fg_relic* relic) noexcept {
  if (graph == nullptr || relic == nullptr) [[unlikely]] {
    return null_pointer(graph == nullptr ? "graph" : "relic");
  }
  return run(*graph, [&](void* frame) { graph->core.run<false>(relic->relic, frame); });
}

fg_status fg_graph_run_on_pool(fg_graph* graph, fg_pool* pool) noexcept {
  if (graph == nullptr || pool == nullptr) [[unlikely]] {
    return null_pointer(graph == nullptr ? "graph" : "pool");
  }
  return run(
      *graph, [&] { graph->core.prepare_for<false>(*pool->workers); },
      [&](void* frame) {
        if (pool->hybrid) {  // gives the caller an assistant, too
          pool->hybrid->run([&] { graph->core.run<false>(*pool->workers, frame); });
        } else {
          graph->core.run<false>(*pool->plain, frame);
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
    graph->explanation = graph->core.explain();
    *text = graph->explanation.c_str();
  });
}

fg_status fg_graph_dot(fg_graph* graph, const char** text) noexcept {
  if (graph == nullptr || text == nullptr) {
    return null_pointer(graph == nullptr ? "graph" : "text");
  }
  return guarded([&] {
    graph->picture = graph->core.dot();
    *text = graph->picture.c_str();
  });
}
