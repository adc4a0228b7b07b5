// The main thread's hints about sleeping.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "finegrain/core/atomic.hpp"

namespace fg::inline FINEGRAIN_ABI::detail {

/// The hints of Relic (relic-2024, section VI.B) as one word, from the main thread to the
/// assistant.
///
/// A hint to sleep contains the number of tasks submitted so far. It holds as long as exactly those
/// have finished: a later task cancels it without another write, whenever the assistant reads it. A
/// hint to stay awake holds until the next hint, or until its limit has expired once (which the
/// assistant records).
///
/// Everything is relaxed: the word carries no data, and a hint that is seen late is still a hint.
/// Only one thing must be certain: no sleep begins after a hint to stay awake. For that the
/// assistant looks again inside `sleep_gate`, whose fences order it.
class sleep_orders {
 public:
  // ---- main thread ----

  /// Sleep as soon as the `submitted` tasks have finished.
  void allow_sleep(std::uint64_t submitted) noexcept { give(submitted << 2 | kSleep); }

  /// Stay awake, or wake up.
  void stay_awake() noexcept { give((++awake_orders_) << 2 | kAwake); }

  // ---- assistant ----

  /// The current order; it differs from every other one that was in force.
  [[nodiscard]] std::uint64_t current() const noexcept { return word_.load(memory_order_relaxed); }

  /// True if `order` asks for sleep and exactly the tasks that it names have finished.
  [[nodiscard]] static bool asks_for_sleep(std::uint64_t order, std::uint64_t finished) noexcept {
    return order == (finished << 2 | kSleep);
  }

  [[nodiscard]] static bool asks_to_stay_awake(std::uint64_t order) noexcept {
    return (order & kMask) == kAwake;
  }

 private:
  static constexpr std::uint64_t kSleep = 1;
  static constexpr std::uint64_t kAwake = 2;
  static constexpr std::uint64_t kMask = 3;

  // Relaxed: the gate's fences order it (the caller wakes the sleeper afterwards).
  void give(std::uint64_t order) noexcept { word_.store(order, memory_order_relaxed); }

  atomic<std::uint64_t> word_{0};
  std::uint64_t awake_orders_ = 0;  // main thread only; makes any two of them differ
};

}  // namespace fg::inline FINEGRAIN_ABI::detail
