// The calling virtual thread and its stack: replaces the shipped thread/this_thread.hpp, which asks
// the system.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>

#include "finegrain/core/config.hpp"
#include "sim/simulator/program.hpp"

namespace fg::inline FINEGRAIN_ABI::detail {

inline const void* this_thread_token() noexcept {
  // NOLINTNEXTLINE(performance-no-int-to-ptr): a name only
  return reinterpret_cast<const void*>(sim::this_thread() + 1);
}

struct stack_bounds {
  std::uintptr_t lowest = 0;
  std::uintptr_t end = 0;

  [[nodiscard]] constexpr std::size_t size() const noexcept { return end - lowest; }
  [[nodiscard]] constexpr bool contains(std::uintptr_t address) const noexcept {
    return address - lowest < size();
  }
};

inline stack_bounds stack_of_this_thread() noexcept {
  const auto [lowest, end] = sim::this_stack();
  return {lowest, end};
}

}  // namespace fg::inline FINEGRAIN_ABI::detail
