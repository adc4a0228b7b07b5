// Relic as the paper describes it.
// SPDX-License-Identifier: Apache-2.0
#include <string>
#include <type_traits>

#include "programs/fork_join/runtime.hpp"
#include "programs/frame/pinning.hpp"
#include "programs/relic_kernels/paper_relic.hpp"
#include "programs/relic_kernels/sample_process.hpp"

namespace fg::bench {
namespace {

/// `paper_relic`: submit, own, wait.
struct relic_paper_runtime {
  static constexpr const char* kName = "relic-paper";
  static std::string version() { return paper_relic::version(); }

  struct fork_join {
    paper_relic& assistant;

    template <class Task, class Own>
    void operator()(Task&& task, Own&& own) const {
      using task_type = std::remove_reference_t<Task>;
      assistant.submit([](void* stored) { (*static_cast<task_type*>(stored))(); }, &task);
      own();
      assistant.wait();
    }
  };

  template <class Body>
  static void session(cpu_pair cpus, Body&& body) {
    paper_relic assistant{cpus.assistant};
    require_cpu(cpus.main);
    fork_join pair{assistant};
    body(pair);
  }
};
static_assert(fork_join_runtime<relic_paper_runtime>);

}  // namespace
}  // namespace fg::bench

int main(int argc, char** argv) {
  return fg::bench::sample_main<fg::bench::relic_paper_runtime>(argc, argv);
}
