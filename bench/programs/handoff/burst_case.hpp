// Parses the name of a hand-off case.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <charconv>
#include <cstddef>
#include <optional>
#include <string_view>

namespace fg::bench {

/// The number of tasks between two waits: 1 for `empty`, N for `burst-N`, 2 to 128, the queues'
/// capacity. Nothing for any other name.
[[nodiscard]] inline std::optional<std::size_t> parse_burst_case(std::string_view name) noexcept {
  constexpr std::string_view kPrefix = "burst-";
  constexpr std::size_t kMost = 128;
  if (name == "empty") {
    return 1;
  }
  if (!name.starts_with(kPrefix)) {
    return std::nullopt;
  }
  name.remove_prefix(kPrefix.size());
  std::size_t tasks = 0;
  const auto [end, error] = std::from_chars(name.data(), name.data() + name.size(), tasks);
  const bool whole = error == std::errc{} && end == name.data() + name.size();
  return whole && tasks >= 2 && tasks <= kMost ? std::optional{tasks} : std::nullopt;
}

}  // namespace fg::bench
