// Target tasks, which the hidden helper threads of LLVM's runtime run.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <span>

#include "../dependences.hpp"
#include "../thread.hpp"
#include "kmpc.hpp"

namespace fg::omp::kmpc {

/// Target tasks with nowait run beside the program, on threads of the runtime below that do nothing
/// else. The runtime creates such a task. In our graph a *shadow* stands for it: a detachable task
/// of ours whose body hands the real task over, and whose event is fulfilled when that has ended.
/// So dependences, taskwait and taskgroup handle one kind of task only.

/// Whether the runtime below may have such threads. With LIBOMP_USE_HIDDEN_HELPER_TASK=0 or
/// LIBOMP_NUM_HIDDEN_HELPER_THREADS=0 it has none, and the tasks are ordinary ones. Intel's never
/// has any and does not report that: there the thread that hands a task over runs it immediately.
bool has_helper_threads() noexcept;

/// Submits a task that the runtime below has created, as a child of the running one.
void submit_helper_task(thread& self, task_data* real, std::span<const dependence> items) noexcept;

}  // namespace fg::omp::kmpc
