// spawn-rayon: the crate rayon.
// SPDX-License-Identifier: Apache-2.0
#include <cstddef>
#include <cstdint>
#include <functional>
#include <stdexcept>

#include "finegrain/host/affinity.hpp"
#include "programs/rust/carried_exception.hpp"
#include "programs/rust/rust_peers.hpp"
#include "programs/spawn/deep_stacks.hpp"
#include "programs/spawn/plain_runner.hpp"
#include "programs/spawn/rust_joins.hpp"
#include "programs/spawn/spawn_runtime.hpp"
#include "programs/spawn/workloads/flat_job.hpp"
#include "programs/spawn/workloads/tile_job.hpp"

namespace fg::bench {
namespace {

constexpr rust_joins kJoins{.join = fg_rayon_join, .fib = fg_rayon_fib, .tree = fg_rayon_tree};

void produce(const flat_job& job, std::size_t producer) {
  fg_rayon_spawn_each({.run = job.work, .context = job.context}, job.first_of(producer),
                      job.end_of(producer));
}

void run_flat(const flat_job& job) {
  if (job.producers == 1) {
    produce(job, 0);
    return;
  }
  const auto of_thread = [&job](std::uint64_t thread) {
    if (thread < job.producers) {
      produce(job, thread);
    }
  };
  fg_rayon_broadcast(rust_numbered_call_of(of_thread));
}

struct forms : rust_join_forms {
  explicit forms(void* scope) : rust_join_forms{kJoins, scope} {}

  static void flat(const flat_job& job) { run_flat(job); }
  // A scope ends with the call that began it: what spawns and waits through a handle has none.
  template <class Root>
  static void with_tasks(bool /*tied*/, const Root& /*root*/) {
    throw std::runtime_error(
        "rayon's scopes are calls, no group that another function could add to");
  }
  static void run(const tile_job& /*job*/) {
    throw std::runtime_error("rayon has no task that depends on another one");
  }
};

// As rayon intends it: all threads are its own, and the caller waits for `install`. A failed pin
// shows in the sample, which reports where the threads ran.
void session(const spawn_setup& setup, const std::function<void(task_runner&)>& body) {
  const auto place = [&setup](std::uint64_t thread) {
    if (setup.tied) {
      static_cast<void>(pin_this_thread(setup.cpus.at(thread)));
    }
  };
  carried_exception failure;
  const auto guarded = [&](void* scope) {
    failure.catch_from([&] {
      plain_runner runner{forms{scope}};
      body(runner);
    });
  };
  if (!fg_rayon_session(setup.cpus.size(), kThreadStackBytes, rust_numbered_call_of(place),
                        rust_call_of(guarded))) {
    throw std::runtime_error("rayon cannot start its threads");
  }
  failure.rethrow();
}

}  // namespace
}  // namespace fg::bench

int main(int argc, char** argv) {
  return fg::bench::spawn_main({.name = "rayon",
                                .version = FINEGRAIN_BENCH_CRATE,
                                .policies = {},
                                .session = fg::bench::session},
                               argc, argv);
}
