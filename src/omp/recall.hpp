// Takes back tasks that are in other threads' queues.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "task_life.hpp"

/// Recall: a waiting thread takes back its own tasks from wherever they are queued. Under policies
/// that push a thread's tasks to others, or take the oldest first, a thread that waits for its
/// children would otherwise find other threads' tasks first. So it lists the tasks that it has
/// pushed and takes them from the list, newest first. A thread that starts such a task, from the
/// list or from a queue, must claim it.
///
/// The list is a stack. The tasks that a running task has pushed are above those pushed before it
/// began, from `task::listed_below` on: all of them are its descendants, and may run while it
/// waits.
///
/// ## Holds
/// Three parties refer to a listed task: its queue, the list, and the thread that retires it. Each
/// has a hold on its block. A thread that finds a task claimed by another thread drops the hold of
/// the queue or list in which it found it. The runner keeps the hold of its own source in
/// `local_children`.
///
/// All functions are called by the thread itself, in its innermost region.
namespace fg::omp::recall {

/// Lists a task that is about to be pushed. Returns false if memory runs out; the task is pushed
/// all the same.
bool list(thread& self, task& made) noexcept;
/// Removes a task whose push was refused. Requires: it is the newest in the list.
void unlist(thread& self, task& made) noexcept;

/// Claims the newest unclaimed task created since `ancestor` began or, if that is null, since the
/// region began. Returns null if there is none.
task* take(thread& self, const task* ancestor) noexcept;

/// Claims a task taken from a queue. Returns false if another thread has it; the caller then
/// forgets it.
bool claim_queued(thread& self, task& found) noexcept;
/// Undoes `claim_queued`, before the task goes back into a queue.
void unclaim(task& found) noexcept;

/// Drops the claimed tasks among those created since the running task began. Linear.
void sweep(thread& self) noexcept;

/// Drops all tasks of the region from the list, at its end. Those still queued stay queued.
void forget(thread& self) noexcept;

}  // namespace fg::omp::recall
