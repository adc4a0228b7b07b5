// Lines that tell where threads run: OpenMP's affinity format.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>

#include "../thread.hpp"
#include "control_values.hpp"

namespace fg::omp::runtime {

/// affinity-format-var, at first OMP_AFFINITY_FORMAT. Throws std::bad_alloc.
std::string current_affinity_format();

/// The format with its fields replaced by what holds for the calling thread. Throws std::bad_alloc.
std::string describe_affinity(thread& self, std::string_view format);

/// Prints the line of the calling thread, unless its last region was at the same level, as wide, and
/// with its threads at the same places. Called at the beginning of each region under
/// OMP_DISPLAY_AFFINITY.
void tell_affinity(thread& self) noexcept;
inline void tell_if_wanted(thread& self) noexcept {
  if (environment().displays_affinity) [[unlikely]] {
    tell_affinity(self);
  }
}

}  // namespace fg::omp::runtime
