// Parses the name of a spin case.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

namespace fg::bench {

/// The nanoseconds of a case name `spin-<N><unit>`; nothing for any other name. N has no sign, no
/// leading zero and is positive, so each length has one name per unit; the unit is ns, us or ms. A
/// length of more than 2^63 ns is not a name either.
[[nodiscard]] std::optional<std::uint64_t> parse_spin_case_ns(std::string_view name) noexcept;

}  // namespace fg::bench
