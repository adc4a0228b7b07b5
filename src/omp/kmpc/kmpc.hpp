// The ABI of LLVM's and Intel's OpenMP runtimes, as far as tasks need it.
#pragma once

#include <cstddef>
#include <cstdint>

/// Names and layouts as clang 14 to 19 emit them (LLVM's openmp/runtime/src/kmp.h documents them).
/// The functions are called by compiled code, so they keep its names.
namespace fg::omp::kmpc {

struct ident;  ///< where in the source; passed on

using micro_task = void (*)(std::int32_t* gtid, std::int32_t* btid, ...);
struct task_data;
using task_entry = std::int32_t (*)(std::int32_t gtid, task_data* data);

/// kmp_task_t: what the compiled code sees of a task. Its private data follow.
struct task_data {
  void* shareds;
  task_entry routine;
  std::int32_t part_id;
  union {
    std::int32_t priority;
    task_entry routine;
  } destructors;  ///< at 24
  union {
    std::int32_t value;
    task_entry routine;
  } priority;  ///< at 32
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

}  // namespace fg::omp::kmpc
