// finegrain's pool.
// SPDX-License-Identifier: Apache-2.0
#include "finegrain/pool/pool.hpp"

#include <stdexcept>
#include <string>

#include "finegrain/algorithm/pool/fork_join.hpp"
#include "programs/fork_join/runtime.hpp"
#include "programs/frame/pinning.hpp"
#include "programs/periodic/periodic_process.hpp"

namespace fg::bench {
namespace {

/// `fg::fork_join` on a pool of two workers. The main thread is one of them, within one `run`.
struct pool_runtime {
  static constexpr const char* kName = "pool";
  static std::string version() { return "finegrain " FINEGRAIN_VERSION; }

  struct fork_join {
    template <class Task, class Own>
    void operator()(Task&& task, Own&& own) const {
      fg::fork_join(own, task);
    }
  };

  template <class Body>
  static void session(cpu_pair cpus, Body&& body) {
    use_only({cpus.main, cpus.assistant});
    require_cpu(cpus.main);
    pool workers{{.workers = 2, .placement = worker_placement::every_cpu}};
    if (!workers.shortage().empty()) {
      throw std::runtime_error(workers.shortage());
    }
    workers.run([&body] {
      fork_join pair;
      body(pair);
    });
  }
};
static_assert(fork_join_runtime<pool_runtime>);

}  // namespace
}  // namespace fg::bench

int main(int argc, char** argv) {
  return fg::bench::periodic_main<fg::bench::pool_runtime>(argc, argv);
}
