// The internal control variables that belong to a task.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "finegrain/core/atomic.hpp"

namespace fg::omp {

/// The values that omp_set_num_threads and its like set. The runtime below keeps one set for each
/// of its implicit tasks and knows nothing of ours, so a task that sets one of them gets a set of
/// its own, which its children inherit and which is put into the runtime while they run.
///
/// Shared by the tasks that have inherited it, and freed by the last of them. Never changed after
/// it is made: a task that sets another value gets a new set.
class control_variables {
 public:
  /// The calling thread's values now. Ends the program without memory.
  static control_variables* capture() noexcept;
  /// Sets them in the runtime below, for the calling thread. `runtime_id`: LLVM's number of it.
  void apply(int runtime_id) const noexcept;

  // Relaxed: the caller already holds a reference. Acquire, release: all uses precede the deletion.
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
