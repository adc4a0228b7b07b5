// The tasks of a recorded graph that are made again, and which of them wait for which.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "finegrain/core/atomic.hpp"

namespace fg::omp {

struct task;

/// Which tasks of a graph wait for which, by their numbers. Does not change while it is replayed.
struct recorded_edges {
  std::vector<std::uint32_t> predecessors;  ///< by task: how many
  std::vector<std::uint32_t> first;         ///< by task: its first one in `successors`; and the end
  std::vector<std::uint32_t> successors;

  [[nodiscard]] std::span<const std::uint32_t> after(std::uint32_t number) const noexcept {
    return {successors.data() + first[number], successors.data() + first[number + 1]};
  }
  [[nodiscard]] bool are_of(std::uint32_t number) const noexcept {
    return predecessors[number] != 0 || first[number] != first[number + 1];
  }
};

/// One replay. In place of the nodes of `dependence_table`, whose edges are found anew for each task,
/// under locks, and forgotten: one counter for each task.
///
/// ## Protocol
/// A counter has the predecessors that have not finished, plus one until the task is there. So tasks
/// may finish while others are still being made; who takes a counter to zero makes its task ready.
/// Who has begun the replay keeps it until all of its tasks have finished.
class graph_replay {
 public:
  /// Throws std::bad_alloc.
  explicit graph_replay(const recorded_edges& edges)
      : edges_{edges}, nodes_{std::make_unique<node[]>(edges.predecessors.size())} {
    for (std::size_t i = 0; i < edges.predecessors.size(); ++i) {
      // Relaxed: published with the tasks.
      nodes_[i].blockers.store(edges.predecessors[i] + 1, memory_order_relaxed);
    }
  }

  /// Adds a task, each in its turn. Returns whether it is ready. By the thread that has begun the replay.
  [[nodiscard]] bool add(std::uint32_t number, task& made) noexcept {
    nodes_[number].whose = &made;
    return unblock(nodes_[number]);
  }

  /// Calls `tell` for each task that has waited for this one only. Once, by the thread that finishes it.
  template <class Tell>
  void finish(std::uint32_t number, Tell tell) noexcept {
    for (const std::uint32_t each : edges_.after(number)) {
      if (unblock(nodes_[each])) {
        tell(*nodes_[each].whose);
      }
    }
  }

 private:
  struct node {
    task* whose = nullptr;
    atomic<std::uint32_t> blockers{0};
  };

  static bool unblock(node& one) noexcept {
    // Release: publishes the task, or what its predecessor did. Acquire: the last one passes all of it
    // on to the task.
    return one.blockers.fetch_sub(1, memory_order_acq_rel) == 1;
  }

  const recorded_edges& edges_;
  std::unique_ptr<node[]> nodes_;
};

}  // namespace fg::omp
