// SPDX-License-Identifier: Apache-2.0
#include "kernels/spin/spin_case.hpp"

#include <charconv>
#include <cstddef>
#include <system_error>

namespace fg::bench {
namespace {

/// Nanoseconds per `unit`, 0 if it is not a unit.
std::uint64_t unit_ns(std::string_view unit) noexcept {
  if (unit == "ns") {
    return 1;
  }
  if (unit == "us") {
    return 1'000;
  }
  return unit == "ms" ? 1'000'000 : 0;
}

}  // namespace

std::optional<std::uint64_t> parse_spin_case_ns(std::string_view name) noexcept {
  constexpr std::string_view kPrefix = "spin-";
  constexpr std::uint64_t kMaxNs = std::uint64_t{1} << 63;
  if (!name.starts_with(kPrefix)) {
    return std::nullopt;
  }
  name.remove_prefix(kPrefix.size());
  if (name.starts_with('0')) {
    return std::nullopt;
  }
  std::uint64_t number = 0;
  const char* const begin = name.data();
  const char* const end = begin + name.size();
  const auto [rest, error] = std::from_chars(begin, end, number);
  if (error != std::errc{}) {
    return std::nullopt;
  }
  const std::uint64_t unit = unit_ns({rest, static_cast<std::size_t>(end - rest)});
  if (unit == 0 || number > kMaxNs / unit) {
    return std::nullopt;
  }
  return number * unit;
}

}  // namespace fg::bench
