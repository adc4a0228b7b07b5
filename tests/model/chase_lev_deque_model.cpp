// The textbook work-stealing deque (queue/chase_lev_deque.hpp).
// SPDX-License-Identifier: Apache-2.0
#include <array>
#include <cstddef>

#include "checker/protocol.hpp"
#include "finegrain/queue/chase_lev_deque.hpp"
#include "watched_task.hpp"

namespace {

using fg::detail::chase_lev_deque;

void push(chase_lev_deque& deque, watched_task& task) {
  model::require(deque.push(task.write()), "there is memory");
}

void steal(chase_lev_deque& deque, int attempts) {
  for (int i = 0; i < attempts; ++i) {
    take_if_any(deque.steal());
  }
}

void pop_all(chase_lev_deque& deque) {
  while (take_if_any(deque.pop())) {
  }
}

// O3 against T3: the owner and the thieves all try to take the only task.
void last_task() {
  std::array<watched_task, 1> tasks;
  chase_lev_deque deque{2};
  model::run_threads(
      [&] {
        push(deque, tasks[0]);
        pop_all(deque);
      },
      [&] { steal(deque, 1); }, [&] { steal(deque, 1); });
  require_all_taken(tasks);
}

// T1 before T2 before O1 before O2: a thief that has read an old bottom takes nothing that the
// owner pops without checking the top.
void two_of_three() {
  std::array<watched_task, 3> tasks;
  chase_lev_deque deque{4};
  model::run_threads(
      [&] {
        push(deque, tasks[0]);
        push(deque, tasks[1]);
        take_if_any(deque.pop());
        push(deque, tasks[2]);
        pop_all(deque);
      },
      [&] { steal(deque, 2); });
  require_all_taken(tasks);
}

// Both thieves take from two tasks, which the owner pops.
void two_thieves() {
  std::array<watched_task, 2> tasks;
  chase_lev_deque deque{2};
  model::run_threads(
      [&] {
        push(deque, tasks[0]);
        push(deque, tasks[1]);
        pop_all(deque);
      },
      [&] { steal(deque, 1); }, [&] { steal(deque, 1); });
  require_all_taken(tasks);
}

// A ring of two, used repeatedly: a slot is overwritten, or the ring replaced, while a thief reads
// it.
void growth() {
  std::array<watched_task, 4> tasks;
  chase_lev_deque deque{2};
  model::run_threads(
      [&] {
        for (watched_task& each : tasks) {
          push(deque, each);
        }
        pop_all(deque);
      },
      [&] { steal(deque, 2); });
  require_all_taken(tasks);
}

}  // namespace

int main(int argc, char** argv) {
  return model::check_protocol("chase_lev_deque (queue): an owner, 1 and 2 thieves",
                               {{"the last task, 2 thieves", "each task once", last_task},
                                {"3 tasks, pops between, 1 thief", "each task once", two_of_three},
                                {"2 tasks, 2 thieves", "each task once", two_thieves},
                                {"a ring of 2 grows, 1 thief", "each task once", growth}},
                               argc, argv);
}
