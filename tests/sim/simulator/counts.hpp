// What is counted of a virtual thread.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

namespace sim {

enum class count : std::uint8_t {
  accesses,            ///< to memory, plain and atomic: one for each line that is touched
  shared_accesses,     ///< to lines of which another thread holds a copy, or held the only one
  line_transfers,      ///< that a thread waited for, or its store: a line, or the right to write it
  invalidations,       ///< copies that these took from other threads
  read_modify_writes,  ///< and sequentially consistent stores, which are exchanges on x86
  looks,               ///< pauses of loops that wait
  steal_attempts,
  steals,
  sleeps,
  wake_ups,
  heavy_fences,  ///< membarrier
  interrupts     ///< of running threads, by these
};

inline constexpr std::array kCountNames{
    "accesses",     "shared_accesses", "line_transfers", "invalidations", "read_modify_writes",
    "looks",        "steal_attempts",  "steals",         "sleeps",        "wake_ups",
    "heavy_fences", "interrupts"};

/// A number for each.
class counts {
 public:
  [[nodiscard]] std::uint64_t operator[](count what) const noexcept {
    return numbers_[static_cast<std::size_t>(what)];
  }
  void add(count what, std::uint64_t more = 1) noexcept {
    numbers_[static_cast<std::size_t>(what)] += more;
  }
  /// Adds what has been counted from `before` to `after`, several times.
  void add(const counts& after, const counts& before, std::uint64_t times) noexcept {
    for (std::size_t i = 0; i < numbers_.size(); ++i) {
      numbers_[i] += times * (after.numbers_[i] - before.numbers_[i]);
    }
  }
  friend bool operator==(const counts&, const counts&) = default;

 private:
  std::array<std::uint64_t, kCountNames.size()> numbers_{};
};

}  // namespace sim
