// OMP_DISPLAY_ENV and KMP_SETTINGS.
// SPDX-License-Identifier: Apache-2.0
#pragma once

namespace fg::omp::runtime {

/// Prints the control variables as they were at first, on stderr; `all`: those of ours as well.
void display_environment(bool all) noexcept;

/// KMP_SETTINGS: prints the variables that are set, and what is followed, on stderr.
void display_settings() noexcept;

}  // namespace fg::omp::runtime
