// Ends the compilation with one line where the language or its library is too old. Whatever has
// code of its own includes it first, directly or not.
// SPDX-License-Identifier: Apache-2.0
#pragma once

// A missing file is the one error after which gcc and clang say no more: after #error they go on,
// to hundreds of errors. MSVC ends at #error.
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
