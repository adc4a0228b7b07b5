// When a sleeping assistant is worth a wake-up.
#pragma once

#include <chrono>
#include <cstdint>

#include "finegrain/core/clock.hpp"

namespace fg::inline FINEGRAIN_ABI::detail {

/// Adds up what was lost because the assistant slept. Not synchronized.
class missed_gain {
 public:
  /// Adds `gain` ticks. True when a wake-up would have been paid for by what was added since the
  /// last one that would have been, and they came so densely that an assistant stays awake between
  /// them. Reads the clock only then.
  [[nodiscard]] bool add(std::uint64_t gain) noexcept {
    ticks_ += gain;
    if (ticks_ < to_ticks(kWakeUpCost)) {
      return false;
    }
    const std::uint64_t now = ticks();
    const bool dense = (now - since_) / kLeastGainShare < ticks_;
    ticks_ = 0;
    since_ = now;
    return dense;
  }

 private:
  // What a wake-up costs the thread that gives it (9 us, EPYC 9004, KVM, Linux 6.18), and the least
  // share of the time, 1/16, that has to be gained by it.
  static constexpr std::chrono::microseconds kWakeUpCost{10};
  static constexpr std::uint64_t kLeastGainShare = 16;

  std::uint64_t ticks_ = 0;
  std::uint64_t since_ = 0;
};

}  // namespace fg::inline FINEGRAIN_ABI::detail
