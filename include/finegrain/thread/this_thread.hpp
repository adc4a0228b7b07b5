// The calling thread: an identity in one instruction, and the bounds of its stack.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>

#include "finegrain/core/config.hpp"

#if defined(__linux__) || defined(__APPLE__)
#include <pthread.h>
#elif defined(_WIN32)
#include "finegrain/core/windows_api.hpp"
#endif

#if defined(__linux__) && !defined(__GLIBC__)
#include <sys/auxv.h>
#include <sys/resource.h>
#endif

namespace fg::inline FINEGRAIN_ABI::detail {

/// An address unique to the calling thread while it lives. One instruction in an executable, a call
/// in a shared library; std::this_thread::get_id is a call everywhere. Any thread.
inline const void* this_thread_token() noexcept {
  constinit static thread_local char token = 0;
  return &token;
}

/// The addresses that a thread's stack may use, from `lowest` up to, but not including, `end`. All
/// zero if the system does not report them. Stacks grow downwards on all our targets.
struct stack_bounds {
  std::uintptr_t lowest = 0;
  std::uintptr_t end = 0;

  [[nodiscard]] constexpr std::size_t size() const noexcept { return end - lowest; }
  [[nodiscard]] constexpr bool contains(std::uintptr_t address) const noexcept {
    return address - lowest < size();  // below `lowest` the difference wraps around
  }
};

#if defined(__linux__) && !defined(__GLIBC__)

/// musl reports only the part of the initial thread's stack that is mapped so far (`told`). The
/// stack grows down to the limit, which counts from its top, where the kernel has put the program's
/// name. The kernel maps other memory, such as all other stacks, at least 128 MiB below.
inline stack_bounds grown_to_limit(stack_bounds told) noexcept {
  constexpr std::uintptr_t kGapBelow = std::uintptr_t{128} << 20U;
  rlimit limit{};
  const std::uintptr_t top = getauxval(AT_EXECFN);
  if (top - told.lowest < kGapBelow && getrlimit(RLIMIT_STACK, &limit) == 0) {
    const auto bytes = static_cast<std::uintptr_t>(limit.rlim_cur < kGapBelow ? limit.rlim_cur
                                                                              : rlim_t{kGapBelow});
    const std::uintptr_t lowest = top - bytes;
    return {lowest < told.lowest ? lowest : told.lowest, told.end};
  }
  return told;
}

#endif

/// Asks the system. For the initial thread, glibc reads /proc/self/maps and the limit of its stack
/// (`ulimit -s`): some 30 us, an open file, memory. All zero if any of that fails.
inline stack_bounds ask_for_stack_bounds() noexcept {
  stack_bounds told;
#if defined(__linux__)
  pthread_attr_t attributes;
  if (pthread_getattr_np(pthread_self(), &attributes) == 0) {
    void* lowest = nullptr;
    std::size_t bytes = 0;
    if (pthread_attr_getstack(&attributes, &lowest, &bytes) == 0) {
      told.lowest = reinterpret_cast<std::uintptr_t>(lowest);
      told.end = told.lowest + bytes;
    }
    pthread_attr_destroy(&attributes);
  }
#if !defined(__GLIBC__)
  told = grown_to_limit(told);
#endif
#elif defined(__APPLE__)
  told.end = reinterpret_cast<std::uintptr_t>(pthread_get_stackaddr_np(pthread_self()));
  told.lowest = told.end - pthread_get_stacksize_np(pthread_self());
#elif defined(_WIN32)
  using function = void __stdcall(std::uintptr_t* lowest, std::uintptr_t* end);
  static auto* const ask =
      windows::find_function<function>(L"kernelbase.dll", "GetCurrentThreadStackLimits");
  ask(&told.lowest, &told.end);
#endif
  return told;
}

/// The stack that the system gave the calling thread. The code that asks may run on another one, of
/// a fiber or a signal handler. Asked for once per thread: a limit raised later does not count.
inline stack_bounds stack_of_this_thread() noexcept {
  constinit static thread_local stack_bounds known;
  constinit static thread_local bool has_asked = false;
  if (!has_asked) [[unlikely]] {
    known = ask_for_stack_bounds();
    has_asked = true;
  }
  return known;
}

}  // namespace fg::inline FINEGRAIN_ABI::detail
