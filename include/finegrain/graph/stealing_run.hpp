// Runs the nodes of a graph as tasks of a pool, each as soon as those before it have ended.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <exception>
#include <memory>
#include <span>
#include <utility>

#include "finegrain/core/atomic.hpp"
#include "finegrain/core/cache_line.hpp"
#include "finegrain/core/errors.hpp"
#include "finegrain/graph/early_end.hpp"
#include "finegrain/graph/graph_nodes.hpp"
#include "finegrain/graph/graph_run.hpp"
#include "finegrain/graph/node_times.hpp"
#include "finegrain/graph/precedence.hpp"
#include "finegrain/graph/two_lanes.hpp"
#include "finegrain/pool/ready_tasks.hpp"
#include "finegrain/pool/worker.hpp"
#include "finegrain/task/pool_task.hpp"

namespace fg::inline FINEGRAIN_ABI::detail {

/// One task a node, made once and used in each run.
///
/// Each node with several predecessors counts those that have not ended. Who ends the last one has
/// the node to itself, and sets the count for the next run. The run is over when all nodes without
/// successors have ended: every node comes before one of them.
class stealing_run {
 public:
  stealing_run(const precedence& edges, graph_run& run, node_times& times) noexcept
      : edges_{edges}, run_{run}, times_{times} {}
  stealing_run(const stealing_run&) = delete;
  stealing_run& operator=(const stealing_run&) = delete;

  /// For the edges as they are now; `bodies` by node. Allocates nothing if there were as many nodes
  /// before. Throws std::bad_alloc.
  void rebuild(std::span<const node_body> bodies) {
    bodies_ = bodies;
    if (room_ < edges_.nodes()) {
      room_ = 0;  // if there is no memory
      tasks_ = std::make_unique<node_task[]>(edges_.nodes());
      room_ = edges_.nodes();
    }
    last_nodes_ = 0;
    for (std::uint32_t node = 0; node != edges_.nodes(); ++node) {
      tasks_[node].run = this;
      tasks_[node].node = node;
      // Relaxed: so far one thread has it.
      tasks_[node].waits_for.store(count_of(node), memory_order_relaxed);
      if (edges_.successors(node).empty()) {
        ++last_nodes_;
      }
    }
  }

  /// Runs all nodes but the first `ended` of the order, which have ended, on this worker and those
  /// that take some. Requires: there is no cycle, and no other run.
  template <bool Timed>
  void run(worker& here, std::size_t ended = 0) noexcept {
    if (last_nodes_ == 0) {
      return;
    }
    node_task* begins = begin_after(ended);
    ready_tasks ready{here, &run_taken<Timed>};
    while (begins != nullptr) {
      node_task& task = *std::exchange(begins, static_cast<node_task*>(begins->older));
      ready.add(task);
    }
    run_all<Timed>(here, ready);
    // Acquire: pairs with the release in end_last.
    here.help_until([this] { return unfinished_.load(memory_order_acquire) == 0; });
  }

 private:
  struct node_task : pool_task {
    stealing_run* run = nullptr;
    std::uint32_t node = 0;
    atomic<std::uint32_t> waits_for{0};
  };

  [[nodiscard]] std::uint32_t count_of(std::uint32_t node) const noexcept {
    return static_cast<std::uint32_t>(edges_.predecessors(node).size());
  }

  // Counts what is to end, and returns the nodes that may run, linked: once the first of them is
  // pushed, other threads change the counts. Relaxed: the pushes release all of it.
  [[nodiscard]] node_task* begin_after(std::size_t ended) noexcept {
    const std::span<const std::uint32_t> order = edges_.order();
    std::size_t unfinished = last_nodes_;
    for (const std::uint32_t node : order.first(ended)) {
      tasks_[node].waits_for.store(count_of(node), memory_order_relaxed);
      for (const std::uint32_t after : edges_.successors(node)) {
        atomic<std::uint32_t>& count = tasks_[after].waits_for;
        count.store(count.load(memory_order_relaxed) - 1, memory_order_relaxed);
      }
      unfinished -= edges_.successors(node).empty() ? 1U : 0U;
    }
    unfinished_.store(unfinished, memory_order_relaxed);
    node_task* begins = nullptr;
    for (std::size_t at = order.size(); at-- != ended;) {
      node_task& task = tasks_[order[at]];
      if (task.waits_for.load(memory_order_relaxed) == 0) {
        task.waits_for.store(count_of(order[at]), memory_order_relaxed);
        task.older = std::exchange(begins, &task);
      }
    }
    return begins;
  }

  template <bool Timed>
  static void run_taken(pool_task& task) noexcept {
    auto& self = static_cast<node_task&>(task);
    worker& here = *worker::current();
    ready_tasks ready{here, &run_taken<Timed>};
    ready.add(self);
    self.run->run_all<Timed>(here, ready);
  }

  template <bool Timed>
  void run_all(worker& here, ready_tasks& ready) noexcept {
    for (const pool_task* next = ready.first(); next != nullptr; next = ready.next()) {
      const std::uint32_t node = static_cast<const node_task*>(next)->node;
      run_guarded<Timed>(node);
      const std::span<const std::uint32_t> successors = edges_.successors(node);
      for (const std::uint32_t after : successors) {
        if (makes_ready(after)) {
          ready.add(tasks_[after]);
        }
      }
      if (successors.empty()) {
        end_last(here);  // if it was the last of all, there is none to take
      }
    }
  }

  template <bool Timed>
  void run_guarded(std::uint32_t node) noexcept {
    if (run_.end.is_set()) [[unlikely]] {
      return;
    }
    FINEGRAIN_TRY { call_node<Timed>(bodies_[node], run_, node, times_); }
    FINEGRAIN_CATCH(...) { run_.end.keep(std::current_exception()); }
  }

  // One of its predecessors has ended. True for the last one.
  [[nodiscard]] bool makes_ready(std::uint32_t node) noexcept {
    const std::uint32_t count = count_of(node);
    if (count == 1) {
      return true;
    }
    // Release: what this thread's nodes wrote; acquire: what the others' did.
    if (tasks_[node].waits_for.fetch_sub(1, memory_order_acq_rel) != 1) {
      return false;
    }
    // Relaxed: the end of the run orders it before the next one.
    tasks_[node].waits_for.store(count, memory_order_relaxed);
    return true;
  }

  void end_last(worker& here) noexcept {
    // Release: pairs with the acquire in run. This object may be gone afterwards.
    if (unfinished_.fetch_sub(1, memory_order_release) == 1) {
      here.tell_waiting();
    }
  }

  const precedence& edges_;
  std::span<const node_body> bodies_;
  graph_run& run_;
  node_times& times_;
  std::unique_ptr<node_task[]> tasks_;  // by node
  std::size_t room_ = 0;                // of tasks
  std::size_t last_nodes_ = 0;
  alignas(kCacheLineBytes) atomic<std::size_t> unfinished_{0};
};

}  // namespace fg::inline FINEGRAIN_ABI::detail
