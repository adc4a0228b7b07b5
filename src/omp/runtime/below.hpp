// What this library exports.
// SPDX-License-Identifier: Apache-2.0
#pragma once

namespace fg::omp::runtime {

/// Returns the address of the entry point of this name, or null if this library does not have it.
void* find_exported(const char* name) noexcept;

}  // namespace fg::omp::runtime
