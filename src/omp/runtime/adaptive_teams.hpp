// Regions that get fewer threads where that is faster.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string_view>

#include "control_values.hpp"

namespace fg::omp {
struct thread;
}

namespace fg::omp::runtime {

struct implicit_part;
struct region_call;

/// FINEGRAIN_OMP_ADAPT: which regions may get fewer threads than OpenMP's rules give them.
enum class adaptation : std::uint8_t {
  never,          ///< 0. Also until the library has begun.
  where_dynamic,  ///< the default: those of tasks whose dyn-var is true
  always  ///< 1. Programs for which OpenMP promises the number of threads may not expect it.
};
extern const adaptation chosen_adaptation;
/// The variable's value that stands for it.
std::string_view name_of(adaptation which) noexcept;

/// Whether a region gets fewer threads where that is faster; `values`: of the task that opens it.
inline bool adapts(const control_values& values) noexcept {
  return chosen_adaptation == adaptation::always ||
         (values.dynamic != 0 && chosen_adaptation == adaptation::where_dynamic);
}

/// A parallel region that adapts, of up to `most` threads, more than one: chooses how many it gets, and
/// measures how long it takes if that is due. Otherwise as `run_region`. `around`: the thread's part of
/// the region around.
///
/// The regions that a thread opens are told apart by the address of their code and the number of
/// threads that they may have. What is known of them belongs to the thread: nothing is shared.
unsigned run_adapted(thread& self, implicit_part& around, unsigned most,
                     const region_call& call) noexcept;

}  // namespace fg::omp::runtime
