// GNU's entry points for critical and atomic constructs.
// SPDX-License-Identifier: Apache-2.0
#include "entry.hpp"
#include "lock.hpp"

// NOLINTBEGIN(readability-identifier-naming): the ABI's names
namespace fg::omp::runtime {
namespace {

constinit lock unnamed;
constinit lock of_atomics;

// The compiler's variable for a name: a pointer, null before its first use.
lock& lock_at(void** name) noexcept { return *reinterpret_cast<lock*>(name); }

}  // namespace

// Emitted around a critical construct; the first two return when no other thread is in one of this
// name.
FINEGRAIN_OMP_ENTRY void GOMP_critical_start() { unnamed.acquire(); }
FINEGRAIN_OMP_ENTRY void GOMP_critical_end() { unnamed.release(); }
FINEGRAIN_OMP_ENTRY void GOMP_critical_name_start(void** name) { lock_at(name).acquire(); }
FINEGRAIN_OMP_ENTRY void GOMP_critical_name_end(void** name) { lock_at(name).release(); }

// Emitted around an atomic construct, and the combination of reductions, that the processor has no
// instructions for.
FINEGRAIN_OMP_ENTRY void GOMP_atomic_start() { of_atomics.acquire(); }
FINEGRAIN_OMP_ENTRY void GOMP_atomic_end() { of_atomics.release(); }

}  // namespace fg::omp::runtime
// NOLINTEND(readability-identifier-naming)
