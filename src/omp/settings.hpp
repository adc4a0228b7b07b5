// The drop-in's settings, from environment variables.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <string_view>

#include "finegrain/core/atomic.hpp"
#include "policies.hpp"

namespace fg::omp {

/// The settings, read once when the library is loaded. Any thread.
class settings {
 public:
  static const settings& instance() noexcept { return changeable(); }
  /// Reads the current environment. Public for tests.
  settings() noexcept;

  /// False if everything is passed on to the runtime below: because of FINEGRAIN_OMP=off, a tool
  /// that observes the runtime (OMPT), or an unknown policy.
  [[nodiscard]] bool is_active() const noexcept { return active_; }
  /// Why; empty if it is not so.
  [[nodiscard]] std::string_view why_passive() const noexcept { return why_passive_; }
  /// Makes it true where no runtime is below. Before the first entry point is called.
  static void activate() noexcept { changeable().active_ = true; }
  /// FINEGRAIN_POLICY.
  [[nodiscard]] const conforming_policy& policy() const noexcept { return *policy_; }
  /// FINEGRAIN_OMP_VERBOSE=1.
  [[nodiscard]] bool is_verbose() const noexcept { return verbose_; }
  /// False with KMP_ENABLE_TASK_THROTTLING=0: lack of room is then no reason to run a task at once.
  [[nodiscard]] bool throttles() const noexcept { return throttles_; }
  /// OMP_CANCELLATION=true.
  [[nodiscard]] bool cancels() const noexcept { return cancels_; }
  /// How long an idle thread looks for work before it sleeps: by OMP_WAIT_POLICY, but only briefly
  /// if other threads need the CPU.
  [[nodiscard]] std::uint64_t spin_ticks(bool oversubscribed) const noexcept {
    // Relaxed: a number that orders nothing.
    const std::uint64_t usual = spin_ticks_.load(memory_order_relaxed);
    return oversubscribed ? std::min(crowded_spin_ticks_, usual) : usual;
  }
  /// The first of these, and sets it, for our own runtime's functions. Any thread.
  [[nodiscard]] std::chrono::milliseconds spin_time() const noexcept;
  static void set_spin_time(std::chrono::milliseconds time) noexcept;

 private:
  static settings& changeable() noexcept;
  // `why`: a literal; `line`: the same at length.
  void stay_passive(std::string_view why, std::string_view line) noexcept;

  bool active_ = true;
  std::string_view why_passive_;
  bool verbose_ = false;
  bool throttles_ = true;
  bool cancels_ = false;
  const conforming_policy* policy_;
  atomic<std::uint64_t> spin_ticks_;
  std::uint64_t crowded_spin_ticks_;
};

/// Whether this library has a runtime of its own below it (runtime/), and none of others.
bool owns_regions() noexcept;

/// Prints one line on stderr if FINEGRAIN_OMP_VERBOSE asks for it.
void say(std::string_view line) noexcept;

/// Prints one line and ends the program, as the runtimes below do: OpenMP has no way to report lack
/// of memory.
[[noreturn]] void end_without_memory(std::string_view what) noexcept;

}  // namespace fg::omp
