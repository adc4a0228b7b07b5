// A library that is loaded and unloaded, and uses relics and pools of its own.
// SPDX-License-Identifier: Apache-2.0
#include <cstddef>
#include <utility>

#include "finegrain/algorithm/pool/broadcast.hpp"
#include "finegrain/algorithm/relic/parallel_for.hpp"
#include "finegrain/core/atomic.hpp"
#include "finegrain/hybrid/hybrid_pool.hpp"
#include "finegrain/pool/pool.hpp"
#include "finegrain/relic/relic.hpp"
#include "support/forked_fib.hpp"

#define PLUGIN_EXPORT extern "C" [[gnu::visibility("default")]]

PLUGIN_EXPORT bool use_relic() {
  fg::relic relic;
  int ran = 0;
  for (int i = 0; i < 200; ++i) {
    relic.submit([&ran] { ++ran; });
  }
  relic.wait();
  fg::atomic<int> sum{0};
  fg::parallel_for(relic, 0, 100, [&sum](int i) { sum.fetch_add(i); });
  return !relic.inline_mode() && ran == 200 && sum.load() == 4950;
}

PLUGIN_EXPORT bool use_pool() {
  fg::pool_options options;
  options.workers = 3;
  fg::pool pool{options};
  // Each worker has to find itself, by the thread_local variables of the thread that runs its task.
  fg::atomic<int> at_home{0};
  fg::broadcast(pool,
                [&](std::size_t) { at_home.fetch_add(&fg::worker::current()->home() == &pool); });
  return at_home.load() == 3 && pool.run([] { return fg::test::forked_fib(15); }) == 610;
}

PLUGIN_EXPORT bool use_hybrid_pool() {
  fg::pool_options options;
  options.workers = 2;
  const fg::detail::hybrid_cpus each{.assistant_cpu = fg::usable_cpus().back()};
  fg::hybrid_pool pool{options, {each, each}};
  return pool.run([&pool] {
    return pool.fork_join_fine([] { return 1; }, [] { return 2; }, fg::offload::always);
  }) == std::pair{1, 2};
}
