// What an application of the suite wants of whoever runs its tasks.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <concepts>
#include <type_traits>

namespace fg::bench::bots {

/// Where tasks go: a handle that is passed by value, cheap to copy. Every task is called with one
/// of its own, through which it may spawn further ones.
///
/// `spawn(task)` has a copy of `task` called as `task(Tasks)` some time before `wait` returns, on
/// any thread; `wait()` returns when all tasks of the group have ended. Both are for the task that
/// made the group. It has one group at a time and waits before it ends the group: under OpenMP a
/// group is all the children of a task.
template <class Tasks>
concept task_handle =
    std::copyable<Tasks> && std::is_constructible_v<typename Tasks::group, Tasks> &&
    requires(typename Tasks::group& group, void (*task)(Tasks)) {
      group.spawn(task);
      group.wait();
    };

}  // namespace fg::bench::bots
