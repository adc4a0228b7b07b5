// Tells an object of this process from one that a forked child has inherited.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "finegrain/core/atomic.hpp"

#if defined(__unix__) || defined(__APPLE__)
#include <pthread.h>
#endif

namespace fg::inline FINEGRAIN_ABI::detail {

/// Tells an object of this process from one that a forked child has inherited. One load, no system
/// call. Any thread.
class process_mark {
 public:
  process_mark() noexcept { install_handler(); }

  /// False in a forked child for a mark that the parent made.
  [[nodiscard]] bool is_of_this_process() const noexcept {
    // Relaxed, here and below: written only in a forked child before it has a second thread, so
    // everything in the child is ordered behind it.
    return made_in_ == generation().load(memory_order_relaxed);
  }

 private:
  static atomic<std::uint32_t>& generation() noexcept {
    constinit static atomic<std::uint32_t> forks{0};
    return forks;
  }
  // Hidden, so once for each library that makes marks: fork() forgets the handlers of one that is
  // unloaded. A fork then counts as several.
  [[gnu::visibility("hidden")]] static void install_handler() noexcept {
#if defined(__unix__) || defined(__APPLE__)
    // Registered for ever; on lack of memory fork() goes unnoticed, as without this class.
    static const int installed =
        // Relaxed: the child has this one thread.
        pthread_atfork(nullptr, nullptr, [] { generation().fetch_add(1, memory_order_relaxed); });
    static_cast<void>(installed);
#endif
  }

  // Relaxed: see is_of_this_process.
  std::uint32_t made_in_ = generation().load(memory_order_relaxed);
};

}  // namespace fg::inline FINEGRAIN_ABI::detail
