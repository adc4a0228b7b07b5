// A scope in which no call is a cancellation point.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "finegrain/core/config.hpp"

#if defined(__unix__) || defined(__APPLE__)
#include <pthread.h>
#endif

namespace fg::inline FINEGRAIN_ABI::detail {

/// While it lives, nothing is a cancellation point for the calling thread: pthread_cancel unwinds
/// as an exception does, which ends the process where it comes to a destructor.
class no_cancellation {
 public:
#if defined(__unix__) || defined(__APPLE__)
  no_cancellation() noexcept { pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, &before_); }
  ~no_cancellation() { pthread_setcancelstate(before_, nullptr); }

 private:
  int before_ = 0;

 public:
#else
  no_cancellation() noexcept {}
  ~no_cancellation() {}
#endif
  no_cancellation(const no_cancellation&) = delete;
  no_cancellation& operator=(const no_cancellation&) = delete;
};

}  // namespace fg::inline FINEGRAIN_ABI::detail
