// Entry points that are not served. The library exports them, so that a call cannot go to a native
// runtime, which knows nothing of our threads: it says what is missing and ends the program.
// SPDX-License-Identifier: Apache-2.0
#include "refused.hpp"

#include <algorithm>
#include <cstdio>
#include <cstdlib>

#include "../export.hpp"

// NOLINTBEGIN(bugprone-reserved-identifier,readability-identifier-naming): the ABI's names
namespace fg::omp::runtime {
namespace {

[[noreturn]] void refuse(const char* name) noexcept {
  std::fprintf(stderr,
               "finegrain-omp: %s is not served: run the program with FINEGRAIN_OMP=tasks\n", name);
  std::_Exit(EXIT_FAILURE);
}

}  // namespace

// Interoperability with devices' libraries; loop nests that are no rectangles; tasks as libomptarget
// hands them over; taskgraphs in LLVM's experimental form; settings by name.
// clang-format off
#define FINEGRAIN_OMP_REFUSED(each) \
  each(__kmpc_calc_original_ivs_rectang) \
  each(__kmpc_end_sections) each(__kmpc_for_collapsed_init) \
  each(__kmpc_get_parent_taskid) each(__kmpc_get_taskid) \
  each(__kmpc_global_num_threads) each(__kmpc_invoke_task_func) each(__kmpc_next_section) \
  each(__kmpc_omp_get_target_async_handle_ptr) each(__kmpc_process_loop_nest_rectang) \
  each(__kmpc_proxy_task_completed) each(__kmpc_proxy_task_completed_ooo) \
  each(__kmpc_push_num_threads_list) each(__kmpc_push_num_threads_list_strict) \
  each(__kmpc_push_num_threads_strict) each(__kmpc_sections_init) \
  each(__kmpc_taskgraph) each(__kmpc_threadprivate_register) \
  each(__kmpc_threadprivate_register_vec) each(kmp_set_defaults) each(kmp_set_defaults_) \
  each(kmp_set_library) each(kmp_set_library_) each(kmp_set_library_serial) \
  each(kmp_set_library_serial_) each(omp_get_interop_int) each(omp_get_interop_int_) \
  each(omp_get_interop_name) each(omp_get_interop_name_) each(omp_get_interop_ptr) \
  each(omp_get_interop_ptr_) each(omp_get_interop_rc_desc) each(omp_get_interop_rc_desc_) \
  each(omp_get_interop_str) each(omp_get_interop_str_) each(omp_get_interop_type_desc) \
  each(omp_get_interop_type_desc_) each(omp_get_num_interop_properties) \
  each(omp_get_num_interop_properties_)
// clang-format on

// Whatever its arguments are.
#define FINEGRAIN_OMP_REFUSE(name) \
  FINEGRAIN_OMP_ENTRY void name() { refuse(#name); }
FINEGRAIN_OMP_REFUSED(FINEGRAIN_OMP_REFUSE)

bool is_refused(std::string_view name) noexcept {
#define FINEGRAIN_OMP_NAME(name) #name,
  constexpr std::string_view kNames[] = {FINEGRAIN_OMP_REFUSED(FINEGRAIN_OMP_NAME)};
#undef FINEGRAIN_OMP_NAME
  return std::ranges::find(kNames, name) != std::end(kNames);
}

}  // namespace fg::omp::runtime
// NOLINTEND(bugprone-reserved-identifier,readability-identifier-naming)
