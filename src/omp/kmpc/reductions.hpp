// Task reductions of LLVM's ABI: the threads' copies of a variable.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

#include "../taskgroup.hpp"
#include "../thread.hpp"

namespace fg::omp::kmpc {

/// kmp_taskred_input_t: one item of a clause.
struct reduction_input {
  void* shared;
  void* original;  ///< what the initializer may read; null: `shared`
  std::size_t bytes;
  void (*initialize)(void* copy, void* original);  ///< null: zeros
  void (*finalize)(void* copy);                    ///< may be null
  void (*combine)(void* into, void* copy);
  std::uint32_t flags;  ///< 1: copies may be created when they are requested
};

/// kmp_task_red_input_t: the form before OpenMP 5.
struct legacy_reduction_input {
  void* shared;
  std::size_t bytes;
  void (*initialize)(void* copy);
  void (*finalize)(void* copy);
  void (*combine)(void* into, void* copy);
  std::uint32_t flags;
};

/// One item of either form.
struct reduction_item {
  reduction_input from;
  void (*initialize_alone)(void* copy);  ///< the legacy initializer
};
std::vector<reduction_item> decode(std::int32_t count, const reduction_input* items);
std::vector<reduction_item> decode(std::int32_t count, const legacy_reduction_input* items);

/// Adds items to the innermost taskgroup of the running task. Returns the taskgroup.
taskgroup* add_reductions(thread& self, const std::vector<reduction_item>& items) noexcept;

/// Like `add_reductions`, for reduction(task, ...) on a parallel or worksharing construct, whose
/// threads share the copies. Opens a taskgroup, which `end_taskgroup` closes.
taskgroup* open_shared_reductions(thread& self, bool worksharing,
                                  const std::vector<reduction_item>& items) noexcept;

/// Waits for the innermost taskgroup, combines the copies, and closes the group.
void end_taskgroup(thread& self) noexcept;

/// Returns the calling thread's copy of `item`, which is the shared variable or any thread's copy
/// of it. `from`: the taskgroup where the search starts; null: the innermost.
void* private_copy(thread& self, taskgroup* from, void* item) noexcept;

}  // namespace fg::omp::kmpc
