// The functions of OpenMP's API that concern tasks, or that set control variables, which belong to
// tasks.
// SPDX-License-Identifier: Apache-2.0
#include <cstdint>
#include <type_traits>

#include "export.hpp"
#include "next_function.hpp"
#include "scheduler.hpp"
#include "takeover.hpp"

// NOLINTBEGIN(readability-identifier-naming): the API's names; Fortran's end in an underscore
namespace fg::omp {

// Called by the program, on any thread, to fulfil the event of a detachable task.
FINEGRAIN_OMP_ENTRY void omp_fulfill_event(std::uintptr_t handle) {
  // NOLINTNEXTLINE(performance-no-int-to-ptr): the API's handle is an integer
  auto* const event = reinterpret_cast<completion_event*>(handle);
  if (is_passive() || event->mark != completion_event::kMark) [[unlikely]] {
    FINEGRAIN_OMP_NEXT(omp_fulfill_event)(handle);
    return;
  }
  fulfil(*event);
}
FINEGRAIN_OMP_ENTRY void omp_fulfill_event_(std::uintptr_t handle) { omp_fulfill_event(handle); }

// Called by the program; returns 1 in a final task, else 0.
FINEGRAIN_OMP_ENTRY int omp_in_final() {
  if (is_passive()) [[unlikely]] {
    return FINEGRAIN_OMP_NEXT(omp_in_final)();
  }
  return thread::here().running->is(task::kFinal) ? 1 : 0;
}
FINEGRAIN_OMP_ENTRY int omp_in_final_() { return omp_in_final(); }

// Called by the program; returns 1 in an explicit task, else 0.
FINEGRAIN_OMP_ENTRY int omp_in_explicit_task() {
  if (is_passive()) [[unlikely]] {
    return FINEGRAIN_OMP_NEXT(omp_in_explicit_task)();
  }
  return thread::here().running->is(task::kImplicit) ? 0 : 1;
}
FINEGRAIN_OMP_ENTRY int omp_in_explicit_task_() { return omp_in_explicit_task(); }

namespace {

// Calls a setter of the runtime below for the running task.
template <class... Values>
void set(void (*real)(Values...), std::type_identity_t<Values>... values) noexcept {
  if (is_passive() || thread::here().in_runtime) {
    real(values...);
    return;
  }
  const thread& self = thread::here();
  self.before_setting();
  real(values...);
  self.after_setting();
}

}  // namespace

// Called by the program to set a control variable of the running task; Fortran passes addresses.

FINEGRAIN_OMP_ENTRY void omp_set_num_threads(int threads) {
  set(FINEGRAIN_OMP_NEXT(omp_set_num_threads), threads);
}
FINEGRAIN_OMP_ENTRY void omp_set_num_threads_(const int* threads) {
  set(FINEGRAIN_OMP_NEXT(omp_set_num_threads), *threads);
}
FINEGRAIN_OMP_ENTRY void omp_set_num_threads_8_(const long long* threads) {
  set(FINEGRAIN_OMP_NEXT(omp_set_num_threads), static_cast<int>(*threads));
}
FINEGRAIN_OMP_ENTRY void omp_set_dynamic(int dynamic) {
  set(FINEGRAIN_OMP_NEXT(omp_set_dynamic), dynamic);
}
FINEGRAIN_OMP_ENTRY void omp_set_dynamic_(const int* dynamic) {
  set(FINEGRAIN_OMP_NEXT(omp_set_dynamic), *dynamic);
}
FINEGRAIN_OMP_ENTRY void omp_set_dynamic_8_(const long long* dynamic) {
  set(FINEGRAIN_OMP_NEXT(omp_set_dynamic), *dynamic != 0 ? 1 : 0);
}
FINEGRAIN_OMP_ENTRY void omp_set_schedule(int kind, int chunk) {
  set(FINEGRAIN_OMP_NEXT(omp_set_schedule), kind, chunk);
}
FINEGRAIN_OMP_ENTRY void omp_set_schedule_(const int* kind, const int* chunk) {
  set(FINEGRAIN_OMP_NEXT(omp_set_schedule), *kind, *chunk);
}
FINEGRAIN_OMP_ENTRY void omp_set_schedule_8_(const int* kind, const long long* chunk) {
  set(FINEGRAIN_OMP_NEXT(omp_set_schedule), *kind, static_cast<int>(*chunk));
}
FINEGRAIN_OMP_ENTRY void omp_set_default_device(int device) {
  set(FINEGRAIN_OMP_NEXT(omp_set_default_device), device);
}
FINEGRAIN_OMP_ENTRY void omp_set_default_device_(const int* device) {
  set(FINEGRAIN_OMP_NEXT(omp_set_default_device), *device);
}
FINEGRAIN_OMP_ENTRY void omp_set_default_device_8_(const long long* device) {
  set(FINEGRAIN_OMP_NEXT(omp_set_default_device), static_cast<int>(*device));
}

}  // namespace fg::omp
// NOLINTEND(readability-identifier-naming)
