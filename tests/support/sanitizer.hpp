// The sanitizer of this build, and whether it runs slowly: tests repeat less there.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#if defined(__has_feature)
#if __has_feature(thread_sanitizer)
#define FINEGRAIN_TEST_THREAD_SANITIZER 1
#endif
#if __has_feature(address_sanitizer)
#define FINEGRAIN_TEST_ADDRESS_SANITIZER 1
#endif
#endif

#if defined(__SANITIZE_ADDRESS__) || defined(FINEGRAIN_TEST_ADDRESS_SANITIZER)
#include <sanitizer/lsan_interface.h>
#endif

namespace fg::test {

#if defined(__SANITIZE_THREAD__) || defined(FINEGRAIN_TEST_THREAD_SANITIZER)
inline constexpr bool kThreadSanitized = true;
#else
inline constexpr bool kThreadSanitized = false;
#endif
#if defined(__SANITIZE_ADDRESS__) || defined(FINEGRAIN_TEST_ADDRESS_SANITIZER)
inline constexpr bool kSanitized = true;

/// What the calling thread allocates while one of these lives may stay allocated forever.
class allowed_leaks {
 public:
  allowed_leaks() { __lsan_disable(); }
  ~allowed_leaks() { __lsan_enable(); }
  allowed_leaks(const allowed_leaks&) = delete;
  allowed_leaks& operator=(const allowed_leaks&) = delete;
};
#else
inline constexpr bool kSanitized = kThreadSanitized;

struct allowed_leaks {};
#endif

/// Tests repeat less where each repetition takes many times as long: under a sanitizer, and under an
/// emulator of another processor (FINEGRAIN_TEST_EMULATED, set by tests/CMakeLists.txt).
#if defined(FINEGRAIN_TEST_EMULATED)
inline constexpr bool kSlow = true;
#else
inline constexpr bool kSlow = kSanitized;
#endif

}  // namespace fg::test
