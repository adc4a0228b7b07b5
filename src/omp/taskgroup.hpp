// The taskgroup construct: its end waits for the tasks created in it and all their descendants.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "finegrain/core/atomic.hpp"
#include "task.hpp"

namespace fg::omp {

struct reduction_scope;

/// Counts the tasks that its task has created inside it, for which its end waits. Their descendants
/// are waited for without being counted, since a task is gone only when its descendants are: they
/// cost no operation on the group.
///
/// The count is `local + remote`, maintained like a task's children: `local` belongs to the thread
/// of the group's task.
struct taskgroup {
  taskgroup* outer;
  task* opened_by;  ///< null: it has a region's tasks, and is only there to be cancelled
  std::uint64_t local = 0;
  atomic<std::uint64_t> remote{0};
  /// If set, tasks of the group that have not begun are dropped. Relaxed: a request.
  atomic<bool> cancelled{false};
  /// Opened for the reductions of a worksharing construct or a region: `cancel taskgroup` means the
  /// one around it.
  bool is_implicit = false;
  reduction_scope* reductions = nullptr;  ///< LLVM's, of this group's clauses; null: none
  std::uintptr_t* arrays = nullptr;       ///< GNU's, including those of the enclosing groups

  [[nodiscard]] bool is_empty() const noexcept {
    return local + remote.load(memory_order_acquire) ==
           0;  // pairs with the release in subtract_from_group
  }

  /// Whether the group or an enclosing one is cancelled.
  [[nodiscard]] bool is_cancelled() const noexcept {
    for (const taskgroup* each = this; each != nullptr; each = each->outer) {
      if (each->cancelled.load(memory_order_relaxed)) {
        return true;
      }
    }
    return false;
  }
};

}  // namespace fg::omp
