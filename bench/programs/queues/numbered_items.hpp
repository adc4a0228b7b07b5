// Items that show whether a queue kept all of them, and in order.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <bit>
#include <chrono>
#include <cstdint>
#include <string>

#include "finegrain/core/pause.hpp"
#include "programs/frame/program_errors.hpp"
#include "programs/handoff/queued_task.hpp"

namespace fg::bench {

/// How long a side waits for an item, or for room, before the queue counts as wrong.
using time_limit = std::chrono::milliseconds;

namespace detail {

static_assert(sizeof(std::uintptr_t) == sizeof(void*));

/// Calls `attempt` until it succeeds. Throws wrong_result if that takes longer than `limit`.
template <class Attempt>
void insist(Attempt attempt, time_limit limit, const char* complaint, std::uint64_t number) {
  using clock = std::chrono::steady_clock;
  constexpr std::uint64_t kAttempts = 1 << 12;  // attempts per clock read, which hides its cost
  if (attempt()) {
    return;
  }
  clock::time_point start{};
  for (std::uint64_t failed = 1;; ++failed) {
    pause();
    if (attempt()) {
      return;
    }
    if (failed == kAttempts) {
      start = clock::now();
    }
    if (failed % kAttempts == 0 && clock::now() - start > limit) {
      throw wrong_result(complaint + std::to_string(number));
    }
  }
}

}  // namespace detail

/// One side's count of the items that it has pushed. An item has two words, like a task in our own
/// queues; the second is the number.
template <class Queue>
class numbered_producer {
 public:
  numbered_producer(Queue& queue, time_limit limit) : queue_{queue}, limit_{limit} {}

  /// Pushes the next number, waiting for room if necessary. Throws wrong_result.
  void push() {
    const queued_task item{nullptr, std::bit_cast<void*>(static_cast<std::uintptr_t>(next_))};
    detail::insist([&] { return queue_.try_push(item); }, limit_, "no room for item ", next_);
    ++next_;
  }

 private:
  Queue& queue_;
  time_limit limit_;
  std::uint64_t next_ = 0;
};

/// One side's count of the items that it has popped: each has to be the next number.
template <class Queue>
class numbered_consumer {
 public:
  numbered_consumer(Queue& queue, time_limit limit) : queue_{queue}, limit_{limit} {}

  /// Pops the next number, waiting for it if necessary. Throws wrong_result.
  void pop() {
    queued_task item;
    detail::insist([&] { return queue_.try_pop(item); }, limit_, "there never came item ", next_);
    const auto number = std::bit_cast<std::uintptr_t>(item.argument);
    if (number != next_) {
      throw wrong_result("item " + std::to_string(number) + " came instead of item " +
                         std::to_string(next_));
    }
    ++next_;
  }

  /// Throws wrong_result if there is another item. Requires: no thread pushes any more.
  void require_end() {
    queued_task item;
    if (queue_.try_pop(item)) {
      throw wrong_result("an item came after the last one");
    }
  }

 private:
  Queue& queue_;
  time_limit limit_;
  std::uint64_t next_ = 0;
};

}  // namespace fg::bench
