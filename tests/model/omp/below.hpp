// Memory that the drop-in never gives back.
// SPDX-License-Identifier: Apache-2.0
#pragma once

namespace model::omp {

/// Call it at the start of an execution.
void forget_chunks() noexcept;
/// Frees what task_memory has allocated for blocks since then, at the end of an execution.
void free_chunks() noexcept;

}  // namespace model::omp
