// Counts nothing: replaces the shipped wait/spin_meter.hpp, whose numbers change with each poll of
// a thread that waits, so that its loop would never find everything unchanged.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "finegrain/core/config.hpp"

namespace fg::inline FINEGRAIN_ABI::detail {

class spin_meter {
 public:
  void add_looks(std::uint64_t /*looks*/) noexcept {}
  void add_timed(std::uint32_t /*looks*/, std::uint64_t /*ticks*/) noexcept {}
  // NOLINTNEXTLINE(readability-convert-member-functions-to-static): called as the shipped one is
  [[nodiscard]] double spun_ticks() const noexcept { return 0.0; }
};

}  // namespace fg::inline FINEGRAIN_ABI::detail
