// Every policy at every number of workers: the suite that all of them pass.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <gtest/gtest.h>

#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <ostream>
#include <string>
#include <vector>

#include "finegrain/pool/policies.hpp"
#include "finegrain/pool/pool.hpp"
#include "finegrain/pool/pool_options.hpp"

namespace fg::test {

/// This number of workers, everything else by default.
inline pool_options workers(std::size_t count) {
  pool_options options;
  options.workers = count;
  return options;
}

/// Requires: as `pool::counters`.
inline std::uint64_t steals_of(const pool& pool) {
  std::uint64_t steals = 0;
  for (std::size_t id = 0; id < pool.size(); ++id) {
    steals += pool.counters(id).steals;
  }
  return steals;
}

struct pool_setting {
  std::string policy;
  std::size_t workers;

  [[nodiscard]] pool_options options() const {
    pool_options chosen;
    chosen.workers = workers;
    chosen.policy = policy;
    return chosen;
  }
  // NOLINTNEXTLINE(readability-identifier-naming): GoogleTest's name
  friend void PrintTo(const pool_setting& setting, std::ostream* out) {
    *out << setting.policy << ", " << setting.workers << " workers";
  }
};

inline std::vector<pool_setting> pool_settings(
    std::initializer_list<std::size_t> numbers_of_workers) {
  std::vector<pool_setting> settings;
  for (const detail::balancing_policy& policy : detail::kBalancingPolicies) {
    for (const std::size_t workers : numbers_of_workers) {
      settings.push_back({.policy = std::string{policy.name}, .workers = workers});
    }
  }
  return settings;
}

inline auto all_pool_settings() { return testing::ValuesIn(pool_settings({1, 2, 3, 8, 64})); }

inline std::string name_of_pool_setting(const testing::TestParamInfo<pool_setting>& info) {
  std::string name = info.param.policy + "_" + std::to_string(info.param.workers);
  for (char& letter : name) {
    if (letter == ':') {
      letter = '_';
    }
  }
  return name;
}

}  // namespace fg::test
