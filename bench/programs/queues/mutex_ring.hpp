// The straightforward queue: a ring with a mutex.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstddef>
#include <mutex>

namespace fg::bench {

/// First in, first out, for any number of producers and consumers, at most `Capacity` items. Every
/// call takes the mutex, as in section 2.2 of X-OpenMP. Any thread; constant time.
template <class T, std::size_t Capacity>
class mutex_ring {
 public:
  /// Returns false if it is full; then nothing has changed.
  bool try_push(const T& item) {
    const std::scoped_lock lock{mutex_};
    if (pushed_ - popped_ == Capacity) {
      return false;
    }
    items_[pushed_++ % Capacity] = item;
    return true;
  }

  /// Returns false if it is empty; then `item` is unchanged.
  bool try_pop(T& item) {
    const std::scoped_lock lock{mutex_};
    if (pushed_ == popped_) {
      return false;
    }
    item = items_[popped_++ % Capacity];
    return true;
  }

 private:
  std::mutex mutex_;
  std::size_t pushed_ = 0;
  std::size_t popped_ = 0;
  std::array<T, Capacity> items_{};
};

}  // namespace fg::bench
