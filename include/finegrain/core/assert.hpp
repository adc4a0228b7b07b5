// Misuse, reported in debug builds.
#pragma once

#include <cstdio>
#include <cstdlib>

#include "finegrain/core/config.hpp"

namespace fg::detail {

/// Prints `message` as one line on standard error and aborts.
[[noreturn]] inline void misuse(const char* message) noexcept {
  std::fprintf(stderr, "finegrain: %s\n", message);
  std::abort();
}

}  // namespace fg::detail

/// Ends the program with `message` unless `condition` holds; nothing in release builds.
#if FINEGRAIN_DEBUG_CHECKS
#define FINEGRAIN_EXPECTS(condition, message) \
  ((condition) ? static_cast<void>(0) : ::fg::detail::misuse(message))
#else
#define FINEGRAIN_EXPECTS(condition, message) static_cast<void>(0)
#endif
