// How errors end and are worded: misuse in debug builds, and exceptions if they are enabled.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdio>
#include <cstdlib>
#include <string>
#include <string_view>

#include "finegrain/core/config.hpp"

namespace fg::inline FINEGRAIN_ABI::detail {

/// Prints `message` as one line on standard error and aborts.
[[noreturn]] inline void misuse(const char* message) noexcept {
  std::fprintf(stderr, "finegrain: %s\n", message);
  std::abort();
}

}  // namespace fg::inline FINEGRAIN_ABI::detail

/// Marks a function that programs call and that contains FINEGRAIN_EXPECTS. Its symbol name differs
/// with checks, so parts of a program with and without checks each call the one they were compiled
/// with. Without this attribute in the compiler, the linker chooses.
#if FINEGRAIN_DEBUG_CHECKS && defined(__has_cpp_attribute)
#if __has_cpp_attribute(gnu::abi_tag)
#define FINEGRAIN_CHECKED_FUNCTION [[gnu::abi_tag("checked")]]
#endif
#endif
#ifndef FINEGRAIN_CHECKED_FUNCTION
#define FINEGRAIN_CHECKED_FUNCTION
#endif

/// Ends the program with `message` unless `condition` holds; does nothing in release builds.
#if FINEGRAIN_DEBUG_CHECKS
#define FINEGRAIN_EXPECTS(condition, message) \
  ((condition) ? static_cast<void>(0) : ::fg::detail::misuse(message))
#else
#define FINEGRAIN_EXPECTS(condition, message) static_cast<void>(0)
#endif

/// Replace `try`, `catch` and a `throw` without operand. Without exceptions nothing is ever caught,
/// and whatever our headers would throw ends the program: see `raise`. So does whatever the
/// standard library throws, when memory is exhausted or the system refuses a thread.
#if FINEGRAIN_HAS_EXCEPTIONS
#define FINEGRAIN_TRY try
#define FINEGRAIN_CATCH(declaration) catch (declaration)
#define FINEGRAIN_RETHROW throw
#else
#define FINEGRAIN_TRY if constexpr (true)
#define FINEGRAIN_CATCH(declaration) else
#define FINEGRAIN_RETHROW std::abort()
#endif

namespace fg::inline FINEGRAIN_ABI::detail {

/// Throws `exception`. In a program without exceptions, prints its message as one line on standard
/// error and aborts. Any thread.
template <class Exception>
[[noreturn]] void raise(const Exception& exception) {
#if FINEGRAIN_HAS_EXCEPTIONS
  throw exception;
#else
  std::fprintf(stderr, "%s\n", exception.what());
  std::abort();
#endif
}

/// Makes any `text` safe to print within one line: replaces each byte that would end the line or
/// control a terminal by a question mark. Any thread. Throws std::bad_alloc.
inline std::string one_line(std::string_view text) {
  std::string line{text};
  for (char& letter : line) {
    if (static_cast<unsigned char>(letter) < ' ' || letter == '\x7f') {
      letter = '?';
    }
  }
  return line;
}

}  // namespace fg::inline FINEGRAIN_ABI::detail
