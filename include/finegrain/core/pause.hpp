// The processor's hint for spin loops.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "finegrain/core/config.hpp"

#if defined(_MSC_VER)
#include <intrin.h>
#endif

namespace fg::inline FINEGRAIN_ABI {

/// Tells the processor that this thread is spinning: it gives issue slots to its SMT sibling and
/// leaves the loop without a memory-order mis-speculation. Costs about 140 cycles on Intel since
/// Skylake, 40 to 60 on AMD and older Intel. A compiler barrier if there is no such hint.
inline void pause() noexcept {
#if defined(_MSC_VER) && (defined(_M_X64) || defined(_M_IX86))
  _mm_pause();
#elif defined(_MSC_VER) && defined(_M_ARM64)
  __yield();
#elif defined(__x86_64__) || defined(__i386__)
  __builtin_ia32_pause();
#elif defined(__aarch64__)
  asm volatile("isb" ::: "memory");  // `yield` is a no-op on most cores; `isb` does wait
#else
  asm volatile("" ::: "memory");
#endif
}

}  // namespace fg::inline FINEGRAIN_ABI
