// Variables of the environment that finegrain reads.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdlib>

#include "finegrain/core/config.hpp"

#if defined(__APPLE__) || defined(__FreeBSD__) || defined(__NetBSD__) || defined(__OpenBSD__)
#include <unistd.h>
#endif

namespace fg::inline FINEGRAIN_ABI::detail {

/// The value of `variable`; null where it is not set, and in a program that runs with more rights
/// than who started it (set-user-ID, file capabilities): its environment is a stranger's, who must
/// not choose which files it writes. Any thread that may call getenv.
inline const char* environment_variable(const char* variable) noexcept {
#if defined(__linux__)
  return secure_getenv(variable);
#elif defined(__APPLE__) || defined(__FreeBSD__) || defined(__NetBSD__) || defined(__OpenBSD__)
  return issetugid() == 0 ? std::getenv(variable) : nullptr;
#else
  return std::getenv(variable);  // no such programs
#endif
}

}  // namespace fg::inline FINEGRAIN_ABI::detail
