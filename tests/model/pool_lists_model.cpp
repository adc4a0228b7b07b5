// What a pool stores besides its queues: tasks for one worker (pool/assigned_tasks.hpp), and tasks
// from outside (pool/inbox.hpp).
// SPDX-License-Identifier: Apache-2.0
#include <array>

#include "checker/protocol.hpp"
#include "finegrain/pool/assigned_tasks.hpp"
#include "finegrain/pool/inbox.hpp"
#include "watched_task.hpp"

namespace {

// ---- assigned_tasks ----

// The taker takes all at once and keeps them, while others put more on top of an empty list, or of
// one that was not empty when they read it.
void two_givers() {
  std::array<watched_task, 3> tasks;
  fg::detail::assigned_tasks assigned;
  model::run_threads(
      [&] {
        assigned.put(tasks[0].write());
        assigned.put(tasks[1].write());
      },
      [&] { assigned.put(tasks[2].write()); },
      [&] {
        take_if_any(assigned.take());
        take_if_any(assigned.take());
      });
  while (assigned.has_task()) {
    model::require(take_if_any(assigned.take()), "where there is a task one can be taken");
  }
  require_all_taken(tasks);
}

// One giver's tasks arrive in the order in which they were put.
void in_order() {
  std::array<watched_task, 3> tasks;
  fg::detail::assigned_tasks assigned;
  model::run_threads(
      [&] {
        for (watched_task& each : tasks) {
          assigned.put(each.write());
        }
      },
      [&] {
        for (watched_task& next : tasks) {
          fg::pool_task* const task = model::await([&] { return assigned.take(); });
          model::require(task == &next, "first in, first out");
          take(*task);
        }
      });
  require_all_taken(tasks);
}

// The taker leaves tasks of another region, and gets them later.
void by_region() {
  std::array<watched_task, 3> tasks;
  fg::detail::assigned_tasks assigned;
  tasks[0].region = 1;
  model::run_threads(
      [&] {
        assigned.put(tasks[0].write());
        assigned.put(tasks[1].write());
      },
      [&] { assigned.put(tasks[2].write()); },
      [&] {
        while (fg::pool_task* const task = assigned.take(0)) {
          model::require(task != tasks.data(), "not of the other region");
          take(*task);
        }
      });
  while (assigned.has_task()) {
    model::require(take_if_any(assigned.take()), "where there is a task one can be taken");
  }
  require_all_taken(tasks);
}

// ---- inbox ----

void put_and_take() {
  std::array<watched_task, 3> tasks;
  fg::detail::inbox posted;
  posted.put(tasks[0].write());  // locks: the checker knows the mutex from now on
  model::run_threads([&] { posted.put(tasks[1].write()); }, [&] { take_if_any(posted.take()); },
                     [&] {
                       posted.put(tasks[2].write());
                       take_if_any(posted.take());
                     });
  while (posted.has_work_guess()) {
    model::require(take_if_any(posted.take()), "where there is work a task can be taken");
  }
  require_all_taken(tasks);
}

// The thread that removes a certain task gets it, or another thread has taken it.
void remove_one() {
  std::array<watched_task, 3> tasks;
  fg::detail::inbox posted;
  posted.put(tasks[0].write());  // locks: the checker knows the mutex from now on
  model::run_threads([&] { posted.put(tasks[1].write()); },
                     [&] {
                       posted.put(tasks[2].write());
                       if (posted.remove(tasks[2])) {
                         take(tasks[2]);
                       }
                     },
                     [&] { take_if_any(posted.take()); });
  while (posted.has_work_guess()) {
    model::require(take_if_any(posted.take()), "where there is work a task can be taken");
  }
  require_all_taken(tasks);
}

// The thread that waits for a hint gets the task.
void hint() {
  watched_task task;
  watched_task first;
  fg::detail::inbox posted;
  posted.put(first.write());
  take_if_any(posted.take());
  model::run_threads([&] { posted.put(task.write()); },
                     [&] {
                       model::await([&] { return posted.has_work_guess(); });
                       model::require(take_if_any(posted.take()), "the hint was true");
                     });
}

}  // namespace

int main(int argc, char** argv) {
  return model::check_protocol("assigned_tasks, inbox (pool): 2 and 3 threads",
                               {{"2 givers of assigned tasks", "each task once", two_givers},
                                {"3 assigned tasks", "each task once, in order", in_order},
                                {"3 assigned tasks, 2 regions", "each task once", by_region},
                                {"an inbox, one is removed", "each task once", remove_one},
                                {"an inbox, 2 who put, 2 who take", "each task once", put_and_take},
                                {"an inbox's hint", "it is true", hint}},
                               argc, argv);
}
