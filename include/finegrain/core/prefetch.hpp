// Asking for a cache line ahead of its use.
#pragma once

#include "finegrain/core/config.hpp"

namespace fg::inline FINEGRAIN_ABI {

/// Asks for the line of `address` to be brought here, to be written to. Any address, also an
/// invalid one; no effect but on time. Any thread.
inline void prefetch_for_write(const void* address) noexcept {
#if defined(__GNUC__)
  __builtin_prefetch(address, 1);
#else
  static_cast<void>(address);
#endif
}

}  // namespace fg::inline FINEGRAIN_ABI
