// finegrain's relic.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <stdexcept>
#include <string>

#include "finegrain/relic/relic.hpp"
#include "programs/frame/pinning.hpp"
#include "programs/relic_kernels/runtime.hpp"

namespace fg::bench {

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
    relic assistant{{.assistant_cpu = cpus.assistant}};
    if (assistant.inline_mode()) {
      throw std::runtime_error("relic runs inline: " + assistant.inline_reason());
    }
    require_cpu(cpus.main);
    fork_join pair{assistant};
    body(pair);
  }
};
static_assert(fork_join_runtime<relic_runtime>);

}  // namespace fg::bench
