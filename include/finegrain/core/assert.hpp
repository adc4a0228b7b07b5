// Checks for misuse, in debug builds.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdio>
#include <cstdlib>

#include "finegrain/core/config.hpp"

namespace fg::inline FINEGRAIN_ABI::detail {

/// Prints `message` as one line on standard error and aborts.
[[noreturn]] inline void misuse(const char* message) noexcept {
  std::fprintf(stderr, "finegrain: %s\n", message);
  std::abort();
}

}  // namespace fg::inline FINEGRAIN_ABI::detail

/// Before a function of ours that a program calls and that contains FINEGRAIN_EXPECTS: with checks
/// it has a name of its own, so that of two parts of a program, with and without them, each calls
/// the one that it was compiled with. Where the compiler has no such attribute the linker chooses.
#if FINEGRAIN_DEBUG_CHECKS && defined(__has_cpp_attribute)
#if __has_cpp_attribute(gnu::abi_tag)
#define FINEGRAIN_CHECKED_FUNCTION [[gnu::abi_tag("checked")]]
#endif
#endif
#ifndef FINEGRAIN_CHECKED_FUNCTION
#define FINEGRAIN_CHECKED_FUNCTION
#endif

/// Ends the program with `message` unless `condition` holds; nothing in release builds.
#if FINEGRAIN_DEBUG_CHECKS
#define FINEGRAIN_EXPECTS(condition, message) \
  ((condition) ? static_cast<void>(0) : ::fg::detail::misuse(message))
#else
#define FINEGRAIN_EXPECTS(condition, message) static_cast<void>(0)
#endif
