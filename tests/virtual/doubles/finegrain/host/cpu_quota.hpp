// A system without CPU quotas: replaces the shipped host/cpu_quota.hpp.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>

#include "finegrain/core/config.hpp"

namespace fg::inline FINEGRAIN_ABI {

inline std::optional<double> quota_cpus() noexcept { return {}; }

namespace detail {

class throttle_watch {
 public:
  // NOLINTNEXTLINE(readability-convert-member-functions-to-static): as the shipped one
  bool throttled_since_last_look() noexcept { return false; }
};

}  // namespace detail

}  // namespace fg::inline FINEGRAIN_ABI
