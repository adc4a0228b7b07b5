// Taking back tasks that lie in other threads' queues.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "task_life.hpp"

/// Under policies that push a thread's tasks to others, or take them in order of age, a thread that
/// waits for its children would find everybody else's tasks first. So it lists the tasks that it
/// has pushed and takes them from the list, newest first, wherever they are queued: the owner's
/// recall. Whoever begins such a task, from the list or from a queue, has to claim it.
///
/// The list is a stack. The tasks that a running task has pushed lie above those pushed before it
/// began, from `task::listed_below` on: all of them are its descendants, and may run while it
/// waits.
///
/// ## Holds
/// Three parties refer to a listed task: its queue, the list, and whoever retires it. Each has a
/// hold on its block. A thread that finds a task claimed by another drops the hold of the queue or
/// list in which it found it. The runner keeps the hold of its own source in `local_children`.
///
/// All functions: the thread itself, in its innermost region.
namespace fg::omp::recall {

/// Lists a task that is about to be pushed. False: no memory; the task is pushed all the same.
bool list(thread& self, task& made) noexcept;
/// After the push was refused. Requires: it is the newest one of the list.
void unlist(thread& self, task& made) noexcept;

/// Claims the newest unclaimed task made since `ancestor` began, or, if that is null, since the
/// region began; null if there is none.
task* take(thread& self, const task* ancestor) noexcept;

/// Claims a task that a queue gave. False: another thread has it; forget it.
bool claim_queued(thread& self, task& found) noexcept;
/// Before the task goes back into a queue, after `claim_queued`.
void unclaim(task& found) noexcept;

/// Forgets the claimed tasks among those made since the running task began. Linear.
void sweep(thread& self) noexcept;

/// Forgets all tasks of the region, at its end: those that are still queued stay there.
void forget(thread& self) noexcept;

}  // namespace fg::omp::recall
