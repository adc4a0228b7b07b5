// Tasks of a runtime that has task groups.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <utility>

namespace fg::bench {

/// A handle (kernels/bots/tasks.hpp) whose groups are the runtime's own: `run`, or `spawn`, spawns
/// a call, and `wait` waits for all. `Forms` are the program's (plain_runner.hpp): a type that no
/// other file has, so that the compiler knows all calls.
template <class TaskGroup, class Forms>
struct group_tasks {
  class group {
   public:
    explicit group(group_tasks /*tasks*/) {}

    template <class Task>
    void spawn(Task task) {
      auto call = [task] { task(group_tasks{}); };
      if constexpr (requires { group_.run(std::move(call)); }) {
        group_.run(std::move(call));
      } else {
        group_.spawn(std::move(call));
      }
    }
    void wait() { group_.wait(); }

   private:
    TaskGroup group_;
  };
};

}  // namespace fg::bench
