// A closure of one word more than a slot holds.
// SPDX-License-Identifier: Apache-2.0
#include <array>

#include "finegrain/finegrain.hpp"

#ifdef FINEGRAIN_TEST_WITHIN_LIMIT
constexpr std::size_t kBytes = fg::kTaskClosureBytes;
#else
constexpr std::size_t kBytes = fg::kTaskClosureBytes + sizeof(void*);
#endif

void submit_it(fg::relic& relic) {
  std::array<std::byte, kBytes> data{};
  relic.submit([data] { static_cast<void>(data); });
}
