// Writes structures for C programs that may be older or newer than the library.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstring>

#include "capi/status.hpp"
#include "finegrain/finegrain.h"

namespace fg::capi {

/// Writes the members of `result` that the program of `given` knows, and leaves members unknown to
/// this library unchanged. FG_INVALID_ARGUMENT if `size` is impossible. Requires: `given` is not
/// null.
template <class Result>
fg_status give(Result* given, Result result) noexcept {
  if (given->size < sizeof given->size) {
    return fail(FG_INVALID_ARGUMENT,
                "the size of the result is not set: begin with its FG_..._INIT");
  }
  result.size = given->size;
  std::memcpy(given, &result, std::min(given->size, sizeof(Result)));
  return FG_OK;
}

}  // namespace fg::capi
