// How long an assistant that loses its CPU now and then is put up with.
#pragma once

#include <algorithm>
#include <chrono>
#include <cstdint>

#include "finegrain/core/clock.hpp"

namespace fg::inline FINEGRAIN_ABI::detail {

/// Holds what was gained against what was lost by stalls: waits for an assistant that had lost its
/// CPU to another program. Not synchronized.
class stall_credit {
 public:
  /// Adds what was gained, ticks.
  void gain(std::uint64_t gained) noexcept {
    gained_ = std::min(gained_ + gained, to_ticks(kMostGained));
  }

  /// Pays for a stall. False when it costs more than was gained.
  [[nodiscard]] bool pay(std::uint64_t stall) noexcept {
    if (is_new_) {
      gain(to_ticks(kOfANewSite));
      is_new_ = false;
    }
    if (stall >= gained_) {
      return false;
    }
    gained_ -= stall;
    return true;
  }

 private:
  // A stall is a time slice of another program, 3 to 4 ms with Linux's defaults. What was gained
  // before is remembered up to three of them, and a new site has one as credit.
  static constexpr std::chrono::milliseconds kMostGained{10};
  static constexpr std::chrono::milliseconds kOfANewSite{4};

  std::uint64_t gained_ = 0;
  bool is_new_ = true;  // the rate of the clock is not known at compile time
};

}  // namespace fg::inline FINEGRAIN_ABI::detail
