// Which thread of the model is this: stands in for the shipped thread/thread_token.hpp.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "checker/explorer.hpp"
#include "finegrain/core/config.hpp"

namespace fg::inline FINEGRAIN_ABI::detail {

inline const void* this_thread_token() noexcept {
  // NOLINTNEXTLINE(performance-no-int-to-ptr): a name only
  return reinterpret_cast<const void*>(model::explorer::current()->thread() + 1);
}

}  // namespace fg::inline FINEGRAIN_ABI::detail
