// Taskflow.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <taskflow/taskflow.hpp>

#include "finegrain/core/atomic.hpp"
#include "finegrain/core/cache_line.hpp"
#include "finegrain/core/pause.hpp"
#include "programs/fork_join/runtime.hpp"
#include "programs/frame/pinning.hpp"

namespace fg::bench {

/// Asynchronous tasking (relic-2024, section III): `Executor::silent_async` to one worker beside
/// the main thread.
///
/// The main thread spins on a flag that the task sets. Taskflow's own ways to wait put a thread to
/// sleep, and were slower here with tasks of 0.55 us (2 vCPUs of an EPYC 9004, Taskflow 3.9, ns per
/// iteration, serial 1095): this 806-906, `corun_until` on a worker of two 1187, `wait_for_all`
/// 1347-1379, the future of `async` 8,000-11,000.
struct taskflow_runtime {
  static constexpr const char* kName = "taskflow";
  static std::string version() { return std::string{"Taskflow "} + tf::version(); }

  struct fork_join {
    tf::Executor& executor;

    template <class Task, class Own>
    void operator()(Task&& task, Own&& own) const {
      alignas(kCacheLineBytes) atomic<bool> finished{false};
      executor.silent_async([&task, &finished] {
        task();
        finished.store(true, memory_order_release);  // pairs with the acquire below
      });
      own();
      // Acquire: pairs with the release above, for what the task wrote.
      while (!finished.load(memory_order_acquire)) {
        pause();
      }
    }
  };

  template <class Body>
  static void session(cpu_pair cpus, Body&& body) {
    tf::Executor executor{1};
    executor.async([cpus] { require_cpu(cpus.assistant); }).get();
    require_cpu(cpus.main);
    fork_join pair{executor};
    body(pair);
  }
};
static_assert(fork_join_runtime<taskflow_runtime>);

}  // namespace fg::bench
