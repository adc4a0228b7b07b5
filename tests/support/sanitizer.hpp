// Which sanitizer this build runs under: stress tests shrink by what it costs.
#pragma once

namespace fg::test {

#if defined(__has_feature)
#if __has_feature(thread_sanitizer)
#define FINEGRAIN_TEST_THREAD_SANITIZER 1
#endif
#if __has_feature(address_sanitizer)
#define FINEGRAIN_TEST_ADDRESS_SANITIZER 1
#endif
#endif

#if defined(__SANITIZE_THREAD__) || defined(FINEGRAIN_TEST_THREAD_SANITIZER)
inline constexpr bool kThreadSanitized = true;
#else
inline constexpr bool kThreadSanitized = false;
#endif
#if defined(__SANITIZE_ADDRESS__) || defined(FINEGRAIN_TEST_ADDRESS_SANITIZER)
inline constexpr bool kSanitized = true;
#else
inline constexpr bool kSanitized = kThreadSanitized;
#endif

}  // namespace fg::test
