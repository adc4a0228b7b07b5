// Exceptions, where the program has them: with -fno-exceptions all headers compile too.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdio>
#include <cstdlib>

#include "finegrain/core/config.hpp"

/// Written for `try`, `catch` and a lone `throw`. Without exceptions nothing is ever caught, and
/// what our headers would throw ends the program: see `raise`. So does what the standard library
/// throws, for want of memory or when the system refuses a thread.
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

/// Throws `exception`; in a program without exceptions prints what it says as one line on standard
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

}  // namespace fg::inline FINEGRAIN_ABI::detail
