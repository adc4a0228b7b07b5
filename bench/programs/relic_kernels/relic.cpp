// finegrain's relic.
// SPDX-License-Identifier: Apache-2.0
#include "finegrain/relic/relic.hpp"

#include <stdexcept>
#include <string>

#include "programs/fork_join/runtime.hpp"
#include "programs/frame/pinning.hpp"
#include "programs/relic_kernels/sample_process.hpp"

namespace fg::bench {
namespace {

/// `fg::relic`: submit, own, wait.
struct relic_runtime {
  static constexpr const char* kName = "relic";
  static std::string version() { return "finegrain " FINEGRAIN_VERSION; }

  struct fork_join {
    relic& assistant;

    template <class Task, class Own>
    void operator()(Task&& task, Own&& own) const {
      assistant.submit([&task] { task(); });
      own();
      assistant.wait();
    }
  };

  template <class Body>
  static void session(cpu_pair cpus, Body&& body) {
    // What is handed over runs over there, also after a pause in which the assistant fell asleep.
    relic assistant{{.assistant_cpu = cpus.assistant, .main_helps = false}};
    if (assistant.inline_mode()) {
      throw std::runtime_error("relic runs inline: " + assistant.inline_reason());
    }
    require_cpu(cpus.main);
    fork_join pair{assistant};
    body(pair);
  }
};
static_assert(fork_join_runtime<relic_runtime>);

}  // namespace
}  // namespace fg::bench

int main(int argc, char** argv) {
  return fg::bench::sample_main<fg::bench::relic_runtime>(argc, argv);
}
