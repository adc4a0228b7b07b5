// Relics that live before and after main. No GoogleTest: it would be destroyed by then.
// SPDX-License-Identifier: Apache-2.0
#include <cstdio>
#include <cstdlib>

#include "finegrain/algorithm/relic/fork_join.hpp"
#include "finegrain/relic/relic.hpp"

namespace {

bool works(fg::relic& relic, int times) {
  int f = 0;
  int g = 0;
  for (int i = 0; i < times; ++i) {
    relic.submit([&g] { ++g; });
    relic.wait();
    fg::fork_join(relic, [&f] { ++f; }, [&g] { ++g; }, fg::offload::always);
  }
  return f == times && g == 2 * times;
}

void require(bool ok, const char* where) {
  if (!ok) {
    std::fprintf(stderr, "relic_static_test: lost tasks %s\n", where);
    std::_Exit(1);
  }
}

// Its destructor uses a relic that is older than it, and makes a new one.
struct late_user {
  fg::relic& relic;
  ~late_user() {
    require(works(relic, 100), "in a static destructor");
    fg::relic another;
    require(works(another, 100), "of a relic made in a static destructor");
    std::puts("late user served");
  }
};

fg::relic before_main;
const late_user last{before_main};

}  // namespace

int main() {
  require(works(before_main, 100), "in main");
  static fg::relic in_main;
  require(works(in_main, 100), "of a static relic in main");
  before_main.sleep_hint();
  in_main.sleep_hint();
  std::puts("main done");
}
