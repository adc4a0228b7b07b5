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

/// One of the wait policies, for those who can not be templates over them: an indirect call a look
/// (wait.hpp says what each one does). Copyable; any thread.
///
/// It watches no line, only waits a moment: with umwait and mwaitx until their timer runs out.
class chosen_wait {
 public:
  template <wait_policy Policy>
  static constexpr chosen_wait of() noexcept {
    return {Policy::kName, Policy::kSleepsByItself, &Policy::supported, &relax_by<Policy>};
  }

  [[nodiscard]] constexpr std::string_view name() const noexcept { return name_; }
  /// Whether a service thread that waits this way goes to sleep when its budget is spent.
  [[nodiscard]] constexpr bool sleeps_by_itself() const noexcept { return sleeps_by_itself_; }
  /// Whether this processor can do it.
  [[nodiscard]] bool is_supported() const noexcept { return supported_(); }

  /// Lets a moment pass.
  void operator()() const noexcept { relax_(); }

 private:
  constexpr chosen_wait(const char* name, bool sleeps_by_itself, bool (*supported)(),
                        void (*relax)() noexcept) noexcept
      : name_{name}, sleeps_by_itself_{sleeps_by_itself}, supported_{supported}, relax_{relax} {}

  template <wait_policy Policy>
  static void relax_by() noexcept {
    const char watched = 0;  // a line that nobody writes
    Policy::relax(&watched, [] { return false; });
  }

  std::string_view name_;
  bool sleeps_by_itself_;
  bool (*supported_)();
  void (*relax_)() noexcept;
};

/// All of them for this architecture, the default first.
inline constexpr std::array kWaitPolicies{
    chosen_wait::of<spin_then_sleep>(), chosen_wait::of<spin_pause>(), chosen_wait::of<spin>(),
#if (defined(__x86_64__) || defined(__i386__)) && defined(__GNUC__)
    chosen_wait::of<fg::umwait>(),      chosen_wait::of<fg::mwaitx>(),
#endif
};

/// The wait policy of this name. Throws std::invalid_argument where there is none, with the names
/// of those that this processor supports, or where it does not support this one.
inline const chosen_wait& find_wait_policy(std::string_view name) {
  if (const chosen_wait* const found = find_by_name(kWaitPolicies, name)) {
    return *found;
  }
  raise(std::invalid_argument("finegrain: " + unknown_name(kWaitPolicies, "wait policy", name)));
}

/// The wait policy of FINEGRAIN_WAIT; the default where that is not set, or after a line on
/// standard error, once a process, where it names none that `find_wait_policy` would find.
inline const chosen_wait& wait_policy_of_environment() {
  return choice_of_environment(kWaitPolicies, "wait policy", "FINEGRAIN_WAIT");
}

}  // namespace fg::inline FINEGRAIN_ABI::detail
