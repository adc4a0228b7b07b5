// What debug builds say of an algorithm that has no pool.
#pragma once

#include <cstdio>

#include "finegrain/core/config.hpp"
#include "finegrain/pool/presence.hpp"
#include "finegrain/pool/worker.hpp"

namespace fg::inline FINEGRAIN_ABI::detail {

/// To be called by `algorithm` with the worker that the calling thread is. Where it is none, debug
/// builds say in one line on standard error, the first time in the process, that all runs serially:
/// that is allowed, but hardly meant. Nothing in release builds. Any thread.
///
/// Always inlined: as a call, though an empty one, it kept clang 19 from inlining what stands
/// around it, 8 instructions a fork (tests/codegen, pool_fork_join).
[[gnu::always_inline]] inline void remark_if_serial(
    [[maybe_unused]] const worker* self, [[maybe_unused]] const char* algorithm) noexcept {
#if FINEGRAIN_DEBUG_CHECKS
  if (self == nullptr && !presence::in_any()) {
    [[maybe_unused]] static const int said =
        std::fprintf(stderr,
                     "finegrain: %s is called on a thread that works for no pool: it runs serially "
                     "there; call it within pool.run (debug builds say so once)\n",
                     algorithm);
  }
#endif
}

}  // namespace fg::inline FINEGRAIN_ABI::detail
