// Which thread of the model is this: stands in for the shipped core/thread_token.hpp.
#pragma once

#include "checker/explorer.hpp"

namespace fg {

inline const void* this_thread_token() noexcept {
  // NOLINTNEXTLINE(performance-no-int-to-ptr): a name only
  return reinterpret_cast<const void*>(model::explorer::current()->thread() + 1);
}

}  // namespace fg
