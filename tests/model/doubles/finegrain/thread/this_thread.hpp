// Threads of the model checker, which are fibers: replaces the shipped thread/this_thread.hpp,
// which asks the system.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>

#include "checker/explorer.hpp"
#include "finegrain/core/config.hpp"

namespace fg::inline FINEGRAIN_ABI::detail {

inline const void* this_thread_token() noexcept {
  // NOLINTNEXTLINE(performance-no-int-to-ptr): a name only
  return reinterpret_cast<const void*>(model::explorer::current()->thread() + 1);
}

struct stack_bounds {
  std::uintptr_t end = 0;

  [[nodiscard]] constexpr std::size_t size() const noexcept { return end; }
  [[nodiscard]] constexpr bool contains(std::uintptr_t address) const noexcept {
    return address < end;
  }
};

// All the address space below the caller's frame, as if none of it was used.
inline stack_bounds stack_of_this_thread() noexcept {
  return {reinterpret_cast<std::uintptr_t>(__builtin_frame_address(0)) + 4096};
}

}  // namespace fg::inline FINEGRAIN_ABI::detail
