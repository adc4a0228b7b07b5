// Isolated waits, if the library has them.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <utility>

#if __has_include("finegrain/pool/isolate.hpp")
#include "finegrain/pool/isolate.hpp"
#endif

namespace fg::test {

/// `fg::isolate(f)`; without it plain `f()`.
template <class F>
decltype(auto) isolated(F&& f) {
#if __has_include("finegrain/pool/isolate.hpp")
  return fg::isolate(std::forward<F>(f));
#else
  return std::forward<F>(f)();
#endif
}

}  // namespace fg::test
