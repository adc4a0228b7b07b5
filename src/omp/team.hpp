// State that the threads of a parallel region share to run tasks: queues, sleep gates, barrier.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

#include "finegrain/balance/balancer.hpp"
#include "finegrain/balance/idle_workers.hpp"
#include "finegrain/core/atomic.hpp"
#include "finegrain/core/cache_line.hpp"
#include "finegrain/queue/private_deque.hpp"
#include "policies.hpp"
#include "set_aside.hpp"
#include "task_details.hpp"

namespace fg::omp {

/// Queues for `size` threads under one policy, the gates on which they sleep, and their barrier. A
/// team serves one region after another (team_cache.hpp).
class team {
 public:
  /// Throws std::bad_alloc.
  team(std::size_t size, const conforming_policy& policy, bool oversubscribed)
      : size_{size},
        oversubscribed_{oversubscribed},
        recalls_{policy.recalls},
        idle_{size},
        deques_{policy.uses_own_deques ? std::make_unique<deputised_deque[]>(size) : nullptr},
        policy_{policy.make(all_deques(), idle_)} {}
  team(const team&) = delete;
  team& operator=(const team&) = delete;

  [[nodiscard]] std::size_t size() const noexcept { return size_; }
  /// Whether there are more threads than CPUs: waiting threads then yield the CPU.
  [[nodiscard]] bool is_oversubscribed() const noexcept { return oversubscribed_; }
  /// Whether its threads list the tasks that they push (recall.hpp).
  [[nodiscard]] bool recalls() const noexcept { return recalls_; }
  [[nodiscard]] balancer& policy() noexcept { return *policy_; }
  [[nodiscard]] idle_workers& idle() noexcept { return idle_; }
  [[nodiscard]] set_aside_tasks& set_aside() noexcept { return set_aside_; }
  /// Returns the deque that thread `number` may push to and pop from without a call, or null under
  /// policies that have none.
  [[nodiscard]] deputised_deque* deque(std::size_t number) noexcept {
    return deques_ != nullptr ? &deques_[number] : nullptr;
  }

  /// Wakes all sleepers after a task was set aside, because not every thread may take it.
  void tell_all() noexcept {
    if (idle_.any_after_publishing()) [[unlikely]] {
      idle_.wake_all();
    }
  }
  /// Wakes waiting threads after something finished that they may wait for.
  void tell_waiting() noexcept {
    if (idle_.any_after_publishing()) [[unlikely]] {
      idle_.wake_waiting();
    }
  }

  // ---- tasks whose event was fulfilled after their body had ended ----

  /// Any thread, in the team or not, and signal handlers: takes no lock and allocates no memory.
  void put_fulfilled(completion_event& which) noexcept {
    which.next_fulfilled = fulfilled_.load(memory_order_relaxed);  // corrected by the exchange
    // Release: pairs with the acquire in take_fulfilled.
    while (!fulfilled_.compare_exchange_weak(which.next_fulfilled, &which, memory_order_release,
                                             memory_order_relaxed)) {
    }
    tell_all();
  }
  /// Takes all of them, linked by `next_fulfilled`; null if there are none.
  completion_event* take_fulfilled() noexcept {
    // The load is relaxed, a hint; the exchange acquires what put_fulfilled releases.
    return fulfilled_.load(memory_order_relaxed) == nullptr
               ? nullptr
               : fulfilled_.exchange(nullptr, memory_order_acquire);
  }
  [[nodiscard]] bool has_fulfilled_guess() const noexcept {
    return fulfilled_.load(memory_order_relaxed) != nullptr;  // before a sleep: after its fence
  }

  // ---- the barrier ----

  /// Records that the calling thread has nothing left to do before the barrier. Returns true if it
  /// was the last and has ended the barrier. Otherwise the barrier has ended when `generation`
  /// differs from its value before. What any thread did before the barrier is visible after it.
  bool arrive() noexcept {
    // Acquire-release: the last thread sees what all have done, and publishes it below.
    if (arrived_.fetch_add(1, memory_order_acq_rel) + 1 != size_) {
      return false;
    }
    arrived_.store(0, memory_order_relaxed);  // ordered before the next arrivals by the next line
    generation_.store(generation_.load(memory_order_relaxed) + 1, memory_order_release);
    tell_waiting();
    return true;
  }
  [[nodiscard]] std::uint32_t generation() const noexcept {
    return generation_.load(memory_order_acquire);  // pairs with the release in arrive
  }

 private:
  std::vector<deputised_deque*> all_deques() {
    std::vector<deputised_deque*> all;
    for (std::size_t number = 0; number < size_; ++number) {
      all.push_back(deque(number));
    }
    return all;
  }

  std::size_t size_;
  bool oversubscribed_;
  bool recalls_;
  idle_workers idle_;
  std::unique_ptr<deputised_deque[]> deques_;
  std::unique_ptr<balancer> policy_;
  set_aside_tasks set_aside_;
  alignas(kCacheLineBytes) atomic<completion_event*> fulfilled_{nullptr};
  alignas(kCacheLineBytes) atomic<std::uint32_t> arrived_{0};
  alignas(kCacheLineBytes) atomic<std::uint32_t> generation_{0};

 public:
  team* next_cached = nullptr;  ///< of team_cache
};

}  // namespace fg::omp
