// A pool from its start to its end (pool/pool.hpp): its threads start, settle, serve and stop.
// SPDX-License-Identifier: Apache-2.0
#include <chrono>

#include "checker/protocol.hpp"
#include "finegrain/host/affinity.hpp"
#include "finegrain/host/cpu_registry.hpp"
#include "finegrain/host/host_view.hpp"
#include "finegrain/pool/pool.hpp"

namespace {

const fg::pool_options two_workers{.workers = 2,
                                   .callers = 1,
                                   .policy = "private_deque",
                                   .placement = fg::worker_placement::untied,
                                   .wait = "spin_then_sleep",
                                   .spin_budget = std::chrono::microseconds{0}};

void run() {
  fg::sleeps_left = {};
  int ran = 0;
  {
    fg::pool pool{two_workers};
    pool.run([&ran] { ++ran; });
    model::require(pool.counters(1).tasks == 0, "the worker has had nothing to do");
  }
  model::require(ran == 1, "the caller runs it");
}

// It runs before the end, on any thread: the destructor waits, then stops the workers.
void post() {
  fg::sleeps_left = {};
  int ran = 0;
  {
    fg::pool pool{two_workers};
    pool.post([&ran] { ++ran; });
  }
  model::require(ran == 1, "it has run before the end");
}

// There is no other thread: the spare one is made for it.
void post_to_one() {
  fg::sleeps_left = {};
  int ran = 0;
  {
    fg::pool_options one = two_workers;
    one.workers = 1;
    fg::pool pool{one};
    pool.post([&ran] { ++ran; });
  }
  model::require(ran == 1, "it has run before the end");
}

}  // namespace

int main(int argc, char** argv) {
  // What is asked once per process, outside of the scenarios.
  static_cast<void>(fg::system_host_view());
  static_cast<void>(fg::allowed_cpus());
  static_cast<void>(fg::detail::cpu_registry::of_process());
  return model::check_protocol(
      "life of a pool: the caller and a worker",
      {{"run", "all start, and stop", run},
       {"post", "it has run before the end", post},
       {"post to a pool of one", "it has run before the end", post_to_one}},
      argc, argv);
}
