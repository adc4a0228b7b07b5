// The constructs that both ABIs share: taskgroup, depend, detach.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>

#include "scheduler.hpp"

namespace fg::omp {

/// Opens a taskgroup in the running task.
taskgroup& open_taskgroup(thread& self) noexcept;
/// Waits for the innermost taskgroup of the running task and closes it.
void close_taskgroup(thread& self) noexcept;

/// Counts and submits a task that depends on its siblings.
void submit_depending(thread& self, task& made, std::span<const dependence> items) noexcept;
/// Counts a task of a replayed taskgraph, and submits it when those before it have finished.
void submit_replayed(thread& self, task& made, graph_replay& run, std::uint32_t number) noexcept;
/// Waits for the siblings on which a task with these items would depend.
void wait_for_dependences(thread& self, std::span<const dependence> items) noexcept;

/// Creates the event of a task that has not been submitted yet.
completion_event& make_event(thread& self, task& made) noexcept;

/// Whether the task was cancelled before it began.
[[nodiscard]] inline bool is_dropped(const task& one) noexcept {
  return one.group != nullptr && one.group->is_cancelled();
}

}  // namespace fg::omp
