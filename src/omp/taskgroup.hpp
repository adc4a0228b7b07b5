// The taskgroup construct.
#pragma once

#include <cstdint>

#include "finegrain/core/atomic.hpp"
#include "task.hpp"

namespace fg::omp {

struct reduction_scope;

/// Waits, at its end, for the tasks that its task has made inside it, and for all their
/// descendants. Only the tasks made by that task itself are counted: each of them is gone only when
/// its descendants are. So tasks deeper down cost no operation on the group.
///
/// The count is `local + remote`, kept as `task` keeps its children: `local` by the thread of the
/// group's task.
struct taskgroup {
  taskgroup* outer;
  task* opened_by;
  std::uint64_t local = 0;
  atomic<std::uint64_t> remote{0};
  /// Relaxed: a request. Tasks of the group that have not begun are dropped.
  atomic<bool> cancelled{false};
  reduction_scope* reductions = nullptr;  ///< LLVM's, of this group's clauses; null: none
  std::uintptr_t* arrays = nullptr;       ///< GNU's, those of the groups around included

  [[nodiscard]] bool is_empty() const noexcept {
    return local + remote.load(memory_order_acquire) == 0;  // pairs with the release in leave
  }

  /// Whether it, or one around it, is cancelled.
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
