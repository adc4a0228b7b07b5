// A core for an assistant, which is not pinned: replaces the shipped relic/assistant_placement.hpp.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>
#include <system_error>
#include <thread>

#include "finegrain/host/placement.hpp"

namespace fg::inline FINEGRAIN_ABI::detail {

// NOLINTBEGIN(readability-convert-member-functions-to-static): as the shipped ones
class assistant_placement {
 public:
  explicit assistant_placement(std::optional<int> /*wanted*/) {}

  [[nodiscard]] const placement& where() const noexcept { return where_; }
  [[nodiscard]] std::string inline_reason() const { return ""; }
  [[nodiscard]] std::error_code settle(std::thread& /*assistant*/) const { return {}; }
  void give_up() noexcept {}
  void abandon() noexcept {}
  bool follow(std::thread& /*assistant*/) noexcept { return false; }

 private:
  placement where_;
};
// NOLINTEND(readability-convert-member-functions-to-static)

}  // namespace fg::inline FINEGRAIN_ABI::detail
