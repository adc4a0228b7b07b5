// The work of a task in the many-tasking paper.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

namespace fg::bench {

/// Adds up 1 / (2 i + 1) for i below `iterations`, in a volatile sum, and returns it. Source:
/// many-tasking-2013, Listing 1. In a file of its own that is never optimized together with its
/// callers, as there (section 3.1): the same machine code for every runtime.
double run_work_unit(std::uint64_t iterations) noexcept;

}  // namespace fg::bench
