// The baseline: both instances one after the other.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <thread>

#include "finegrain/core/atomic.hpp"
#include "programs/fork_join/runtime.hpp"
#include "programs/frame/pinning.hpp"

namespace fg::bench {

/// No runtime. A second thread exists and is parked, because malloc is faster in a process with one
/// thread than in all the others here.
struct serial_runtime {
  static constexpr const char* kName = "serial";
  static std::string version() { return "one thread, a second one parked"; }

  struct fork_join {
    template <class Task, class Own>
    void operator()(Task&& task, Own&& own) const {
      task();
      own();
    }
  };

  template <class Body>
  static void session(cpu_pair cpus, Body&& body) {
    atomic<bool> leave{false};
    // Acquire and release pair with each other; no other data is passed.
    std::thread parked{[&leave] { leave.wait(false, memory_order_acquire); }};
    struct join_at_exit {
      atomic<bool>& leave;
      std::thread& parked;
      ~join_at_exit() {
        leave.store(true, memory_order_release);  // pairs with the parked thread's acquire
        leave.notify_one();
        parked.join();
      }
    } const guard{leave, parked};
    require_cpu(cpus.main);
    fork_join pair;
    body(pair);
  }
};
static_assert(fork_join_runtime<serial_runtime>);

}  // namespace fg::bench
