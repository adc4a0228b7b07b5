// Reports errors to C programs as statuses.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>

#include "finegrain/finegrain.h"

namespace fg::capi {

/// A thread's message. As large as our longest text (an unknown policy's, with all names), but for the
/// names of a graph's nodes.
using error_text = std::array<char, 256>;

/// The calling thread's, which ends with a null character.
const error_text& last_error() noexcept;

/// Stores `why` for fg_last_error, and returns `status`. Allocates nothing.
fg_status fail(fg_status status, const char* why) noexcept;

/// Returns the status for the exception being handled, and stores its text.
fg_status failed_by_exception() noexcept;
/// Like `failed_by_exception`, for exceptions that only a task can have thrown.
fg_status failed_by_task() noexcept;

fg_status null_pointer(const char* what) noexcept;

/// Calls `f`; exceptions that it throws are the library's own.
template <class F>
fg_status guarded(F f) noexcept {
  try {
    f();
    return FG_OK;
  } catch (...) {
    return failed_by_exception();
  }
}

/// Calls `f`, which runs tasks; exceptions that it throws are theirs.
template <class F>
fg_status guarded_tasks(F f) noexcept {
  try {
    f();
    return FG_OK;
  } catch (...) {
    return failed_by_task();
  }
}

}  // namespace fg::capi
