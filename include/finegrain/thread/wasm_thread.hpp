// Whether the calling thread may wait for others that it starts, under Emscripten.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <emscripten/threading.h>

#include "finegrain/core/config.hpp"

namespace fg::inline FINEGRAIN_ABI::detail::wasm {

/// Why it may not; null if it may. Threads that a page's main thread starts, or Node's, begin only
/// when that has returned to its event loop.
inline const char* why_no_threads() noexcept {
  return emscripten_is_main_runtime_thread()
             ? "the main thread of a page must not wait for threads; link with -sPROXY_TO_PTHREAD"
             : nullptr;
}

}  // namespace fg::inline FINEGRAIN_ABI::detail::wasm
