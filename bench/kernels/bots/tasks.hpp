// The interface through which an application of the suite spawns tasks.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <concepts>
#include <type_traits>

namespace fg::bench::bots {

/// A handle to which tasks are spawned: passed by value, cheap to copy. Every task is called with a
/// handle of its own, through which it may spawn further tasks.
///
/// `spawn(task)` copies `task`, which is called as `task(Tasks)` before `wait` returns, on any
/// thread; `wait()` returns when all tasks of the group have ended. Only the task that made the
/// group calls them. It has one group at a time and waits before it ends the group: under OpenMP a
/// group is all the children of a task.
template <class Tasks>
concept task_handle =
    std::copyable<Tasks> && std::is_constructible_v<typename Tasks::group, Tasks> &&
    requires(typename Tasks::group& group, void (*task)(Tasks)) {
      group.spawn(task);
      group.wait();
    };

}  // namespace fg::bench::bots
