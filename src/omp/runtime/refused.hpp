// Entry points that are exported and not served.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string_view>

namespace fg::omp::runtime {

/// Whether a call of this entry point ends the program.
[[nodiscard]] bool is_refused(std::string_view name) noexcept;

}  // namespace fg::omp::runtime
