// The internal control variables that belong to tasks.
#pragma once

#include "finegrain/core/atomic.hpp"

namespace fg::omp {

struct task;
struct thread;

/// The control variables that omp_set_num_threads and its like set. The runtime below keeps one set
/// for each of its implicit tasks, knowing nothing of ours; so a task in which one of them was set
/// has its own, which its children inherit, and which is put into the runtime while it runs.
///
/// Shared by the tasks that have inherited it; freed by the last one. Not changed after it was
/// made: a task that sets another one gets a new record.
class control_variables {
 public:
  /// Those of the calling thread now. Throws std::bad_alloc.
  static control_variables* capture();
  /// Puts them into the runtime below, for the calling thread. `runtime_id`: LLVM's number of it.
  void apply(int runtime_id) const noexcept;

  // Relaxed: whoever adds one has one; acquire, release: all uses come before the deletion.
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
  int thread_limit_ = 0;  // LLVM's target constructs set it
};

/// Puts those of `next`, null for the implicit task's own, in the place of those of the task that
/// the thread runs.
void switch_control_variables(thread& self, control_variables* next) noexcept;

/// After a setter of the runtime below was called in the running task; `before_setting` has to be
/// called ahead of it.
void before_setting(thread& self) noexcept;
void after_setting(thread& self) noexcept;

}  // namespace fg::omp
