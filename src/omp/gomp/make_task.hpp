// Creates tasks as GNU's ABI describes them, with a copy of their data.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>

#include "../scheduler.hpp"
#include "gomp.hpp"

namespace fg::omp::gomp {

/// A task as compiled code describes it: its routine, and the data that it gets a copy of.
struct task_source {
  body routine;
  void* data;
  copy_constructor copy;  ///< null: byte by byte
  std::size_t bytes;
  std::size_t alignment;
};

/// Header that precedes the data in a task of this ABI.
struct task_head {
  body routine;
  void* data;
};

inline task_head& head_of(task& one) noexcept { return *static_cast<task_head*>(one.data()); }

/// The routine of every task of this ABI.
void run_body(pool_task& queued) noexcept;

/// Creates a task with a bytewise copy of the data if a recycled block is available, which it never
/// is for a large alignment. Otherwise returns null without any effect.
inline task* make_at_hand(thread& self, body routine, const void* data, std::size_t bytes,
                          std::size_t alignment) noexcept {
  // A block begins at a cache line; the data after the head are aligned as a task is.
  if (alignment > alignof(task)) [[unlikely]] {
    return nullptr;
  }
  task* const made = make_task_at_hand(self, sizeof(task_head) + bytes, &run_body, 0);
  if (made != nullptr) [[likely]] {
    task_head& head = head_of(*made);
    head = {.routine = routine, .data = &head + 1};
    std::memcpy(head.data, data, bytes);
  }
  return made;
}

/// Like `make_at_hand`, but without a copy, for a task that runs while the data exist.
inline task* make_around(thread& self, body routine, void* data) noexcept {
  task* const made = make_task_at_hand(self, sizeof(task_head), &run_body, 0);
  if (made != nullptr) [[likely]] {
    head_of(*made) = {.routine = routine, .data = data};
  }
  return made;
}

/// Creates a task with a copy of the data, made by the copy constructor if there is one.
task& make(thread& self, const task_source& source, unsigned flags) noexcept;

/// Returns the task's data.
void* data_of(task& one) noexcept;

/// Runs the routine immediately, as a task of its own, on the original data if they need no copy.
void run_now(thread& self, const task_source& source, unsigned flags) noexcept;

/// Returns the priority that a clause asks for, limited to what the runtime below allows.
std::int8_t priority_of(int asked) noexcept;

}  // namespace fg::omp::gomp
