// SPDX-License-Identifier: Apache-2.0
#include "control_variables.hpp"

#include <new>

#include "next_function.hpp"
#include "settings.hpp"

namespace fg::omp {

control_variables* control_variables::capture() noexcept {
  auto* const now = new (std::nothrow) control_variables;
  if (now == nullptr) {
    end_without_memory("control variables");
  }
  now->threads_ = FINEGRAIN_OMP_NEXT(omp_get_max_threads)();
  now->dynamic_ = FINEGRAIN_OMP_NEXT(omp_get_dynamic)();
  FINEGRAIN_OMP_NEXT(omp_get_schedule)(&now->schedule_, &now->chunk_);
  now->device_ = FINEGRAIN_OMP_NEXT(omp_get_default_device)();
  now->thread_limit_ = FINEGRAIN_OMP_NEXT(omp_get_thread_limit)();
  return now;
}

void control_variables::apply(int runtime_id) const noexcept {
  FINEGRAIN_OMP_NEXT(omp_set_num_threads)(threads_);
  FINEGRAIN_OMP_NEXT(omp_set_dynamic)(dynamic_);
  FINEGRAIN_OMP_NEXT(omp_set_schedule)(schedule_, chunk_);
  FINEGRAIN_OMP_NEXT(omp_set_default_device)(device_);
  if (FINEGRAIN_OMP_NEXT(omp_get_thread_limit)() != thread_limit_) {
    FINEGRAIN_OMP_NEXT(__kmpc_set_thread_limit)(nullptr, runtime_id, thread_limit_);
  }
}

}  // namespace fg::omp
