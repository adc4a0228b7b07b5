// What debuggers look for (OMPD): nothing of ours can tell them about threads and regions.
// SPDX-License-Identifier: Apache-2.0
#include "../export.hpp"

// NOLINTBEGIN(readability-identifier-naming): OMPD's names
namespace fg::omp::runtime {
namespace {

const char* const no_library = nullptr;

}  // namespace

// The libraries that a debugger may load to understand the process: none. It must not find the list
// of a native runtime that is loaded as well: that would read the runtime's own memory, and tell of
// a process without regions.
extern "C" {
__attribute__((visibility("default"))) extern const char* const* const ompd_dll_locations;
const char* const* const ompd_dll_locations = &no_library;
}

// Where a debugger learns, by a breakpoint, that the list is there. It is from the start.
FINEGRAIN_OMP_ENTRY void ompd_dll_locations_valid() {}

}  // namespace fg::omp::runtime
// NOLINTEND(readability-identifier-naming)
