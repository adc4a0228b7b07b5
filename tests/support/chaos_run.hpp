// The duration of one test under chaos.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <cinttypes>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <random>
#include <string>

#include "support/chaos.hpp"
#include "support/watchdog.hpp"

namespace fg::test {

/// Runs chaos from its construction, for FINEGRAIN_CHAOS_MS milliseconds (300), with the seed
/// FINEGRAIN_CHAOS_SEED (another one each time), which it prints. The same seed gives the same
/// disturbances, not the same interleaving. A test that takes a minute longer counts as hanging.
class chaos_run {
 public:
  chaos_run() : seed_{number_from("FINEGRAIN_CHAOS_SEED", std::random_device{}())} {
    std::printf("%s\n", note().c_str());
    std::fflush(stdout);
  }

  /// True until the time is over. At least once.
  [[nodiscard]] bool goes_on() noexcept {
    const bool first = !begun_;
    begun_ = true;
    return first || std::chrono::steady_clock::now() < end_;
  }
  /// For the test's own thread.
  [[nodiscard]] std::uint64_t random() noexcept { return random_(); }
  /// For the disturbances.
  [[nodiscard]] const chaos& disturbances() const noexcept { return chaos_; }

 private:
  static std::uint64_t number_from(const char* variable, std::uint64_t otherwise) {
    const char* const text = std::getenv(variable);
    return text != nullptr ? std::strtoull(text, nullptr, 10) : otherwise;
  }
  [[nodiscard]] std::string note() const {
    return "FINEGRAIN_CHAOS_SEED=" + std::to_string(seed_) + " repeats it";
  }

  std::uint64_t seed_;
  std::chrono::milliseconds time_{number_from("FINEGRAIN_CHAOS_MS", 300)};
  std::mt19937_64 random_{seed_};
  chaos chaos_{seed_};
  watchdog watchdog_{std::chrono::ceil<std::chrono::seconds>(time_) + std::chrono::seconds{60},
                     note()};
  std::chrono::steady_clock::time_point end_ = std::chrono::steady_clock::now() + time_;
  bool begun_ = false;
};

}  // namespace fg::test
