// C++'s memory orders, and the two of asymmetric fences.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

namespace model {

enum class order : std::uint8_t { relaxed, acquire, release, acq_rel, seq_cst, light, heavy };

constexpr bool acquires(order o) noexcept {
  return o == order::acquire || o == order::acq_rel || o == order::seq_cst;
}
constexpr bool releases(order o) noexcept {
  return o == order::release || o == order::acq_rel || o == order::seq_cst;
}
/// Takes part in the one order of all sequentially consistent operations, or in a part of it.
constexpr bool is_ordered(order o) noexcept { return o >= order::seq_cst; }

/// Whether fences of these two orders are ordered with each other: a light one only with heavy ones
/// (P1202, "Asymmetric fences"; on Linux a compiler barrier with membarrier).
constexpr bool are_ordered(order a, order b) noexcept {
  return a == order::light ? b == order::heavy : b != order::light || a == order::heavy;
}

constexpr const char* name_of(order o) noexcept {
  constexpr const char* kNames[]{"relaxed", "acquire", "release", "acq_rel",
                                 "seq_cst", "light",   "heavy"};
  return kNames[static_cast<std::size_t>(o)];
}

}  // namespace model
