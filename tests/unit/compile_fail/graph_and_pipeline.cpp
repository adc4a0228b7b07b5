// Edges of a graph and stages of a pipeline of a wrong type. FINEGRAIN_TEST_CASE selects the case.
// SPDX-License-Identifier: Apache-2.0
#include <optional>
#include <vector>

#include "finegrain/graph.hpp"
#include "finegrain/pipeline.hpp"

#ifdef FINEGRAIN_TEST_WITHIN_LIMIT
#define FINEGRAIN_TEST_CASE 0
#define FINEGRAIN_STAGE fg::parallel
using token = int;
using nodes = std::vector<fg::graph::node>;
#else
#define FINEGRAIN_STAGE
using token = int*;
using nodes = std::vector<int>;
#endif

inline std::optional<int> make() { return {}; }

#if FINEGRAIN_TEST_CASE == 0 || FINEGRAIN_TEST_CASE == 1
void edges(const fg::graph::node& first, const nodes& others) { first.precede(others); }
#endif
#if FINEGRAIN_TEST_CASE == 0 || FINEGRAIN_TEST_CASE == 2
void stage_without_mode() {
  fg::pipeline line{fg::serial_in_order(make), FINEGRAIN_STAGE([](int) {})};
  line.run();
}
#endif
#if FINEGRAIN_TEST_CASE == 0 || FINEGRAIN_TEST_CASE == 3
void stage_of_another_type() {
  fg::pipeline line{fg::serial_in_order(make), fg::parallel([](token) {})};
  line.run();
}
#endif
#if FINEGRAIN_TEST_CASE == 0 || FINEGRAIN_TEST_CASE == 4
void stage_after_one_that_returns_nothing() {
#ifdef FINEGRAIN_TEST_WITHIN_LIMIT
  const auto last = [] {};
#else
  const auto last = [](int) {};
#endif
  fg::pipeline line{fg::serial_in_order(make), fg::parallel([](int) {}), fg::serial_in_order(last)};
  line.run();
}
#endif
