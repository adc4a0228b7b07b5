// The line on which a task goes to the assistant and its completion comes back
// (relic/handoff_ring.hpp).
// SPDX-License-Identifier: Apache-2.0
#include <cstddef>
#include <cstdint>

#include "checker/protocol.hpp"
#include "finegrain/relic/handoff_ring.hpp"

namespace {

using ring_type = fg::detail::handoff_ring<2>;

template <class Ring>
struct shared {
  Ring ring;
  int order[6]{};  // the numbers of the tasks in the order in which they ran
  int ran = 0;
};

template <class Ring>
void submit(shared<Ring>& state, int number) {
  model::await([&] { return state.ring.reserve(); });
  state.ring.next_record().emplace([&state, number] { state.order[state.ran++] = number; });
  state.ring.publish();
}

template <class Ring>
void run_tasks(shared<Ring>& state, int count) {
  for (int i = 0; i < count; ++i) {
    fg::detail::task_record* const task = model::await([&] { return state.ring.try_next(); });
    task->run();
    state.ring.complete();
  }
}

template <class Ring>
void require_in_order(const shared<Ring>& state, int count) {
  model::require(state.ran == count, "each task was run once");
  for (int i = 0; i < count; ++i) {
    model::require(state.order[i] == i, "in the order of submission");
  }
}

// One task at a time: the same slot each time.
void round_trips() {
  shared<ring_type> state;
  model::run_threads(
      [&] {
        for (int i = 0; i < 3; ++i) {
          submit(state, i);
          model::await([&] { return state.ring.drained(); });
          require_in_order(state, i + 1);
          state.ring.rewind();
        }
      },
      [&] { run_tasks(state, 3); });
}

// More tasks than slots, without a wait in between.
template <class Ring, int Tasks>
void burst() {
  shared<Ring> state;
  model::run_threads(
      [&] {
        for (int i = 0; i < Tasks; ++i) {
          submit(state, i);
        }
        model::await([&] { return state.ring.drained(); });
        require_in_order(state, Tasks);
      },
      [&] { run_tasks(state, Tasks); });
}

// A burst, the return to the first slot, and another burst of more tasks than slots.
void rewind_between() {
  shared<ring_type> state;
  model::run_threads(
      [&] {
        submit(state, 0);
        submit(state, 1);
        model::await([&] { return state.ring.drained(); });
        state.ring.rewind();
        submit(state, 2);
        submit(state, 3);
        submit(state, 4);
        model::await([&] { return state.ring.drained(); });
        require_in_order(state, 5);
      },
      [&] { run_tasks(state, 5); });
}

// As fork_join does: waits only for its own task, while later ones may be queued.
void one_of_many() {
  shared<ring_type> state;
  model::run_threads(
      [&] {
        submit(state, 0);
        const ring_type::place first = state.ring.last();
        submit(state, 1);
        model::await([&] { return state.ring.finished(first); });
        model::require(state.order[0] == 0, "what the task wrote is there");
        submit(state, 2);
        model::require(state.ring.finished(first), "it stays finished when its slot is used again");
        model::await([&] { return state.ring.drained(); });
        require_in_order(state, 3);
      },
      [&] { run_tasks(state, 3); });
}

// Gives the result of one task to `destination` when its slot is needed.
void take_home(fg::detail::task_record& record, void* destination) noexcept {
  *static_cast<int*>(destination) = record.take<int>();
}

void submit_keeping(shared<ring_type>& state, int number, int& destination) {
  model::await([&] { return state.ring.reserve(); });
  state.ring.next_record().emplace_keeping<true>([&state, number] {
    state.order[state.ran++] = number;
    return 10 + number;
  });
  state.ring.publish({&take_home, &destination});
}

// Results in the slots: one is taken when its task has finished, the others when their slots are
// needed for later tasks, and at the end.
void results() {
  shared<ring_type> state;
  int taken[5]{};
  model::run_threads(
      [&] {
        submit_keeping(state, 0, taken[0]);
        const ring_type::place first = state.ring.last();
        submit_keeping(state, 1, taken[1]);
        model::await([&] { return state.ring.finished(first); });
        model::require(state.ring.take_over(first).take<int>() == 10, "its result is there");
        submit_keeping(state, 2, taken[2]);
        submit_keeping(state, 3, taken[3]);
        model::require(taken[1] == 11, "its slot is used again");
        model::await([&] { return state.ring.drained(); });
        state.ring.rewind();
        model::require(taken[0] == 0, "it was taken before");
        model::require(taken[2] == 12 && taken[3] == 13, "all results are home");
        submit_keeping(state, 4, taken[4]);
        model::await([&] { return state.ring.drained(); });
        require_in_order(state, 5);
        state.ring.rewind();
        model::require(taken[4] == 14, "all results are home");
      },
      [&] { run_tasks(state, 5); });
}

// The only thread of a forked child: of three tasks the assistant had finished one and was running
// the second.
void adopted_in_a_forked_child() {
  shared<fg::detail::handoff_ring<4>> state;
  model::run_threads([&] {
    submit(state, 0);
    submit(state, 1);
    submit(state, 2);
    run_tasks(state, 1);
    model::require(state.ring.try_next() != nullptr, "the second task is there");
    model::require(!state.ring.drained(), "two tasks have not finished");
    state.ring.adopt_assistant(nullptr);
    model::require(state.ring.drained(), "tasks that had not finished are given up");
    model::require(state.ring.try_next() == nullptr, "and nobody takes them any more");
    submit(state, 1);
    submit(state, 2);
    run_tasks(state, 2);
    model::require(state.ring.drained(), "the ring serves new tasks");
    require_in_order(state, 3);
  });
}

}  // namespace

int main(int argc, char** argv) {
  return model::check_protocol(
      "handoff_ring (relic): 2 threads, 2 and 4 slots",
      {{"3 round trips", "each task once, in order, seen by wait", round_trips},
       {"4 tasks at once", "each task once, in order, seen by wait", burst<ring_type, 4>},
       {"6 tasks at once, 4 slots", "each task once, in order, seen by wait",
        burst<fg::detail::handoff_ring<4>, 6>},
       {"rewound between 2 and 3 tasks", "each task once, in order", rewind_between},
       {"a task of many is waited for", "its effects are there", one_of_many},
       {"results in the slots", "each reaches its taker before its slot is used again", results},
       {"adopted in a forked child", "unfinished tasks are given up, new ones run",
        adopted_in_a_forked_child}},
      argc, argv);
}
