// How long an assistant looks and sleeps, for the model checker: replaces the shipped
// relic/rest_plan.hpp, which learns it.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <cstdint>

#include "finegrain/core/clock.hpp"
#include "finegrain/relic/relic_options.hpp"

namespace fg::inline FINEGRAIN_ABI {

/// How often the assistant dozes, and looks again, before it sleeps until it is woken. The scenario
/// sets it at its start, each time.
inline int dozes_left = 0;

namespace detail {

/// The main thread leaves each dozing assistant asleep.
class rest_plan {
 public:
  static constexpr std::chrono::milliseconds kDoze{1};

  explicit rest_plan(const relic_options& options) noexcept
      : budget_{budget_ticks(options.spin_budget)} {}

  [[nodiscard]] bool is_pause() const noexcept { return began_ != 0; }
  void begin_pause(std::uint64_t now) noexcept { began_ = now; }
  void end_pause(std::uint64_t /*now*/) noexcept { began_ = 0; }
  [[nodiscard]] bool has_looked_enough(std::uint64_t now) const noexcept {
    return now - began_ >= budget_;
  }
  void was_woken() noexcept {}
  // As the shipped ones: members. NOLINTBEGIN(readability-convert-member-functions-to-static)
  [[nodiscard]] std::chrono::nanoseconds sleep_for(std::uint64_t /*now*/) noexcept {
    if (dozes_left == 0) {
      return {};
    }
    --dozes_left;
    return kDoze;
  }
  [[nodiscard]] std::chrono::nanoseconds doze_again(std::uint64_t /*now*/) const noexcept {
    return kDoze;
  }
  [[nodiscard]] bool expects_task(std::uint64_t /*now*/) noexcept { return false; }

  void came_during_sleep(std::uint64_t /*now*/) noexcept {}
  void leave_asleep(bool /*yes*/) noexcept {}
  [[nodiscard]] bool looks_soon(std::uint64_t /*now*/, bool /*in_vain*/) const noexcept {
    return true;
  }
  [[nodiscard]] std::uint64_t early_wake_ups() const noexcept { return 0; }
  [[nodiscard]] std::uint64_t period() const noexcept { return 0; }

  // NOLINTEND(readability-convert-member-functions-to-static)
 private:
  std::uint64_t budget_;
  std::uint64_t began_ = 0;
};

}  // namespace detail

}  // namespace fg::inline FINEGRAIN_ABI
