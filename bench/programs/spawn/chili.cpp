// spawn-chili: the crate chili.
// SPDX-License-Identifier: Apache-2.0
#include <cstddef>
#include <cstdlib>
#include <functional>
#include <stdexcept>
#include <string>
#include <vector>

#include "programs/frame/pinning.hpp"
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

constexpr rust_joins kJoins{.join = fg_chili_join, .fib = fg_chili_fib, .tree = fg_chili_tree};

[[noreturn]] void refuse() {
  throw std::runtime_error("chili has join alone, and no task to spawn");
}

struct forms : rust_join_forms {
  explicit forms(void* scope) : rust_join_forms{kJoins, scope} {}

  static void flat(const flat_job& /*job*/) { refuse(); }
  template <class Root>
  static void with_tasks(bool /*tied*/, const Root& /*root*/) {
    refuse();
  }
  static void run(const tile_job& /*job*/) { refuse(); }
};

// chili places no thread: its own inherit the CPUs that their creator may use, all but the first one
// of the run, to which the creator, which takes part, goes back. With more than two threads they
// share those.
void leave_first_cpu(const std::vector<int>& cpus) {
  if (cpus.size() > 1) {
    use_only({cpus.begin() + 1, cpus.end()});
  } else {
    require_cpu(cpus.front());
  }
}

void session(const spawn_setup& setup, const std::function<void(task_runner&)>& body) {
  // Rust's threads take their stacks' size from here alone.
  setenv("RUST_MIN_STACK", std::to_string(kThreadStackBytes).c_str(), 1);
  if (setup.tied) {
    leave_first_cpu(setup.cpus);
  }
  carried_exception failure;
  const auto started = [&](void* /*scope*/) {
    if (setup.tied) {
      failure.catch_from([&] { require_cpu(setup.cpus.front()); });
    }
  };
  const auto guarded = [&](void* scope) {
    failure.catch_from([&] {
      failure.rethrow();
      plain_runner runner{forms{scope}};
      body(runner);
    });
  };
  fg_chili_session(setup.cpus.size(), rust_call_of(started), rust_call_of(guarded));
  failure.rethrow();
}

}  // namespace
}  // namespace fg::bench

int main(int argc, char** argv) {
  return fg::bench::spawn_main({.name = "chili",
                                .version = FINEGRAIN_BENCH_CRATE,
                                .policies = {},
                                .session = fg::bench::session},
                               argc, argv);
}
