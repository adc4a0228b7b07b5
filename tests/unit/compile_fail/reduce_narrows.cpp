// A reduction or scan whose identity is narrower than what it combines. FINEGRAIN_TEST_CASE selects
// the case.
// SPDX-License-Identifier: Apache-2.0
#include <functional>

#include "finegrain/finegrain.hpp"

#ifdef FINEGRAIN_TEST_WITHIN_LIMIT
#define FINEGRAIN_TEST_CASE 0
using identity = long;
#else
using identity = int;
#endif

#if FINEGRAIN_TEST_CASE == 0 || FINEGRAIN_TEST_CASE == 1
long pool_map() {
  return fg::parallel_reduce(0, 9, identity{0}, [](int i) { return long{i}; }, std::plus<>{});
}
#endif
#if FINEGRAIN_TEST_CASE == 0 || FINEGRAIN_TEST_CASE == 2
long relic_map(fg::relic& relic) {
  return fg::parallel_reduce(
      relic, 0, 9, identity{0}, [](int i) { return long{i}; }, std::plus<>{});
}
#endif
#if FINEGRAIN_TEST_CASE == 0 || FINEGRAIN_TEST_CASE == 3
long pool_combine() {
  return fg::parallel_reduce(
      0, 9, identity{0}, [](int i) { return i; }, [](long a, long b) { return a + b; });
}
#endif
#if FINEGRAIN_TEST_CASE == 0 || FINEGRAIN_TEST_CASE == 4
void pool_scan(const long* in, long* out) { fg::parallel_exclusive_scan(in, 9, out, identity{0}); }
#endif
