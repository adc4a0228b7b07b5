// A second thread of a program, on a CPU of its own.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <exception>
#include <thread>

#include "finegrain/core/atomic.hpp"
#include "finegrain/core/pause.hpp"
#include "programs/frame/pinning.hpp"

namespace fg::bench {

/// A second thread on its CPU, already working when the constructor returns.
class second_thread {
 public:
  /// Throws std::runtime_error if that CPU is not available, and whatever ends the body at once.
  template <class Body>
  second_thread(int cpu, Body body)
      : thread_{[this, cpu, body] {
          try {
            require_cpu(cpu);
            state_.store(state::working, memory_order_release);  // pairs with the loop below
            body();
          } catch (...) {
            fault_ = std::current_exception();
            state_.store(state::failed, memory_order_release);  // pairs below: the fault
          }
        }} {
    // Acquire: pairs with the thread's releases; on its CPU when the constructor returns.
    while (state_.load(memory_order_acquire) == state::starting) {
      pause();
    }
    // Acquire: pairs with the release of the thread, for the fault.
    if (state_.load(memory_order_acquire) == state::failed) {
      join();
    }
  }

  /// Waits for it to end. Rethrows the exception that ended it.
  void join() {
    thread_.join();
    if (fault_) {
      std::rethrow_exception(fault_);
    }
  }

 private:
  enum class state : std::uint8_t { starting, working, failed };
  atomic<state> state_{state::starting};
  std::exception_ptr fault_;  // written by the thread, read after its end
  std::jthread thread_;
};

}  // namespace fg::bench
