// OMP_DISPLAY_ENV.
// SPDX-License-Identifier: Apache-2.0
#pragma once

namespace fg::omp::runtime {

/// Prints the control variables as they were at first, on stderr; `all`: those of ours as well.
void display_environment(bool all) noexcept;

}  // namespace fg::omp::runtime
