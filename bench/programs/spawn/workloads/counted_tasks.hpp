// Tasks that are counted by thread as they begin.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "kernels/bots/tasks.hpp"
#include "programs/frame/thread_census.hpp"

namespace fg::bench {

/// Wraps another handle so that each task counts itself.
template <bots::task_handle Tasks>
class counted_tasks {
 public:
  explicit counted_tasks(Tasks tasks) : tasks_{tasks} {}

  class group {
   public:
    explicit group(counted_tasks tasks) : group_{tasks.tasks_} {}

    template <class Task>
    void spawn(Task task) {
      group_.spawn([task](Tasks inner) {
        thread_census::count();
        task(counted_tasks{inner});
      });
    }
    void wait() { group_.wait(); }

   private:
    typename Tasks::group group_;
  };

 private:
  Tasks tasks_;
};

}  // namespace fg::bench
