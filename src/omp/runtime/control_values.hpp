// The internal control variables of our own runtime: values of a task, and those of the process.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "finegrain/core/atomic.hpp"

namespace fg::omp::runtime {

/// omp_sched_t, without the modifier. `trapezoidal`: of LLVM's runtime only; ours runs it as guided.
enum class schedule_kind : int {
  statically = 1,
  dynamic = 2,
  guided = 3,
  automatic = 4,
  trapezoidal = 101
};

/// The bit of omp_sched_t that says monotonic.
inline constexpr unsigned kMonotonic = 0x80000000U;

/// Of an omp_sched_t.
constexpr schedule_kind kind_of(unsigned schedule) noexcept {
  return static_cast<schedule_kind>(schedule & ~kMonotonic);
}

/// The control variables that an implicit task has a copy of.
struct control_values {
  int threads = 1;      ///< of the next region: nthreads-var
  int dynamic = 0;      ///< dyn-var
  int schedule = 1;     ///< omp_sched_t of schedule(runtime): run-sched-var
  int chunk = 0;        ///< of it; 0: not said
  int most_levels = 1;  ///< max-active-levels-var
  int device = 0;       ///< default-device-var
  int thread_limit = 0;
  int proc_bind = 0;  ///< omp_proc_bind_t of the next region: bind-var
};

/// What the environment says once for the process.
struct environment_values {
  control_values initial;
  std::vector<int> threads_by_level;  ///< OMP_NUM_THREADS, if it is a list
  std::vector<int> bind_by_level;     ///< OMP_PROC_BIND, likewise
  std::size_t stack_bytes = 0;        ///< OMP_STACKSIZE; 0: the system's
  int cpus = 1;  ///< that the process could use at its start, as far as KMP_HW_SUBSET lets it
  int most_priority = 0;
  int teams = 0;  ///< OMP_NUM_TEAMS
  int teams_thread_limit = 0;
  std::uintptr_t allocator = 1;    ///< OMP_ALLOCATOR, one of the predefined ones
  bool displays_affinity = false;  ///< OMP_DISPLAY_AFFINITY
  bool displays_itself = false;    ///< OMP_DISPLAY_ENV
  bool displays_all = false;       ///< the same, verbose
  bool displays_settings = false;  ///< KMP_SETTINGS
};

/// The stacks of threads that are started from now on; 0: the system's. At first OMP_STACKSIZE.
/// Relaxed: a number that orders nothing.
atomic<std::size_t>& stack_bytes() noexcept;

/// nteams-var and teams-thread-limit-var of the process; 0: not said. Relaxed, too.
atomic<int>& most_teams() noexcept;
atomic<int>& teams_thread_limit() noexcept;

/// Read once. Any thread.
const environment_values& environment() noexcept;

/// OpenMP's omp_get_supported_active_levels: what two signed bytes hold, as in LLVM's runtime.
inline constexpr int kMostLevels = 32767;
/// What omp_get_thread_limit returns without a limit, as in LLVM's runtime.
inline constexpr int kNoThreadLimit = 0x7fffffff;

}  // namespace fg::omp::runtime
