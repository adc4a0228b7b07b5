// SPDX-License-Identifier: Apache-2.0
#include "settings.hpp"

#include <dlfcn.h>
#include <strings.h>
#include <unistd.h>

#include <algorithm>
#include <charconv>
#include <chrono>
#include <cmath>
#include <cstdlib>
#include <exception>
#include <string>
#include <system_error>

#include "finegrain/core/clock.hpp"
#include "finegrain/core/environment.hpp"

namespace fg::omp {
namespace {

// LLVM's default (KMP_BLOCKTIME). Not tuned.
constexpr std::chrono::milliseconds kUsualSpin{200};

// Twice the time it takes to wake a sleeping thread (9 us, EPYC 9004, KVM).
constexpr std::chrono::microseconds kShortSpin{20};

// As long as a program runs.
constexpr std::chrono::hours kForever{1};

// One look of a thread that spins: 25 ns (EPYC 9004, KVM; see spin_wait).
constexpr std::chrono::nanoseconds kPause{25};

std::string_view text(const char* value) noexcept {
  return value != nullptr ? value : std::string_view{};
}

std::string_view own_variable(const char* name) noexcept {
  return text(fg::detail::environment_variable(name));
}

// Reads a variable as the runtime below does, also in a set-user-ID program: we must know what it
// does.
std::string_view runtimes_variable(const char* name) noexcept { return text(std::getenv(name)); }

bool is_word(std::string_view value, std::string_view word) noexcept {
  // NOLINTNEXTLINE(bugprone-suspicious-stringview-data-usage): no more than both have
  return value.size() == word.size() && strncasecmp(value.data(), word.data(), word.size()) == 0;
}

bool is_set(std::string_view value) noexcept {
  return !value.empty() && value != "0" && !is_word(value, "false") && !is_word(value, "off");
}

// The runtimes allow blanks around it.
bool is_true(std::string_view value) noexcept {
  const std::size_t first = value.find_first_not_of(" \t");
  if (first == std::string_view::npos) {
    return false;
  }
  return is_word(value.substr(first, value.find_last_not_of(" \t") + 1 - first), "true");
}

// Whether the runtime below would start a tool, which expects to see every task. The runtime's own
// weak definition of the start function means "no tool".
bool has_tool() noexcept {
  if (is_word(runtimes_variable("OMP_TOOL"), "disabled")) {
    return false;
  }
  if (!runtimes_variable("OMP_TOOL_LIBRARIES").empty()) {
    return true;
  }
  void* const start = dlsym(RTLD_DEFAULT, "ompt_start_tool");
  Dl_info home{};
  if (start == nullptr || dladdr(start, &home) == 0) {
    return false;
  }
  std::string_view file = home.dli_fname;
  file.remove_prefix(file.rfind('/') + 1);
  return !file.starts_with("libomp.") && !file.starts_with("libiomp5.");
}

void write_line(std::string_view line) noexcept {
  try {
    const std::string text = "finegrain-omp: " + std::string{line} + "\n";
    // One call, so that lines of several processes do not mix. Nothing can be done if it fails.
    static_cast<void>(write(STDERR_FILENO, text.data(), text.size()) < 0);
  } catch (const std::exception&) {  // NOLINT(bugprone-empty-catch): the line is lost
  }
}

// What the variables of the runtimes say about it; otherwise `before`. KMP_BLOCKTIME: milliseconds,
// or with a unit. GOMP_SPINCOUNT: looks, of which each takes about as long as a pause.
std::uint64_t spin_ticks_of_runtimes(std::uint64_t before) noexcept {
  const auto is_endless = [](std::string_view value) {
    return is_word(value, "infinite") || is_word(value, "infinity");
  };
  const std::string_view blocktime = runtimes_variable("KMP_BLOCKTIME");
  const std::string_view count = runtimes_variable("GOMP_SPINCOUNT");
  if (is_endless(blocktime) || (blocktime.empty() && is_endless(count))) {
    return to_ticks(kForever);
  }
  const std::string_view value = blocktime.empty() ? count : blocktime;
  std::uint64_t number = 0;
  const auto [end, error] = std::from_chars(value.data(), value.data() + value.size(), number);
  if (error != std::errc{}) {
    return before;
  }
  const std::string_view unit = value.substr(static_cast<std::size_t>(end - value.data()));
  const std::uint64_t most = to_ticks(kForever);
  std::uint64_t each = to_ticks(std::chrono::milliseconds{1});
  if (is_word(unit, "us")) {
    each = to_ticks(std::chrono::microseconds{1});
  } else if (blocktime.empty()) {
    each = to_ticks(kPause) * (is_word(unit, "k")   ? 1000U
                               : is_word(unit, "m") ? 1'000'000U
                               : is_word(unit, "g") ? 1'000'000'000U
                                                    : 1U);
  }
  return number > most / std::max<std::uint64_t>(each, 1) ? most : number * each;
}

// Returns an empty string if memory runs out.
std::string unknown_policy(std::string_view name) noexcept {
  try {
    return "FINEGRAIN_POLICY: " +
           fg::detail::unknown_name(kConformingPolicies, "balancing policy", name);
  } catch (const std::exception&) {
    return {};
  }
}

}  // namespace

settings::settings() noexcept
    : verbose_{is_set(own_variable("FINEGRAIN_OMP_VERBOSE"))},
      policy_{&kConformingPolicies.front()},
      spin_ticks_{to_ticks(kUsualSpin)},
      crowded_spin_ticks_{to_ticks(kShortSpin)} {
  const std::string_view policy = own_variable("FINEGRAIN_POLICY");
  if (!policy.empty()) {
    policy_ = find_conforming(policy);
  }
  if (policy_ == nullptr) {
    policy_ = &kConformingPolicies.front();
    verbose_ = true;  // users should not believe that it is in use
    stay_passive("FINEGRAIN_POLICY is unknown", unknown_policy(policy));
  }
  if (is_word(own_variable("FINEGRAIN_OMP"), "all") && !owns_regions()) {
    write_line("FINEGRAIN_OMP=all needs libfinegrain-omp-all.so: this library serves tasks only");
  }
  if (is_word(own_variable("FINEGRAIN_OMP"), "off")) {
    constexpr std::string_view kWhy = "FINEGRAIN_OMP=off";
    stay_passive(kWhy, kWhy);
  } else if (has_tool()) {
    constexpr std::string_view kWhy =
        "an OMPT tool is present and must see the runtime's own tasks";
    stay_passive(kWhy, kWhy);
  }
  cancels_ = is_true(runtimes_variable("OMP_CANCELLATION"));
  const std::string_view throttling = runtimes_variable("KMP_ENABLE_TASK_THROTTLING");
  throttles_ = throttling.empty() || is_set(throttling);
  if (is_word(runtimes_variable("OMP_WAIT_POLICY"), "passive")) {
    spin_ticks_ = crowded_spin_ticks_;
  } else if (is_word(runtimes_variable("OMP_WAIT_POLICY"), "active")) {
    spin_ticks_ = to_ticks(kForever);
  }
  if (owns_regions()) {
    spin_ticks_ = spin_ticks_of_runtimes(spin_ticks_);
  }
}

void settings::stay_passive(std::string_view why, std::string_view line) noexcept {
  active_ = false;
  why_passive_ = why;
  if (verbose_) {
    try {
      write_line("passive: " + std::string{line});
    } catch (const std::exception&) {  // NOLINT(bugprone-empty-catch): as above
    }
  }
}

settings& settings::changeable() noexcept {
  static settings all;
  return all;
}

std::chrono::milliseconds settings::spin_time() const noexcept {
  const std::uint64_t spins = spin_ticks_.load(memory_order_relaxed);
  return spins >= to_ticks(kForever) ? std::chrono::milliseconds::max()
                                     : std::chrono::milliseconds{std::llround(to_ns(spins) / 1e6)};
}

void settings::set_spin_time(std::chrono::milliseconds time) noexcept {
  changeable().spin_ticks_.store(to_ticks(std::min<std::chrono::milliseconds>(time, kForever)),
                                 memory_order_relaxed);
}

void say(std::string_view line) noexcept {
  if (settings::instance().is_verbose()) {
    write_line(line);
  }
}

void end_without_memory(std::string_view what) noexcept {
  try {
    write_line("out of memory for " + std::string{what});
  } catch (const std::exception&) {  // NOLINT(bugprone-empty-catch): the program ends anyway
  }
  std::abort();
}

}  // namespace fg::omp
