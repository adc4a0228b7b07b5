// Handles for tests of the suite's applications: they run tasks on the calling thread.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <utility>
#include <vector>

#include "kernels/bots/tasks.hpp"

namespace fg::bench::bots_test {

/// Runs each task where it is spawned.
struct serial {
  class group {
   public:
    explicit group(serial /*tasks*/) {}
    template <class F>
    void spawn(F task) {
      task(serial{});
    }
    void wait() {}
  };
};
static_assert(bots::task_handle<serial>);

/// Runs tasks in the wait, the last one first.
struct backwards {
  class group {
   public:
    explicit group(backwards /*tasks*/) {}
    template <class F>
    void spawn(F task) {
      tasks_.push_back([task] { task(backwards{}); });
    }
    void wait() {
      while (!tasks_.empty()) {
        const auto last = std::move(tasks_.back());
        tasks_.pop_back();
        last();
      }
    }

   private:
    std::vector<std::function<void()>> tasks_;
  };
};

}  // namespace fg::bench::bots_test
