// A scope in which no call is a cancellation point.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "finegrain/core/config.hpp"

#if defined(__unix__) || defined(__APPLE__)
#include <pthread.h>
#endif

namespace fg::inline FINEGRAIN_ABI::detail {

/// While it lives, no call of the calling thread is a cancellation point. pthread_cancel unwinds
/// like an exception, which ends the process when it reaches a destructor.
class no_cancellation {
 public:
  no_cancellation(const no_cancellation&) = delete;
  no_cancellation& operator=(const no_cancellation&) = delete;
#if defined(__unix__) || defined(__APPLE__)
  no_cancellation() noexcept { pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, &before_); }
  ~no_cancellation() { pthread_setcancelstate(before_, nullptr); }

 private:
  int before_ = 0;
#else
  no_cancellation() noexcept {}
  ~no_cancellation() {}
#endif
};

}  // namespace fg::inline FINEGRAIN_ABI::detail
