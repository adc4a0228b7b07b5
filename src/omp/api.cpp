// What a program may call itself: the functions of OpenMP's API that are about tasks. Those that
// set control variables are in control_variables.cpp.
#include <cstdint>

#include "export.hpp"
#include "next_function.hpp"
#include "scheduler.hpp"
#include "takeover.hpp"

// NOLINTBEGIN(readability-identifier-naming): the API's names; with an underscore those of Fortran
namespace fg::omp {

FINEGRAIN_OMP_ENTRY void omp_fulfill_event(std::uintptr_t handle) {
  // NOLINTNEXTLINE(performance-no-int-to-ptr): the API's handle is an integer
  auto* const event = reinterpret_cast<completion_event*>(handle);
  if (is_passive() || event->mark != completion_event::kMark) [[unlikely]] {
    next_function<"omp_fulfill_event", void(std::uintptr_t)>()(handle);
    return;
  }
  fulfil(*event);
}

FINEGRAIN_OMP_ENTRY void omp_fulfill_event_(std::uintptr_t handle) { omp_fulfill_event(handle); }

FINEGRAIN_OMP_ENTRY int omp_in_final() {
  if (is_passive()) [[unlikely]] {
    return next_function<"omp_in_final", int()>()();
  }
  return thread::here().running->is(task::kFinal) ? 1 : 0;
}

FINEGRAIN_OMP_ENTRY int omp_in_final_() { return omp_in_final(); }

FINEGRAIN_OMP_ENTRY int omp_in_explicit_task() {
  if (is_passive()) [[unlikely]] {
    return next_function<"omp_in_explicit_task", int()>()();
  }
  return thread::here().running->is(task::kImplicit) ? 0 : 1;
}

FINEGRAIN_OMP_ENTRY int omp_in_explicit_task_() { return omp_in_explicit_task(); }

}  // namespace fg::omp
// NOLINTEND(readability-identifier-naming)
