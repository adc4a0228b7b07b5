// std::atomic that sleeps and wakes by WebAssembly's own instructions, under Emscripten.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#ifndef __EMSCRIPTEN_PTHREADS__
#include "finegrain needs threads: compile and link with -pthread"
#endif

#include <emscripten/threading.h>

#include <atomic>
#include <cstdint>
#include <limits>

#include "finegrain/core/config.hpp"
#include "finegrain/core/errors.hpp"

namespace fg::inline FINEGRAIN_ABI {

namespace detail::wasm {

/// The thread of a page, or the first one of Node. It must not sleep: until it returns to its event
/// loop no other thread starts, prints or ends.
inline bool is_main_thread() noexcept {
  return static_cast<bool>(emscripten_is_main_runtime_thread());
}

inline constexpr const char* kMainThreadMustNotSleep =
    "the main thread of a page must not sleep: call this from another one (-sPROXY_TO_PTHREAD)";

}  // namespace detail::wasm

/// std::atomic whose `wait` sleeps: that of Emscripten's library polls. On the main thread of a page
/// it ends the program with a line that says so.
template <class T>
struct atomic : std::atomic<T> {
  using std::atomic<T>::atomic;
  using std::atomic<T>::operator=;

  // The order is the caller's, of each look at the word: the sleep itself orders nothing.
  void wait(T seen, std::memory_order order = std::memory_order_seq_cst) const noexcept {
    constexpr double kForever = std::numeric_limits<double>::infinity();
    while (this->load(order) == seen) {
      if (detail::wasm::is_main_thread()) {
        detail::misuse(detail::wasm::kMainThreadMustNotSleep);
      }
      emscripten_futex_wait(word(), static_cast<std::uint32_t>(seen), kForever);
    }
  }

  // WebAssembly's atomic instructions are sequentially consistent, these calls too: what the caller
  // stored is visible before they look for sleepers.
  void notify_one() noexcept { emscripten_futex_wake(word(), 1); }
  void notify_all() noexcept { emscripten_futex_wake(word(), std::numeric_limits<int>::max()); }

 private:
  [[nodiscard]] volatile void* word() const noexcept {
    static_assert(sizeof(T) == sizeof(std::uint32_t), "a sleeper is woken by a word of 32 bits");
    return const_cast<atomic*>(this);
  }
};

}  // namespace fg::inline FINEGRAIN_ABI
