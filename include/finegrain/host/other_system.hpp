// host/system.hpp for systems without a file yet: nothing is known, and no thread is pinned.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <system_error>
#include <thread>

#include "finegrain/core/config.hpp"
#include "finegrain/host/topology.hpp"

namespace fg::inline FINEGRAIN_ABI {

inline std::optional<double> quota_cpus() noexcept { return {}; }

namespace detail {

inline constexpr const char* kWhyNotPinned = "this system does not tell where a thread runs";

class cpu_mask {
 public:
  static constexpr int kCpus = 1 << 16;
  void add(int /*cpu*/) noexcept {}
  [[nodiscard]] bool holds(int /*cpu*/) const noexcept { return false; }
  [[nodiscard]] int count() const noexcept { return 0; }
};

inline cpu_mask usable_mask() noexcept { return {}; }
inline std::error_code set_mask(std::thread::native_handle_type /*thread*/,
                                const cpu_mask& /*mask*/) noexcept {
  return std::make_error_code(std::errc::function_not_supported);
}
inline std::error_code set_own_mask(const cpu_mask& /*mask*/) noexcept {
  return std::make_error_code(std::errc::function_not_supported);
}
inline int running_cpu() noexcept { return -1; }
inline topology read_own_topology() { return {}; }

class throttle_watch {
 public:
  [[nodiscard]] bool throttled_since_last_look() noexcept { return false; }
};

}  // namespace detail

}  // namespace fg::inline FINEGRAIN_ABI
