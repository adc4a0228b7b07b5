// Tasks as GNU's ABI makes them.
#pragma once

#include <cstddef>
#include <cstdint>

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

/// A task with a copy of the data.
task& make(thread& self, const task_source& source, unsigned flags) noexcept;

/// The copy.
void* data_of(task& one) noexcept;

/// Runs the routine now as a task of its own, on the data themselves where they need no copy.
void run_now(thread& self, const task_source& source, unsigned flags) noexcept;

/// What a priority clause stands for: at most what the runtime below allows.
std::int8_t priority_of(int asked) noexcept;

}  // namespace fg::omp::gomp
