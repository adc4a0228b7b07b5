// The lock of critical constructs and of OpenMP's lock functions: one word, zero when it is free.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "finegrain/core/atomic.hpp"
#include "finegrain/wait/futex.hpp"
#include "finegrain/wait/wait.hpp"

namespace fg::omp::runtime {

/// A mutex in a word of the program's, all zeros at first. The states: free, held, and held while
/// others may sleep ("Futexes Are Tricky", Drepper, mutex 2).
class lock {
 public:
  [[nodiscard]] bool try_acquire() noexcept {
    std::uint32_t seen = kFree;
    // Acquire: pairs with the release in `release`. Relaxed: nothing is taken.
    return word_.compare_exchange_strong(seen, kHeld, memory_order_acquire, memory_order_relaxed);
  }
  void acquire() noexcept {
    if (!try_acquire()) [[unlikely]] {
      acquire_long();
    }
  }
  void release() noexcept {
    // Release: pairs with the acquires of the next holder.
    if (word_.exchange(kFree, memory_order_release) == kAwaited) [[unlikely]] {
      fg::detail::futex::wake_one(word_);
    }
  }

 private:
  enum : std::uint32_t { kFree, kHeld, kAwaited };

  // Spins for as long as a short critical section may last; the holder may have lost its CPU.
  [[gnu::noinline]] void acquire_long() noexcept {
    constexpr std::uint64_t kLooks = 512;  // some 13 us of pauses (EPYC 9005, KVM). Not tuned.
    for (spin_wait<> idle; idle.looks() < kLooks; idle()) {
      if (word_.load(memory_order_relaxed) == kFree && try_acquire()) {  // a hint
        return;
      }
    }
    // Acquire, when it was free: as above. Who has slept does not know of others that still do.
    while (word_.exchange(kAwaited, memory_order_acquire) != kFree) {
      fg::detail::futex::sleep(word_, kAwaited);
    }
  }

  fg::detail::futex::word word_{kFree};
};

}  // namespace fg::omp::runtime
