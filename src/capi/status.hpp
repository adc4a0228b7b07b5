// How what went wrong gets to a C program.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "finegrain/finegrain.h"

namespace fg::capi {

/// Keeps `why` for fg_last_error, and returns `status`. Nothing is allocated.
fg_status fail(fg_status status, const char* why) noexcept;

/// The status of the exception that is being handled, whose text is kept.
fg_status failed_by_exception() noexcept;
/// The same where only a task can have thrown it.
fg_status failed_by_task() noexcept;

fg_status null_pointer(const char* what) noexcept;

/// Calls `f`; what it throws is the library's own.
template <class F>
fg_status guarded(F f) noexcept {
  try {
    f();
    return FG_OK;
  } catch (...) {
    return failed_by_exception();
  }
}

/// Calls `f`, which runs tasks; what it throws is theirs.
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
