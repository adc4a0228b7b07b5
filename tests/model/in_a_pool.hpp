// A pool of two workers around a piece of work.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "checker/scenario.hpp"
#include "finegrain/pool/pool.hpp"

/// Runs `work` on the first worker of a pool, beside the second one, which then ends.
template <class Work>
void in_a_pool(Work work) {
  fg::pool pool{2};
  model::run_threads(
      [&] {
        pool.run(work);
        pool.stop();
      },
      [&] { pool.live(1); });
}
