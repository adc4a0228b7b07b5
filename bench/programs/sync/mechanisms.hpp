// Four ways for threads to take turns at an integer.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <pthread.h>
#include <semaphore.h>

#include <concepts>
#include <cstdint>

#include "finegrain/core/atomic.hpp"
#include "finegrain/core/cache_line.hpp"

namespace fg::bench {

/// An integer that any thread may increment: `next` returns the value before. Call `value` only
/// while no other thread increments.
///
/// The lock is on the integer's line: the cheapest that a lock can be.
template <class M>
concept sync_mechanism = std::default_initializable<M> && requires(M& it) {
  { it.next() } -> std::same_as<std::uint64_t>;
  { it.value() } -> std::same_as<std::uint64_t>;
};

/// pthread_mutex_lock and pthread_mutex_unlock.
class mutex_counter {
 public:
  mutex_counter() = default;
  mutex_counter(const mutex_counter&) = delete;
  mutex_counter& operator=(const mutex_counter&) = delete;
  ~mutex_counter() { pthread_mutex_destroy(&mutex_); }

  std::uint64_t next() noexcept {
    pthread_mutex_lock(&mutex_);
    const std::uint64_t before = value_++;
    pthread_mutex_unlock(&mutex_);
    return before;
  }
  [[nodiscard]] std::uint64_t value() const noexcept { return value_; }

 private:
  alignas(kCacheLineBytes) pthread_mutex_t mutex_ = PTHREAD_MUTEX_INITIALIZER;
  std::uint64_t value_ = 0;
};

/// sem_wait and sem_post.
class semaphore_counter {
 public:
  semaphore_counter() { sem_init(&free_, 0, 1); }
  semaphore_counter(const semaphore_counter&) = delete;
  semaphore_counter& operator=(const semaphore_counter&) = delete;
  ~semaphore_counter() { sem_destroy(&free_); }

  std::uint64_t next() noexcept {
    while (sem_wait(&free_) != 0) {  // interrupted by a signal
    }
    const std::uint64_t before = value_++;
    sem_post(&free_);
    return before;
  }
  [[nodiscard]] std::uint64_t value() const noexcept { return value_; }

 private:
  alignas(kCacheLineBytes) sem_t free_{};
  std::uint64_t value_ = 0;
};

/// A lock that is taken by compare-and-swap in a loop with nothing else in it, as in the paper.
class spinlock_counter {
 public:
  std::uint64_t next() noexcept {
    bool expected = false;
    // Acquire: pairs with the release below, so that the last holder's increment is seen.
    while (
        !held_.compare_exchange_weak(expected, true, memory_order_acquire, memory_order_relaxed)) {
      expected = false;
    }
    const std::uint64_t before = value_++;
    held_.store(false, memory_order_release);  // pairs with the acquire above, of the next holder
    return before;
  }
  [[nodiscard]] std::uint64_t value() const noexcept { return value_; }

 private:
  alignas(kCacheLineBytes) atomic<bool> held_{false};
  std::uint64_t value_ = 0;
};

/// `lock xadd` on x86, an exclusive load and store or `ldadd` on Arm.
class fetch_add_counter {
 public:
  // Relaxed: only the number is handed over.
  std::uint64_t next() noexcept { return value_.fetch_add(1, memory_order_relaxed); }
  // Relaxed: called after the threads have been joined.
  [[nodiscard]] std::uint64_t value() const noexcept { return value_.load(memory_order_relaxed); }

 private:
  alignas(kCacheLineBytes) atomic<std::uint64_t> value_{0};
};

}  // namespace fg::bench
