// What the environment variables ask of the drop-in.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string_view>

#include "policies.hpp"

namespace fg::omp {

/// Read once, when the library is loaded. Any thread.
class settings {
 public:
  static const settings& instance() noexcept;
  /// The environment as it is now, for tests.
  settings() noexcept;

  /// False: everything is passed on to the runtime below, because of FINEGRAIN_OMP=off, a tool that
  /// listens to the runtime (OMPT), or an unknown policy.
  [[nodiscard]] bool is_active() const noexcept { return active_; }
  /// FINEGRAIN_POLICY.
  [[nodiscard]] const conforming_policy& policy() const noexcept { return *policy_; }
  /// FINEGRAIN_OMP_VERBOSE=1.
  [[nodiscard]] bool is_verbose() const noexcept { return verbose_; }
  /// False, by KMP_ENABLE_TASK_THROTTLING=0: tasks are never run at once for lack of room.
  [[nodiscard]] bool throttles() const noexcept { return throttles_; }
  /// OMP_CANCELLATION=true.
  [[nodiscard]] bool cancels() const noexcept { return cancels_; }
  /// How long an idle thread looks for work before it sleeps: OMP_WAIT_POLICY, and not long if
  /// other threads need the CPU.
  [[nodiscard]] std::uint64_t spin_ticks(bool oversubscribed) const noexcept {
    return oversubscribed ? crowded_spin_ticks_ : spin_ticks_;
  }

 private:
  void stay_passive(std::string_view why) noexcept;

  bool active_ = true;
  bool verbose_ = false;
  bool throttles_ = true;
  bool cancels_ = false;
  const conforming_policy* policy_;
  std::uint64_t spin_ticks_;
  std::uint64_t crowded_spin_ticks_;
};

/// One line on stderr, if FINEGRAIN_OMP_VERBOSE asks for it.
void say(std::string_view line) noexcept;

/// Ends the program with one line, as the runtimes below do: OpenMP has no way to report it.
[[noreturn]] void end_without_memory(std::string_view what) noexcept;

}  // namespace fg::omp
