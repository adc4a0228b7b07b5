// Taking back tasks that lie in other threads' queues.
#pragma once

#include <cstdint>

#include "task.hpp"
#include "thread.hpp"

namespace fg::omp {

/// Under policies that push a thread's tasks to others, or take them in order of age, the thread
/// that waits for its children would find everybody else's first. So it keeps a list of those that
/// it has pushed, and takes them from there, newest first, wherever they are queued: the owner's
/// recall. Who begins such a task, from the list or from a queue, has to claim it.
///
/// The list is a stack, and the tasks of one that runs lie above those that were pushed before it
/// began; `task::listed_below` is where. So everything above is a descendant, and may run there.
///
/// ## Holds
/// A listed task is referred to by its queue, by the list, and by whoever buries it: three holds on
/// its block. Who finds that somebody else has claimed it drops the hold of the place where it was
/// found. The runner has its own place's hold in `local_children`.
///
/// All functions: the thread itself, in its innermost region.
namespace recall {

/// Lists a task that is about to be pushed. False: no memory; then it is pushed all the same.
bool list(thread& self, task& made) noexcept;
/// After the push was refused. Requires: it is the newest one of the list.
void unlist(thread& self, task& made) noexcept;

/// The newest task that nobody has claimed, made since `ancestor` began, claimed; null if there is
/// none. Null for `ancestor`: since the region began.
task* take(thread& self, const task* ancestor) noexcept;

/// A task that a queue gave: true if the caller may run it. False: it was claimed; forget it.
bool claim_queued(thread& self, task& found) noexcept;
/// Back into a queue, after `claim_queued`.
void unclaim(task& found) noexcept;

/// Forgets those made since the running task began that somebody has claimed. Linear.
void sweep(thread& self) noexcept;

/// Forgets all of them, at the end of the region: those that are still queued stay there.
void forget(thread& self) noexcept;

}  // namespace recall

/// One hold less; frees the block if that was the last reference. Any thread.
void drop_hold(thread& self, task& held) noexcept;

}  // namespace fg::omp
