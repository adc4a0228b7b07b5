// What a pool keeps beside its queues: tasks for one worker (pool/assigned_tasks.hpp), tasks from
// outside (pool/inbox.hpp), and the memory of tasks (pool/task_blocks.hpp, returned_blocks.hpp).
#include <array>
#include <cstddef>
#include <memory>

#include "checker/protocol.hpp"
#include "finegrain/pool/assigned_tasks.hpp"
#include "finegrain/pool/inbox.hpp"
#include "finegrain/pool/returned_blocks.hpp"
#include "finegrain/pool/task_blocks.hpp"
#include "watched_task.hpp"

namespace {

// ---- assigned_tasks ----

// The taker takes all at once and keeps it, while others put more on top of an empty list, or of
// one that was not empty when they looked.
void two_givers() {
  std::array<watched_task, 3> tasks;
  fg::assigned_tasks assigned;
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
  while (assigned.has_task_guess()) {
    model::require(take_if_any(assigned.take()), "where there is a task one can be taken");
  }
  require_all_taken(tasks);
}

// One giver's tasks come in the order in which they were put.
void in_order() {
  std::array<watched_task, 3> tasks;
  fg::assigned_tasks assigned;
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

// ---- inbox ----

void put_and_take() {
  std::array<watched_task, 3> tasks;
  fg::inbox posted;
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

// Who waits for a hint gets the task.
void hint() {
  watched_task task;
  watched_task first;
  fg::inbox posted;
  posted.put(first.write());
  take_if_any(posted.take());
  model::run_threads([&] { posted.put(task.write()); },
                     [&] {
                       model::await([&] { return posted.has_work_guess(); });
                       model::require(take_if_any(posted.take()), "the hint was true");
                     });
}

// ---- task_blocks ----

using block = std::array<std::byte, fg::task_blocks::kBlockBytes>;

void fill(void* memory, std::byte with) { static_cast<block*>(memory)->fill(with); }

// The owner has given two blocks to each of two others. They read them and give them back, one by
// one or as a batch; the owner takes again what has come back, and writes to it.
void blocks_come_back() {
  const auto blocks = std::make_unique<fg::task_blocks>();
  std::array<void*, fg::task_blocks::kMostBlocks> all{};
  for (void*& each : all) {
    each = blocks->take();
  }
  for (std::size_t i = 0; i < 4; ++i) {
    fill(all[i], std::byte{1});
  }
  const auto give_back = [&](std::size_t first, bool as_a_batch) {
    fg::returned_blocks returned;
    for (std::size_t i = first; i < first + 2; ++i) {
      model::require((*static_cast<block*>(all[i]))[0] == std::byte{1},
                     "a block is its holder's until it gives it back");
      returned.add(*blocks, all[i]);
      if (!as_a_batch) {
        returned.flush();
      }
    }
    returned.flush();
  };
  std::size_t taken = 0;
  const auto take_again = [&] {
    while (void* const again = blocks->take()) {
      fill(again, std::byte{2});
      ++taken;
    }
  };
  model::run_threads(
      [&] {
        take_again();
        take_again();
      },
      [&] { give_back(0, true); }, [&] { give_back(2, false); });
  take_again();
  model::require(taken == 4, "each block comes back once");
}

}  // namespace

int main(int argc, char** argv) {
  return model::check_protocol(
      "assigned_tasks, inbox, task_blocks (pool): 2 and 3 threads",
      {{"2 givers of assigned tasks", "each task once", two_givers},
       {"3 assigned tasks", "each task once, in order", in_order},
       {"an inbox, 2 who put, 2 who take", "each task once", put_and_take},
       {"an inbox's hint", "it is true", hint},
       {"blocks come back", "each block once, and unused", blocks_come_back}},
      argc, argv);
}
