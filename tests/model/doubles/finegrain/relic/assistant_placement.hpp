// A machine that has a CPU for an assistant, for the model checker: replaces the shipped
// relic/assistant_placement.hpp.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>
#include <system_error>
#include <thread>

#include "finegrain/host/placement.hpp"

namespace fg::inline FINEGRAIN_ABI::detail {

/// Set by the scenario: without a CPU for the assistant a relic is in inline mode.
inline bool has_cpu_for_assistant = true;

// NOLINTBEGIN(readability-convert-member-functions-to-static): as the shipped ones
class assistant_placement {
 public:
  explicit assistant_placement(std::optional<int> /*wanted*/) {}

  [[nodiscard]] const placement& where() const noexcept { return where_; }
  [[nodiscard]] std::string inline_reason() const { return has_cpu_for_assistant ? "" : "no CPU"; }
  [[nodiscard]] std::error_code settle(std::thread& /*assistant*/) const { return {}; }
  void give_up() noexcept {}
  void abandon() noexcept {}
  bool follow(std::thread& /*assistant*/) noexcept { return false; }

 private:
  placement where_;
};
// NOLINTEND(readability-convert-member-functions-to-static)

}  // namespace fg::inline FINEGRAIN_ABI::detail
