// The ABI of LLVM's and Intel's OpenMP runtimes, as far as tasks need it: layouts and flags.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>

/// Names and layouts as clang 14 to 19 emit them, documented by LLVM's openmp/runtime/src/kmp.h.
/// Compiled code calls the functions, so they have the ABI's names.
namespace fg::omp::kmpc {

struct ident;  ///< a source location; passed on

using micro_task = void (*)(std::int32_t* gtid, std::int32_t* btid, ...);
struct task_data;
using task_entry = std::int32_t (*)(std::int32_t gtid, task_data* data);

/// kmp_task_t: the part of a task that compiled code sees. Its private data follow.
struct task_data {
  void* shareds;
  task_entry routine;
  std::int32_t part_id;
  union {
    std::int32_t priority;
    task_entry routine;
  } destructors;  ///< at offset 24
  union {
    std::int32_t value;
    task_entry routine;
  } priority;  ///< at offset 32
};
static_assert(sizeof(task_data) == 40 && offsetof(task_data, destructors) == 24);

/// Flags of __kmpc_omp_task_alloc.
enum : std::int32_t {
  kFinalTask = 2,
  kDestructors = 8,
  kPriority = 0x20,
  kDetachable = 0x40,
  kHiddenHelper = 0x80
};

/// kmp_depend_info_t.
struct depend_info {
  std::intptr_t base;
  std::size_t length;
  std::uint8_t flags;
};

// Functions that are passed on before their definition, or that only the runtime below defines.
// NOLINTBEGIN(bugprone-reserved-identifier,readability-identifier-naming): the ABI's names
extern "C" {
std::int32_t __kmpc_bound_num_threads(ident* where);
void __kmpc_fork_call(ident* where, std::int32_t count, micro_task body, ...);
void __kmpc_fork_teams(ident* where, std::int32_t count, micro_task body, ...);
task_data* __kmpc_omp_task_alloc(ident* where, std::int32_t gtid, std::int32_t flags,
                                 std::size_t data_bytes, std::size_t shared_bytes,
                                 task_entry routine);
std::int32_t __kmpc_omp_task(ident* where, std::int32_t gtid, task_data* data);
std::int32_t __kmpc_omp_taskwait(ident* where, std::int32_t gtid);
std::int32_t __kmpc_omp_taskyield(ident* where, std::int32_t gtid, int end_part);
}
// NOLINTEND(bugprone-reserved-identifier,readability-identifier-naming)

/// Opens a region: __kmpc_fork_call, __kmpc_fork_teams.
using fork = decltype(__kmpc_fork_call);

}  // namespace fg::omp::kmpc
