// How long each node of a graph takes.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <numeric>
#include <span>
#include <vector>

#include "finegrain/core/clock.hpp"

namespace fg::inline FINEGRAIN_ABI::detail {

/// The time of each node in ticks, from runs in which the clock was read before and after each: the
/// first ones, and later so few that this, and what is made of it, takes 0.2 % of the runs' time. In
/// a run each node has one thread, which writes its time; the runs follow each other.
class node_times {
 public:
  node_times() = default;
  explicit node_times(std::size_t nodes) { reset(nodes); }

  /// Nothing is known about so many nodes. Throws std::bad_alloc if there were never as many.
  void reset(std::size_t nodes) {
    ticks_.assign(nodes, to_ticks(kUnknown));
    has_run_.assign(nodes, 0);
    forget();
    static_cast<void>(clock_read_ticks());  // measures it, before the first run
  }

  [[nodiscard]] std::span<const std::uint64_t> all() const noexcept { return ticks_; }
  [[nodiscard]] std::uint64_t total() const noexcept {
    return std::accumulate(ticks_.begin(), ticks_.end(), std::uint64_t{0});
  }

  /// False: it was timed in no run, and takes nothing as far as is known; or there was none.
  [[nodiscard]] bool has_run(std::uint32_t node) const noexcept { return has_run_[node] != 0; }
  /// False before the first run that was timed.
  [[nodiscard]] bool are_known() const noexcept { return runs_ != 0; }

  /// Counts `runs` more, the next one included. True if that is to be timed.
  [[nodiscard]] bool is_due(std::uint64_t runs) noexcept {
    runs_left_ -= std::min(runs_left_, runs);
    return runs_left_ == 0;
  }

  /// A node took this long. The shortest time counts, as others include cold caches and interrupts;
  /// but each run in which it takes longer raises that by an eighth.
  void add(std::uint32_t node, std::uint64_t took) noexcept {
    const std::uint64_t without_clock = took - std::min(took, clock_read_ticks());
    std::uint64_t& known = ticks_[node];
    known = runs_ == 0 || !has_run(node) ? without_clock
                                         : std::min(without_clock, known + known / 8 + 1);
    has_run_[node] = 1;
  }

  /// The next run is the first one again.
  void forget() noexcept {
    runs_ = 0;
    runs_left_ = 1;
  }

  /// All nodes of a run were timed, and this took `more` ticks besides.
  void end_run(std::uint64_t more) noexcept {
    if (runs_ == 0) {
      for (std::uint32_t node = 0; node != ticks_.size(); ++node) {
        ticks_[node] = has_run(node) ? ticks_[node] : 0;  // of a part that was not chosen
      }
    }
    if (runs_ < kFirstRuns) {
      ++runs_;
    }
    runs_left_ = runs_ < kFirstRuns ? 1 : runs_between(more);
  }

 private:
  [[nodiscard]] std::uint64_t runs_between(std::uint64_t more) const noexcept {
    const std::uint64_t cost = ticks_.size() * to_ticks(kCost) + more;
    return std::max(kShare * cost / (total() + 1), kLeastBetween);
  }

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
  static constexpr std::chrono::nanoseconds kCost{
      25};                                      // two clock reads, of 10 ns each, and the call
  static constexpr std::uint64_t kShare = 512;  // 0.2 % of the time
  static constexpr int kFirstRuns = 3;          // the first one has cold caches
  // Between them the call site makes its own experiments, of four runs.
  static constexpr std::uint64_t kLeastBetween = 32;

  std::vector<std::uint64_t> ticks_;
  std::vector<std::uint8_t> has_run_;  // bytes: in a run several threads write
  std::uint64_t runs_left_ = 1;
  int runs_ = 0;  // up to kFirstRuns
};

}  // namespace fg::inline FINEGRAIN_ABI::detail
