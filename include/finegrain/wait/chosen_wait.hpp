// A wait policy chosen at run time.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstddef>
#include <stdexcept>
#include <string_view>

#include "finegrain/core/environment.hpp"
#include "finegrain/core/errors.hpp"
#include "finegrain/wait/wait.hpp"

namespace fg::inline FINEGRAIN_ABI::detail {

/// One of the wait policies, for code that cannot be a template over them. Each look is an indirect
/// call. wait.hpp says what each policy does. Copyable; any thread.
///
/// It watches no line and only waits a moment: umwait and mwaitx until their timer expires.
class chosen_wait {
 public:
  template <wait_policy Policy>
  static constexpr chosen_wait of() noexcept {
    return {Policy::kName, Policy::kSleepsByItself, &Policy::supported, &relax_by<Policy>};
  }

  [[nodiscard]] constexpr std::string_view name() const noexcept { return name_; }
  /// Whether a service thread with this policy goes to sleep when its budget is spent.
  [[nodiscard]] constexpr bool sleeps_by_itself() const noexcept { return sleeps_by_itself_; }
  /// Whether this processor supports it.
  [[nodiscard]] bool is_supported() const noexcept { return supported_(); }

  /// Waits a moment.
  void operator()() const noexcept { relax_(); }

 private:
  constexpr chosen_wait(const char* name, bool sleeps_by_itself, bool (*supported)(),
                        void (*relax)() noexcept) noexcept
      : name_{name}, sleeps_by_itself_{sleeps_by_itself}, supported_{supported}, relax_{relax} {}

  template <wait_policy Policy>
  static void relax_by() noexcept {
    const char watched = 0;  // no thread writes this line
    Policy::relax(&watched, [] { return false; });
  }

  std::string_view name_;
  bool sleeps_by_itself_;
  bool (*supported_)();
  void (*relax_)() noexcept;
};

/// All policies for this architecture, the default first.
inline constexpr std::array kWaitPolicies{
    chosen_wait::of<spin_then_sleep>(), chosen_wait::of<spin_pause>(), chosen_wait::of<spin>(),
#if (defined(__x86_64__) || defined(__i386__)) && defined(__GNUC__)
    chosen_wait::of<fg::umwait>(),      chosen_wait::of<fg::mwaitx>(),
#endif
};

/// The wait policy with this name. Throws std::invalid_argument if there is none or if this
/// processor does not support it; the message lists the names of the policies that it supports.
inline const chosen_wait& find_wait_policy(std::string_view name) {
  if (const chosen_wait* const found = find_by_name(kWaitPolicies, name)) {
    return *found;
  }
  raise(std::invalid_argument("finegrain: " + unknown_name(kWaitPolicies, "wait policy", name)));
}

/// The wait policy named by FINEGRAIN_WAIT; the default if it is not set, or if `find_wait_policy`
/// would not find the name, which is then reported on standard error, once per process.
inline const chosen_wait& wait_policy_of_environment() {
  return choice_of_environment(kWaitPolicies, "wait policy", "FINEGRAIN_WAIT");
}

}  // namespace fg::inline FINEGRAIN_ABI::detail
