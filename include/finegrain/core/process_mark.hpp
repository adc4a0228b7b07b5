// Which process made this object.
#pragma once

#include <cstdint>

#include "finegrain/core/atomic.hpp"

#if defined(__unix__) || defined(__APPLE__)
#include <pthread.h>
#endif

namespace fg::detail {

/// Tells an object of this process from one that a forked child has inherited. One load, no system
/// call. Any thread.
class process_mark {
 public:
  process_mark() noexcept { install_handler(); }

  /// False in a forked child for a mark that the parent made.
  [[nodiscard]] bool is_of_this_process() const noexcept {
    // Relaxed: written in the child before it has a second thread.
    return made_in_ == generation().load(memory_order_relaxed);
  }

 private:
  static atomic<std::uint32_t>& generation() noexcept {
    constinit static atomic<std::uint32_t> forks{0};
    return forks;
  }
  static void install_handler() noexcept {
#if defined(__unix__) || defined(__APPLE__)
    // Registered once and for ever; on lack of memory fork() goes unnoticed, as without this class.
    static const int installed =
        pthread_atfork(nullptr, nullptr, [] { generation().fetch_add(1, memory_order_relaxed); });
    static_cast<void>(installed);
#endif
  }

  std::uint32_t made_in_ = generation().load(memory_order_relaxed);
};

}  // namespace fg::detail
