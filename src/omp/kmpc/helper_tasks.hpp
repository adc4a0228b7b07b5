// Tasks that the hidden helper threads of LLVM's runtime run.
#pragma once

#include <cstdint>
#include <span>

#include "../dependences.hpp"
#include "../thread.hpp"
#include "kmpc.hpp"

namespace fg::omp::kmpc {

/// Target tasks without waiting run on threads of the runtime below that do nothing else, so that
/// they go on beside the program. Such a task is made by the runtime. In our graph a *shadow*
/// stands for it: a detachable task of ours whose body hands the real task over, and whose event is
/// fulfilled when that has ended. So dependences, taskwait and taskgroup know one kind of task.

/// Whether the runtime below may have such threads; with LIBOMP_USE_HIDDEN_HELPER_TASK=0 or
/// LIBOMP_NUM_HIDDEN_HELPER_THREADS=0 it has none, and the tasks are ordinary ones. Intel's never
/// has any, and does not tell: there the thread that hands a task over has it run at once.
bool has_helper_threads() noexcept;

/// Submits a task that the runtime below has made, as a child of the running one.
void submit_helper_task(thread& self, task_data* real, std::span<const dependence> items) noexcept;

}  // namespace fg::omp::kmpc
