// A closure that fits, but requires a greater alignment than a slot has.
// SPDX-License-Identifier: Apache-2.0
#include "finegrain/finegrain.hpp"

#ifdef FINEGRAIN_TEST_WITHIN_LIMIT
struct alignas(fg::kTaskClosureAlignment) aligned {
#else
struct alignas(2 * fg::kTaskClosureAlignment) aligned {
#endif
  char data = 0;
};

void submit_aligned(fg::relic& relic) {
  const aligned data;
  relic.submit([data] { static_cast<void>(data); });
}
