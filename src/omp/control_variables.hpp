// The internal control variables that belong to a task.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "finegrain/core/atomic.hpp"

namespace fg::omp {

/// One task's values of what omp_set_num_threads and similar functions set. The runtime below keeps
/// one set for each of its implicit tasks and does not know our tasks, so a task that sets a value
/// gets a set of its own. Its children inherit the set, which is installed in the runtime while
/// they run.
///
/// The tasks that have inherited a set share it, and the last of them frees it. Immutable: a task
/// that sets another value gets a new set.
class control_variables {
 public:
  /// Returns the calling thread's current values. Ends the program if memory runs out.
  static control_variables* capture() noexcept;
  /// Sets them in the runtime below for the calling thread, whose number in LLVM's runtime is
  /// `runtime_id`.
  void apply(int runtime_id) const noexcept;

  // Relaxed: the caller already holds a reference. Acquire-release: all uses precede the deletion.
  void retain() noexcept { references_.fetch_add(1, memory_order_relaxed); }
  void release() noexcept {
    if (references_.fetch_sub(1, memory_order_acq_rel) == 1) {
      delete this;
    }
  }

 private:
  control_variables() = default;
  ~control_variables() = default;

  atomic<int> references_{1};
  int threads_ = 0;
  int dynamic_ = 0;
  int schedule_ = 0;
  int chunk_ = 0;
  int device_ = 0;
  int thread_limit_ = 0;  // set by LLVM's target constructs
};

}  // namespace fg::omp
