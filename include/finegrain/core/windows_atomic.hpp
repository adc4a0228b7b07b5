// std::atomic that sleeps and wakes by Windows's own calls.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>
#include <cstddef>

#include "finegrain/core/config.hpp"
#include "finegrain/core/windows_api.hpp"

namespace fg::inline FINEGRAIN_ABI {

namespace detail::windows {

// In kernelbase.dll, which every process has. A program would have to link a library for them.

inline void wait_on_address(const volatile void* word, void* seen, std::size_t bytes) noexcept {
  using function = int __stdcall(const volatile void*, void*, std::size_t, unsigned long ms);
  constexpr unsigned long kForever = ~0UL;
  static auto* const wait = find_function<function>(L"kernelbase.dll", "WaitOnAddress");
  wait(word, seen, bytes, kForever);
}

using wake_function = void __stdcall(void* word);

inline void wake_one_by_address(void* word) noexcept {
  static auto* const wake = find_function<wake_function>(L"kernelbase.dll", "WakeByAddressSingle");
  wake(word);
}

inline void wake_all_by_address(void* word) noexcept {
  static auto* const wake = find_function<wake_function>(L"kernelbase.dll", "WakeByAddressAll");
  wake(word);
}

}  // namespace detail::windows

/// std::atomic with a `wait` that can be relied on. That of libstdc++ 12 loses wake-ups where there
/// is no futex: it compares the word before it locks the mutex of its condition variable, and
/// notifies without that mutex.
template <class T>
struct atomic : std::atomic<T> {
  using std::atomic<T>::atomic;
  using std::atomic<T>::operator=;

  // The order is the caller's, of each look at the word: the sleep itself orders nothing.
  void wait(T seen, std::memory_order order = std::memory_order_seq_cst) const noexcept {
    while (this->load(order) == seen) {
      detail::windows::wait_on_address(this, &seen, sizeof seen);
    }
  }

  // The fences, in both: the system may look for sleepers before the caller's store is visible. They
  // pair with the comparison under the system's own lock.
  void notify_one() noexcept {
    std::atomic_thread_fence(std::memory_order_seq_cst);
    detail::windows::wake_one_by_address(this);
  }
  void notify_all() noexcept {
    std::atomic_thread_fence(std::memory_order_seq_cst);
    detail::windows::wake_all_by_address(this);
  }
};

}  // namespace fg::inline FINEGRAIN_ABI
