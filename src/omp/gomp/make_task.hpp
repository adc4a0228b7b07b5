// Tasks as GNU's ABI makes them.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>

#include "../scheduler.hpp"
#include "gomp.hpp"

namespace fg::omp::gomp {

/// What the compiled code says of a task: its routine, and the data of which it gets a copy.
struct task_source {
  body routine;
  void* data;
  copy_constructor copy;  ///< null: byte by byte
  std::size_t bytes;
  std::size_t alignment;
};

/// What a task of this ABI has in front of its data.
struct task_head {
  body routine;
  void* data;
};

inline task_head& head_of(task& one) noexcept { return *static_cast<task_head*>(one.data()); }

/// The routine of every task that this ABI makes.
void run_body(pool_task& queued) noexcept;

/// A task with a copy of the data, byte by byte, if memory for it is at hand, which an
/// extraordinary alignment never is; otherwise null, and nothing happened.
inline task* make_at_hand(thread& self, body routine, const void* data, std::size_t bytes,
                          std::size_t alignment) noexcept {
  // A block begins on a line; what follows the head lies as a task does.
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

/// The same without a copy: for a task that runs before the data go.
inline task* make_around(thread& self, body routine, void* data) noexcept {
  task* const made = make_task_at_hand(self, sizeof(task_head), &run_body, 0);
  if (made != nullptr) [[likely]] {
    head_of(*made) = {.routine = routine, .data = data};
  }
  return made;
}

/// A task with a copy of the data.
task& make(thread& self, const task_source& source, unsigned flags) noexcept;

/// The copy.
void* data_of(task& one) noexcept;

/// Runs the routine now as a task of its own, on the data themselves where they need no copy.
void run_now(thread& self, const task_source& source, unsigned flags) noexcept;

/// What a priority clause stands for: at most what the runtime below allows.
std::int8_t priority_of(int asked) noexcept;

}  // namespace fg::omp::gomp
