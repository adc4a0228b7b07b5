// What libc++ expects of Microsoft's C library and MinGW's headers do not have for this target.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <locale.h>
#include <math.h>
#undef isfinite
#undef isinf
#undef isnan

extern "C" {
float _strtof_l(const char* text, char** end, _locale_t locale);
long double _strtold_l(const char* text, char** end, _locale_t locale);
}
inline bool isfinite(double x) { return __builtin_isfinite(x); }
inline bool isinf(double x) { return __builtin_isinf(x); }
inline bool isnan(double x) { return __builtin_isnan(x); }
