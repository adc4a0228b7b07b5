// Pools that live before and after main. No GoogleTest: it would be destroyed by then.
// SPDX-License-Identifier: Apache-2.0
#include <cstdio>
#include <cstdlib>

#include "finegrain/core/atomic.hpp"
#include "finegrain/pool/pool.hpp"
#include "support/forked_fib.hpp"

namespace {

bool works(fg::pool& pool) {
  return pool.run([] { return fg::test::forked_fib(15); }) == 610;
}

void require(bool ok, const char* where) {
  if (!ok) {
    std::fprintf(stderr, "pool_static_test: lost tasks %s\n", where);
    std::_Exit(1);
  }
}

fg::atomic<bool> posted_ran{false};

// Its destructor uses a pool that is older than it, and makes a new one.
struct late_user {
  fg::pool& pool;
  ~late_user() {
    require(works(pool), "in a static destructor");
    fg::pool another;
    require(works(another), "of a pool made in a static destructor");
    pool.post([] { posted_ran.store(true); });
    std::puts("late user served");
  }
};

// Destroyed last.
const struct last_of_all {
  ~last_of_all() { require(posted_ran.load(), "posted in a static destructor"); }
} last;
fg::pool before_main;
const late_user user{before_main};

}  // namespace

int main() {
  require(works(before_main), "in main");
  static fg::pool in_main;
  require(works(in_main), "of a static pool in main");
  std::puts("main done");
}
