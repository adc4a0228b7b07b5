// How a process ends, for tests of relics and pools at its end.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <gtest/gtest.h>
#include <unistd.h>

#include <cstddef>

#include "finegrain/algorithm/pool/broadcast.hpp"
#include "finegrain/core/atomic.hpp"
#include "finegrain/pool/pool.hpp"
#include "finegrain/relic/relic.hpp"
#include "support/busy.hpp"
#include "support/forked_fib.hpp"
#include "unit/pool/pool_setting.hpp"

namespace fg::test {

/// `how` is the expected end of a child that runs `body`: a predicate of EXPECT_EXIT. A child that
/// hangs is ended by SIGALRM, which the message then names.
template <class Body, class Predicate>
void expect_end(Body body, Predicate how, const char* says = "") {
  EXPECT_EXIT(
      {
        alarm(20);
        body();
      },
      how, says);
}

inline auto exits_with(int code) { return testing::ExitedWithCode(code); }
inline auto dies_of(int signal) { return testing::KilledBySignal(signal); }

inline bool works(relic& relic) {
  int ran = 0;
  for (int i = 0; i < 200; ++i) {
    relic.submit([&ran] { ++ran; });
  }
  relic.wait();
  return ran == 200;
}

inline bool works(pool& pool) {
  return pool.run([] { return forked_fib(15); }) == 610;
}

/// Within `run`: calls `body` on another worker, and waits for it. Requires: two workers.
template <class Body>
void on_other_worker(Body body) {
  broadcast([&body, caller = worker::current()->id()](std::size_t id) {
    if (id == (caller == 0 ? 1 : 0)) {
      body();
    }
  });
}

}  // namespace fg::test
