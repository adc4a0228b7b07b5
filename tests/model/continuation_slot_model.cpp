// Which thread continues when a task has finished (execution/continuation_slot.hpp).
// SPDX-License-Identifier: Apache-2.0
#include "checker/protocol.hpp"
#include "finegrain/execution/continuation_slot.hpp"

namespace {

// The state of a coroutine that awaits a task.
struct frame {
  fg::detail::continuation_slot slot;
  int result = 0;  // of the task
  int kept = 0;    // of the awaiter, written before it is suspended
  bool went_on = false;

  // On either thread: sees what both have written, and frees everything.
  static void go_on(frame* self, int& sum) {
    model::require(!self->went_on, "it goes on once");
    self->went_on = true;
    sum = self->result + self->kept;
    delete self;
  }
};

void run_task(frame* awaiting, int& sum) {
  awaiting->result = 1;
  if (void* const left = awaiting->slot.finish()) {
    frame::go_on(static_cast<frame*>(left), sum);
  }
}

// `await_suspend`, with or without `await_ready` before it.
void suspended(bool looks_first) {
  int sum = 0;
  auto* const awaiting = new frame;
  model::run_threads(
      [&] { run_task(awaiting, sum); },
      [&] {
        awaiting->kept = 2;
        if ((looks_first && awaiting->slot.has_finished()) || !awaiting->slot.try_leave(awaiting)) {
          frame::go_on(awaiting, sum);
        }
      });
  model::require(sum == 3, "whoever goes on sees what both have written");
}

// `get`, and the destructor: never suspended, freed as soon as it has finished.
void waited_for() {
  int sum = 0;
  auto* const awaiting = new frame;
  model::run_threads([&] { run_task(awaiting, sum); },
                     [&] {
                       model::await([&] { return awaiting->slot.has_finished(); });
                       frame::go_on(awaiting, sum);
                     });
  model::require(sum == 1, "the result is seen");
}

}  // namespace

int main(int argc, char** argv) {
  return model::check_protocol(
      "continuation_slot: a runner and an awaiter",
      {{"looks, then suspends", "one of the two goes on, once, and sees both",
        [] { suspended(true); }},
       {"suspends at once", "one of the two goes on, once, and sees both",
        [] { suspended(false); }},
       {"waits", "the result is seen, and the slot freed at once", waited_for}},
      argc, argv);
}
