// Build-time settings, the version, and the inline namespaces derived from them: parts of a program
// that were compiled with different settings may be linked into one binary (docs/lifetime.md).
// SPDX-License-Identifier: Apache-2.0
#pragma once

// Asks for C++20 in one line. gcc and clang stop only at a missing include; after #error they
// continue, with hundreds of errors. MSVC stops at #error.
#if defined(_MSVC_LANG)
#if _MSVC_LANG < 202002L
#error finegrain needs C++20: compile with /std:c++20 or later
#endif
#elif __cplusplus < 202002L
#include "finegrain needs C++20: compile with -std=c++20 or later"
#endif

#if __has_include(<version>)
#include <version>
#endif
#ifndef __cpp_lib_atomic_wait
#include "finegrain needs the library of C++20: libstdc++ 11, libc++ 14, Visual Studio 2022 or later"
#endif

#include "finegrain/version.h"

/// 1 if misuse (a call from the wrong thread) is checked and ends the program with one clear line.
/// Follows NDEBUG unless set. It changes no class: parts of a program with and without checks pass
/// objects to each other, and each behaves as it was compiled (core/errors.hpp).
#ifndef FINEGRAIN_DEBUG_CHECKS
#ifdef NDEBUG
#define FINEGRAIN_DEBUG_CHECKS 0
#else
#define FINEGRAIN_DEBUG_CHECKS 1
#endif
#endif

/// 1 if exceptions are enabled: see core/errors.hpp.
#if defined(__cpp_exceptions) || defined(_CPPUNWIND)
#define FINEGRAIN_HAS_EXCEPTIONS 1
#else
#define FINEGRAIN_HAS_EXCEPTIONS 0
#endif

// What compilers spell differently.
#if defined(_MSC_VER)
#define FINEGRAIN_NOINLINE [[msvc::noinline]]
#define FINEGRAIN_ALWAYS_INLINE __forceinline
#define FINEGRAIN_NO_UNIQUE_ADDRESS [[msvc::no_unique_address]]
#else
#define FINEGRAIN_NOINLINE [[gnu::noinline]]
#define FINEGRAIN_ALWAYS_INLINE [[gnu::always_inline]] inline
#define FINEGRAIN_NO_UNIQUE_ADDRESS [[no_unique_address]]
#endif

// The linker keeps one copy of each class and inline function. Therefore the version, and each
// setting that changes a class or how errors end, is part of all our names, as inline namespaces.
// The linker then refuses to pass an object to a function that was compiled with other settings:
//
//     namespace fg::inline FINEGRAIN_SHARED_ABI     version: fg::v0_1_0
//         What all settings share: what the library finegrain::core defines, and plain data of the
//         process. Nothing in it contains a `try`.
//     namespace fg::inline FINEGRAIN_ABI            version and settings: fg::v0_1_0 or, for
//         Everything else.                          example, fg::v0_1_0::no_exceptions::tracy

#define FINEGRAIN_DETAIL_JOIN(major, minor, patch) v##major##_##minor##_##patch
#define FINEGRAIN_DETAIL_JOINED(major, minor, patch) FINEGRAIN_DETAIL_JOIN(major, minor, patch)
#define FINEGRAIN_SHARED_ABI \
  FINEGRAIN_DETAIL_JOINED(FINEGRAIN_VERSION_MAJOR, FINEGRAIN_VERSION_MINOR, FINEGRAIN_VERSION_PATCH)

#if FINEGRAIN_HAS_EXCEPTIONS
#define FINEGRAIN_DETAIL_ABI_EXCEPTIONS
#else
#define FINEGRAIN_DETAIL_ABI_EXCEPTIONS ::inline no_exceptions
#endif

#if defined(FINEGRAIN_ZONES_TRACY)  // trace/zone.hpp
#define FINEGRAIN_DETAIL_ABI_ZONES ::inline tracy
#elif defined(FINEGRAIN_ZONES_ITT)
#define FINEGRAIN_DETAIL_ABI_ZONES ::inline itt
#else
#define FINEGRAIN_DETAIL_ABI_ZONES
#endif

#if defined(__cpp_lib_jthread)  // core/stop_token.hpp
#define FINEGRAIN_DETAIL_ABI_STOP_TOKEN
#else
#define FINEGRAIN_DETAIL_ABI_STOP_TOKEN ::inline own_stop_token
#endif

#define FINEGRAIN_ABI                                                             \
  FINEGRAIN_SHARED_ABI FINEGRAIN_DETAIL_ABI_EXCEPTIONS FINEGRAIN_DETAIL_ABI_ZONES \
      FINEGRAIN_DETAIL_ABI_STOP_TOKEN
