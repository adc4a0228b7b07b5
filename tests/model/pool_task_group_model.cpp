// Tasks that are waited for together (pool/task_group.hpp), and their blocks
// (pool/task_blocks.hpp).
// SPDX-License-Identifier: Apache-2.0
#include <memory>

#include "checker/protocol.hpp"
#include "finegrain/core/stop_token.hpp"
#include "finegrain/pool/pool.hpp"
#include "finegrain/pool/task_group.hpp"
#include "in_a_pool.hpp"

namespace {

using fg::task_group;

constexpr model::explorer::limits kLoops{.turns = 5};

// The group is freed at once: the thread that finished its last task must not touch it any more.
void two_tasks() {
  in_a_pool([] {
    int ran[2]{};
    {
      const auto group = std::make_unique<task_group>();
      group->spawn([&ran] { ++ran[0]; });
      group->spawn([&ran] { ++ran[1]; });
      group->wait();
    }
    model::require(ran[0] == 1 && ran[1] == 1, "each task is run once, and seen");
  });
}

void one_task() {
  in_a_pool([] {
    int ran = 0;
    {
      const auto group = std::make_unique<task_group>();
      group->spawn([&ran] { ++ran; });
      group->wait();
    }
    model::require(ran == 1, "a task is run once, and seen");
  });
}

void awake() {
  fg::sleeps_left = {};
  two_tasks();
}
void owner_asleep() {
  fg::sleeps_left = {0, 1, 0};
  one_task();
}

// A task spawns another one, which is counted before its parent has ended, on any worker.
void spawned_by_a_task() {
  fg::sleeps_left = {};
  in_a_pool([] {
    int ran = 0;
    {
      const auto group = std::make_unique<task_group>();
      task_group& all = *group;
      group->spawn([&all, &ran] { all.spawn([&ran] { ++ran; }); });
      group->wait();
    }
    model::require(ran == 1, "a task is run once, and seen");
  });
}

// Two that throw: one of the exceptions arrives; afterwards the group can be reused.
void two_throw() {
  fg::sleeps_left = {};
  in_a_pool([] {
    const auto group = std::make_unique<task_group>();
    int thrown[2]{};
    group->spawn([&thrown] {
      thrown[0] = 1;
      throw 1;
    });
    group->spawn([&thrown] {
      thrown[1] = 1;
      throw 2;
    });
    int caught = 0;
    try {
      group->wait();
    } catch (int which) {
      caught = which;
    }
    model::require(caught != 0 && thrown[caught - 1] == 1,
                   "an exception arrives, and what led to it");
    model::require(!group->is_cancelled(), "the group is as new");
  });
}

// A stop is requested while a wait resets the group: it stays cancelled.
void asked_to_stop() {
  fg::stop_source source;
  const auto group = std::make_unique<task_group>(source.get_token());
  model::run_threads([&] { group->wait(); }, [&] { source.request_stop(); });
  model::require(group->is_cancelled(), "the request is not forgotten");
}

}  // namespace

int main(int argc, char** argv) {
  return model::check_protocol(
      "task_group (pool): 2 workers, and their end",
      {{"2 tasks", "each runs once, their effects are seen, the group is left alone", awake,
        kLoops},
       {"a task, and the owner sleeps", "also: it wakes up", owner_asleep},
       {"a task that spawns one", "it is waited for", spawned_by_a_task},
       {"asked to stop beside a wait", "it stays cancelled", asked_to_stop},
       {"2 tasks that throw", "one exception arrives", two_throw, kLoops}},
      argc, argv);
}
