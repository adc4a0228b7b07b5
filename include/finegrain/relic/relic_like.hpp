// What the algorithms over a relic require of it.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "finegrain/core/config.hpp"

namespace fg::inline FINEGRAIN_ABI {

/// A relic, of whatever wait policy. Keeps its algorithms apart from those over a pool.
template <class R>
concept relic_like = requires(R& relic) {
  relic.called_by_main();
  relic.inline_mode();
};

}  // namespace fg::inline FINEGRAIN_ABI
