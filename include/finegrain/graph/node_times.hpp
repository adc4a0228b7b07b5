// How long each node of a graph takes.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "finegrain/core/clock.hpp"

namespace fg::inline FINEGRAIN_ABI::detail {

/// The time of each node in ticks, from runs in which the clock was read before and after each: the
/// first ones, and later so many that this takes 0.2 % of the time. In a run each node has one
/// thread, which writes its time; the runs follow each other.
class node_times {
 public:
  node_times() = default;
  explicit node_times(std::size_t nodes) : ticks_(nodes, to_ticks(kUnknown)) {}

  [[nodiscard]] std::span<const std::uint64_t> all() const noexcept { return ticks_; }

  /// False before the first run that was timed.
  [[nodiscard]] bool are_known() const noexcept { return runs_ != 0; }

  /// True if the next run is to be timed.
  [[nodiscard]] bool is_due(std::uint64_t now) const noexcept { return now >= due_at_; }

  /// A node took this long. The shortest time counts, as others include cold caches and interrupts;
  /// but each run in which it takes longer raises that by an eighth.
  void add(std::uint32_t node, std::uint64_t took) noexcept {
    const std::uint64_t without_clock = took - std::min(took, clock_read_ticks());
    std::uint64_t& known = ticks_[node];
    known = runs_ == 0 ? without_clock : std::min(without_clock, known + known / 8 + 1);
  }

  /// All nodes of a run were timed.
  void end_run(std::uint64_t now) noexcept {
    if (runs_ < kFirstRuns) {
      ++runs_;
    }
    if (runs_ == kFirstRuns) {
      due_at_ = now + kShare * ticks_.size() * to_ticks(kCost);
    }
  }

 private:
  // What two reads of the clock measure if nothing is between them.
  static std::uint64_t clock_read_ticks() noexcept {
    static const std::uint64_t least = [] {
      std::uint64_t shortest = ~std::uint64_t{0};
      for (int pair = 0; pair != 32; ++pair) {
        const std::uint64_t start = ticks();
        shortest = std::min(shortest, ticks() - start);
      }
      return shortest;
    }();
    return least;
  }

  static constexpr std::chrono::nanoseconds kUnknown{1000};  // as good as any: all are the same
  static constexpr std::chrono::nanoseconds kCost{25};       // of two clock reads (EPYC 9004, KVM)
  static constexpr std::uint64_t kShare = 512;               // 0.2 % of the time
  static constexpr int kFirstRuns = 3;                       // the first one has cold caches

  std::vector<std::uint64_t> ticks_;
  std::uint64_t due_at_ = 0;
  int runs_ = 0;  // up to kFirstRuns
};

}  // namespace fg::inline FINEGRAIN_ABI::detail
