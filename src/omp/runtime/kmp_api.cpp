// The functions that LLVM's and Intel's runtimes have beside OpenMP's: kmp_*.
// SPDX-License-Identifier: Apache-2.0
#include <pthread.h>

#include <chrono>
#include <cstddef>
#include <cstdlib>
#include <limits>
#include <new>

#include "../settings.hpp"
#include "cancellation.hpp"
#include "cpu_set.hpp"
#include "entry.hpp"
#include "thread_binding.hpp"

// NOLINTBEGIN(readability-identifier-naming): the API's names; Fortran's end in an underscore
namespace fg::omp::runtime {
namespace {

using milliseconds = std::chrono::milliseconds;

constexpr int kEndless = std::numeric_limits<int>::max();  // of blocktime, as in LLVM's runtime
constexpr int kThroughput = 3;                             // of kmp_get_library

std::size_t default_stack_bytes() noexcept {
  pthread_attr_t attributes{};
  std::size_t bytes = 0;
  if (pthread_attr_init(&attributes) == 0) {
    pthread_attr_getstacksize(&attributes, &bytes);
    pthread_attr_destroy(&attributes);
  }
  return bytes;
}

// What kmp_create_affinity_mask has made.
using mask = cpu_set*;

bool is_cpu(int cpu) noexcept { return cpu >= 0 && cpu < cpu_set::most(); }
constexpr int kNoSuchCpu = -1;

}  // namespace

// Called by the program.

// The stacks of threads that are started later.
FINEGRAIN_OMP_GETTER(std::size_t, kmp_get_stacksize_s) {
  const std::size_t bytes = stack_bytes().load(memory_order_relaxed);  // a number of its own
  return bytes != 0 ? bytes : default_stack_bytes();
}
FINEGRAIN_OMP_GETTER(int, kmp_get_stacksize) {
  constexpr std::size_t kMost = std::numeric_limits<int>::max();
  return static_cast<int>(std::min(kmp_get_stacksize_s(), kMost));
}
FINEGRAIN_OMP_ENTRY void kmp_set_stacksize_s(std::size_t bytes) {
  stack_bytes().store(bytes, memory_order_relaxed);
}
FINEGRAIN_OMP_ENTRY void kmp_set_stacksize_s_(const std::size_t* bytes) {
  kmp_set_stacksize_s(*bytes);
}
FINEGRAIN_OMP_ENTRY void kmp_set_stacksize(int bytes) {
  kmp_set_stacksize_s(bytes > 0 ? static_cast<std::size_t>(bytes) : 0);
}
FINEGRAIN_OMP_ENTRY void kmp_set_stacksize_(const int* bytes) { kmp_set_stacksize(*bytes); }

// How long a waiting thread spins, in milliseconds; for all threads.
FINEGRAIN_OMP_GETTER(int, kmp_get_blocktime) {
  const milliseconds time = settings::instance().spin_time();
  return time.count() < kEndless ? static_cast<int>(time.count()) : kEndless;
}
FINEGRAIN_OMP_ENTRY void kmp_set_blocktime(int time) {
  settings::set_spin_time(milliseconds{time > 0 ? time : 0});
}
FINEGRAIN_OMP_ENTRY void kmp_set_blocktime_(const int* time) { kmp_set_blocktime(*time); }

// Which kind of waiting: throughput, the default, leaves CPUs to others after the blocktime;
// turnaround never does.
FINEGRAIN_OMP_GETTER(int, kmp_get_library) { return kThroughput; }
FINEGRAIN_OMP_ENTRY void kmp_set_library_throughput() {}
FINEGRAIN_OMP_ENTRY void kmp_set_library_throughput_() {}
FINEGRAIN_OMP_ENTRY void kmp_set_library_turnaround() { kmp_set_blocktime(kEndless); }
FINEGRAIN_OMP_ENTRY void kmp_set_library_turnaround_() { kmp_set_library_turnaround(); }

// Hints, and messages that we do not have.
FINEGRAIN_OMP_ENTRY void kmp_set_disp_num_buffers(int /*count*/) {}
FINEGRAIN_OMP_ENTRY void kmp_set_disp_num_buffers_(const int* /*count*/) {}
FINEGRAIN_OMP_ENTRY void kmp_set_warnings_on() {}
FINEGRAIN_OMP_ENTRY void kmp_set_warnings_on_() {}
FINEGRAIN_OMP_ENTRY void kmp_set_warnings_off() {}
FINEGRAIN_OMP_ENTRY void kmp_set_warnings_off_() {}

// Threads so far.
FINEGRAIN_OMP_GETTER(int, kmp_get_num_known_threads) { return count_threads(); }

// Whether the construct of this kind, as __kmpc_cancel numbers them, is cancelled.
FINEGRAIN_OMP_ENTRY int kmp_get_cancellation_status(int kind) {
  return is_cancelled(nullptr, 0, kind);
}
FINEGRAIN_OMP_ENTRY int kmp_get_cancellation_status_(const int* kind) {
  return kmp_get_cancellation_status(*kind);
}

// Memory.
FINEGRAIN_OMP_ENTRY void* kmp_malloc(std::size_t bytes) { return std::malloc(bytes); }
FINEGRAIN_OMP_ENTRY void* kmp_aligned_malloc(std::size_t bytes, std::size_t alignment) {
  void* block = nullptr;
  return posix_memalign(&block, std::max(alignment, sizeof(void*)), bytes) == 0 ? block : nullptr;
}
FINEGRAIN_OMP_ENTRY void* kmp_calloc(std::size_t count, std::size_t bytes) {
  return std::calloc(count, bytes);
}
FINEGRAIN_OMP_ENTRY void* kmp_realloc(void* block, std::size_t bytes) {
  return std::realloc(block, bytes);
}
FINEGRAIN_OMP_ENTRY void kmp_free(void* block) { std::free(block); }
FINEGRAIN_OMP_ENTRY void* kmp_malloc_(const std::size_t* bytes) { return kmp_malloc(*bytes); }
FINEGRAIN_OMP_ENTRY void* kmp_aligned_malloc_(const std::size_t* bytes,
                                              const std::size_t* alignment) {
  return kmp_aligned_malloc(*bytes, *alignment);
}
FINEGRAIN_OMP_ENTRY void* kmp_calloc_(const std::size_t* count, const std::size_t* bytes) {
  return kmp_calloc(*count, *bytes);
}
FINEGRAIN_OMP_ENTRY void* kmp_realloc_(void** block, const std::size_t* bytes) {
  return kmp_realloc(*block, *bytes);
}
FINEGRAIN_OMP_ENTRY void kmp_free_(void** block) { kmp_free(*block); }

// The CPUs that the calling thread may use. Return 0, or what is wrong.
FINEGRAIN_OMP_GETTER(int, kmp_get_affinity_max_proc) { return cpu_set::most(); }
FINEGRAIN_OMP_ENTRY void kmp_create_affinity_mask(mask* into) {
  try {
    *into = new cpu_set;
  } catch (const std::bad_alloc&) {
    end_without_memory("a set of CPUs");
  }
}
FINEGRAIN_OMP_ENTRY void kmp_destroy_affinity_mask(mask* of) {
  delete *of;
  *of = nullptr;
}
FINEGRAIN_OMP_ENTRY int kmp_set_affinity_mask_proc(int cpu, mask* of) {
  if (!is_cpu(cpu)) {
    return kNoSuchCpu;
  }
  (*of)->add(cpu);
  return 0;
}
FINEGRAIN_OMP_ENTRY int kmp_unset_affinity_mask_proc(int cpu, mask* of) {
  if (!is_cpu(cpu)) {
    return kNoSuchCpu;
  }
  (*of)->remove(cpu);
  return 0;
}
FINEGRAIN_OMP_ENTRY int kmp_get_affinity_mask_proc(int cpu, mask* of) {
  return is_cpu(cpu) ? ((*of)->has(cpu) ? 1 : 0) : kNoSuchCpu;
}
// The calling thread is then at no place, and binds no threads of its regions.
FINEGRAIN_OMP_ENTRY int kmp_set_affinity(mask* of) {
  if ((*of)->bind(pthread_self()) != 0) {
    return -1;
  }
  if (environment().initial.proc_bind != 0) {
    thread& self = thread::here();
    forget_placement(self);
    part_of(self).own().proc_bind = 0;
  }
  return 0;
}
FINEGRAIN_OMP_ENTRY int kmp_get_affinity(mask* of) {
  try {
    **of = cpu_set::of_caller();
  } catch (const std::bad_alloc&) {
    end_without_memory("a set of CPUs");
  }
  return 0;
}
FINEGRAIN_OMP_ENTRY void kmp_create_affinity_mask_(mask* into) { kmp_create_affinity_mask(into); }
FINEGRAIN_OMP_ENTRY void kmp_destroy_affinity_mask_(mask* of) { kmp_destroy_affinity_mask(of); }
FINEGRAIN_OMP_ENTRY int kmp_set_affinity_mask_proc_(const int* cpu, mask* of) {
  return kmp_set_affinity_mask_proc(*cpu, of);
}
FINEGRAIN_OMP_ENTRY int kmp_unset_affinity_mask_proc_(const int* cpu, mask* of) {
  return kmp_unset_affinity_mask_proc(*cpu, of);
}
FINEGRAIN_OMP_ENTRY int kmp_get_affinity_mask_proc_(const int* cpu, mask* of) {
  return kmp_get_affinity_mask_proc(*cpu, of);
}
FINEGRAIN_OMP_ENTRY int kmp_set_affinity_(mask* of) { return kmp_set_affinity(of); }
FINEGRAIN_OMP_ENTRY int kmp_get_affinity_(mask* of) { return kmp_get_affinity(of); }

}  // namespace fg::omp::runtime
// NOLINTEND(readability-identifier-naming)
