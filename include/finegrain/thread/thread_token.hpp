// An identity of the calling thread, in one instruction.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "finegrain/core/config.hpp"

namespace fg::inline FINEGRAIN_ABI::detail {

/// An address that is the calling thread's alone while it lives. One instruction in an executable,
/// a call in a shared library; std::this_thread::get_id is a call everywhere. Any thread.
inline const void* this_thread_token() noexcept {
  constinit static thread_local char token = 0;
  return &token;
}

}  // namespace fg::inline FINEGRAIN_ABI::detail
