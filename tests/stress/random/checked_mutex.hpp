// A mutex that reports when its holder locks it again.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>
#include <thread>

namespace fg::test {

/// Any thread.
class checked_mutex {
 public:
  enum class entered { yes, no, again };

  /// `again`: the calling thread already holds it, which would be a deadlock. `no`: another thread
  /// holds it for long, and `patient` is false.
  entered enter(bool patient) {
    const std::thread::id self = std::this_thread::get_id();
    for (int looks = 0; patient || looks < kLooks; ++looks) {
      std::thread::id holder{};
      // Acquire: pairs with leave. Relaxed on failure: only the thread's own id is meaningful.
      if (holder_.compare_exchange_strong(holder, self, std::memory_order_acquire,
                                          std::memory_order_relaxed)) {
        return entered::yes;
      }
      if (holder == self) {
        return entered::again;
      }
      std::this_thread::yield();
    }
    return entered::no;
  }

  /// Called by the holder.
  void leave() { holder_.store(std::thread::id{}, std::memory_order_release); }

 private:
  // About ten times as long as it is held, at most 100 us; a yield takes half a microsecond.
  static constexpr int kLooks = 200;
  std::atomic<std::thread::id> holder_{};
};

}  // namespace fg::test
