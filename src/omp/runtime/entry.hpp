// What the entry points of our own runtime share.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "../export.hpp"
#include "../thread.hpp"
#include "hot_team.hpp"

namespace fg::omp::runtime {

inline implicit_part& part_here() noexcept { return part_of(thread::here()); }

}  // namespace fg::omp::runtime

/// An entry point without arguments, and the same for Fortran, whose names end in an underscore:
/// FINEGRAIN_OMP_GETTER(int, omp_get_level) { return ...; }
#define FINEGRAIN_OMP_GETTER(type, name)                                     \
  FINEGRAIN_OMP_ENTRY type name() noexcept;                                  \
  FINEGRAIN_OMP_ENTRY type name##_() noexcept __attribute__((alias(#name))); \
  type name() noexcept
