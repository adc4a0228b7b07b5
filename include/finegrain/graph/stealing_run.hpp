// Runs the nodes of a graph as tasks of a pool, each as soon as those before it have ended.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <exception>
#include <memory>
#include <span>
#include <vector>

#include "finegrain/core/atomic.hpp"
#include "finegrain/core/cache_line.hpp"
#include "finegrain/core/errors.hpp"
#include "finegrain/graph/early_end.hpp"
#include "finegrain/graph/graph_node.hpp"
#include "finegrain/graph/node_times.hpp"
#include "finegrain/graph/precedence.hpp"
#include "finegrain/graph/two_lanes.hpp"
#include "finegrain/pool/worker.hpp"
#include "finegrain/task/pool_task.hpp"

namespace fg::inline FINEGRAIN_ABI::detail {

/// One task a node, made once. A thread that has run a node goes on with the first one that this has
/// made ready, and leaves others to whoever takes them: between two nodes it answers workers that ask.
///
/// Each node with several predecessors counts those that have not ended. Who ends the last one has
/// the node to itself, and sets the count for the next run. The run is over when all nodes without
/// successors have ended: every node comes before one of them.
class stealing_run {
 public:
  stealing_run(const precedence& edges, std::span<const node_body> bodies, early_end& end,
               node_times& times)
      : edges_{edges}, bodies_{bodies}, end_{end}, times_{times}, tasks_(edges.nodes()) {
    for (std::uint32_t node = 0; node != edges.nodes(); ++node) {
      tasks_[node].run = this;
      tasks_[node].node = node;
      // Relaxed: so far one thread has it.
      tasks_[node].waits_for.store(count_of(node), memory_order_relaxed);
      if (edges.successors(node).empty()) {
        ++last_nodes_;
      }
    }
  }
  stealing_run(const stealing_run&) = delete;
  stealing_run& operator=(const stealing_run&) = delete;

  /// Runs all nodes, on this worker and those that take some. Requires: there is no cycle, and no
  /// other run.
  template <bool Timed>
  void run(worker& here) noexcept {
    if (tasks_.empty()) {
      return;
    }
    // Relaxed: the pushes release it.
    unfinished_.store(last_nodes_, memory_order_relaxed);
    node_task* first = nullptr;
    node_task* refused = nullptr;
    for (const std::uint32_t node : edges_.order()) {
      if (edges_.predecessors(node).empty()) {
        take_or_offer<Timed>(here, tasks_[node], first, refused);
      }
    }
    run_from<Timed>(here, first, refused);
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

  template <bool Timed>
  static void run_taken(pool_task& task) noexcept {
    auto& self = static_cast<node_task&>(task);
    self.run->run_from<Timed>(*worker::current(), &self, nullptr);
  }

  // `refused`: ready, but no queue has taken them; linked.
  template <bool Timed>
  void run_from(worker& here, node_task* next, node_task* refused) noexcept {
    while (next != nullptr) {
      const std::uint32_t node = next->node;
      run_guarded<Timed>(node);
      const std::span<const std::uint32_t> successors = edges_.successors(node);
      next = nullptr;
      for (const std::uint32_t after : successors) {
        if (makes_ready(after)) {
          take_or_offer<Timed>(here, tasks_[after], next, refused);
        }
      }
      const bool was_last = successors.empty();
      if (next == nullptr && refused != nullptr) {
        next = refused;
        refused = static_cast<node_task*>(refused->older);
      }
      if (was_last) {
        end_last(here);  // if it was the last of all, there is no next one
      }
      if (next != nullptr && is_asked_for_others(here)) [[unlikely]] {
        next = answer<Timed>(here, *next);
      }
    }
  }

  // A worker asks, and there are older tasks here, which a chain would keep from it.
  [[nodiscard]] static bool is_asked_for_others(worker& here) noexcept {
    return here.may_reserve() && here.wants_tasks() && here.deque().has_task();
  }

  // A push answers. Null: the others have taken everything, `next` as well.
  template <bool Timed>
  [[gnu::noinline]] static node_task* answer(worker& here, node_task& next) noexcept {
    // Relaxed: the push that publishes the task releases it.
    next.routine.store(&run_taken<Timed>, memory_order_relaxed);
    const bool is_here = here.push(next) == worker::pushed::nowhere || here.take_back_at_once(next);
    return is_here ? &next : nullptr;
  }

  template <bool Timed>
  void run_guarded(std::uint32_t node) noexcept {
    if (end_.is_set()) [[unlikely]] {
      return;
    }
    FINEGRAIN_TRY { call_node<Timed>(bodies_[node], node, times_); }
    FINEGRAIN_CATCH(...) { end_.keep(std::current_exception()); }
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

  template <bool Timed>
  static void take_or_offer(worker& here, node_task& ready, node_task*& next,
                            node_task*& refused) noexcept {
    if (next == nullptr) {
      next = &ready;
      return;
    }
    // Relaxed: the push that publishes the task releases it.
    ready.routine.store(&run_taken<Timed>, memory_order_relaxed);
    if (!here.try_push(ready) && here.push(ready) == worker::pushed::nowhere) {
      ready.older = refused;
      refused = &ready;
    }
  }

  void end_last(worker& here) noexcept {
    // Release: pairs with the acquire in run. This object may be gone afterwards.
    if (unfinished_.fetch_sub(1, memory_order_release) == 1) {
      here.tell_waiting();
    }
  }

  const precedence& edges_;
  std::span<const node_body> bodies_;
  early_end& end_;
  node_times& times_;
  std::vector<node_task> tasks_;
  std::size_t last_nodes_ = 0;
  alignas(kCacheLineBytes) atomic<std::size_t> unfinished_{0};
};

}  // namespace fg::inline FINEGRAIN_ABI::detail
