// One assistant thread and its caller (relic/relic.hpp): the whole relic, with its line for tasks,
// its gate and its hints. While the assistant waits it may read the clock at any time, and find its
// budget spent.
// SPDX-License-Identifier: Apache-2.0
#include <cstdint>

#include "checker/protocol.hpp"
#include "finegrain/relic/assistant_placement.hpp"
#include "finegrain/relic/relic.hpp"
#include "finegrain/wait/asymmetric_fence.hpp"
#include "finegrain/wait/wait.hpp"

namespace {

using spinning_relic = fg::basic_relic<fg::spin_pause>;

struct results {
  int ran = 0;
  bool in_order = true;

  auto task(int number) {
    return [this, number]() noexcept { in_order = in_order && ran++ == number; };
  }
};

void require_ran(const results& all, int count) {
  model::require(all.in_order && all.ran == count, "each task once, in order, seen behind wait");
}

// `main_reads`: how often the main thread, while it waits, may look whether it can help.
void set_up(bool asymmetric, int clock_reads, int main_reads = 0) {
  fg::detail::asymmetric_fence::is_available = asymmetric;
  fg::detail::has_cpu_for_assistant = true;
  fg::clock_reads_left = {main_reads, clock_reads};
  fg::dozes_left = 0;
}

// Asleep, or about to be, or awake when a task arrives, and when the very last one arrives.
// With a second clock read it may also block while the main thread runs the task.
template <bool Asymmetric, int ClockReads = 1>
void round_trip() {
  set_up(Asymmetric, ClockReads, 1);
  results all;
  fg::relic relic;
  relic.submit(all.task(0));
  relic.wait();
  require_ran(all, 1);
}

// The same where only the assistant runs tasks.
void round_trip_without_help() {
  set_up(true, 1, 1);
  results all;
  fg::relic relic{{.main_helps = false}};
  relic.submit(all.task(0));
  relic.wait();
  require_ran(all, 1);
  model::require(relic.counters().tasks == 1, "on the assistant");
}

// Asleep or waking while the main thread waits for the first of two.
void helped() {
  set_up(true, 1, 1);
  results all;
  fg::relic relic;
  auto first = relic.fork(all.task(0));
  relic.submit(all.task(1));
  first.get();
  relic.wait();
  require_ran(all, 2);
  const fg::relic_counters counted = relic.counters();
  model::require(counted.tasks + counted.tasks_inlined == 2, "each on one of the two");
}

// The assistant dozes, and the main thread does not wake it: it helps when it waits, while the other
// looks again.
void dozes(int times) {
  set_up(true, 1);
  fg::dozes_left = times;
  results all;
  fg::relic relic;
  relic.submit(all.task(0));
  relic.submit(all.task(1));
  relic.wait();
  require_ran(all, 2);
}
void dozes_once() { dozes(1); }
void dozes_twice() { dozes(2); }

// The same while nobody helps.
void dozes_without_help() {
  set_up(true, 1);
  fg::dozes_left = 1;
  results all;
  {
    fg::relic relic;
    relic.submit(all.task(0));
  }
  require_ran(all, 1);
}

// Asleep, again or still, when the relic ends.
void end_of_sleeper() {
  set_up(true, 2);
  const fg::relic relic;
}

// Tasks without a wait run before the relic ends.
void end_with_tasks() {
  set_up(true, 1);
  results all;
  {
    fg::relic relic;
    relic.submit(all.task(0));
    relic.submit(all.task(1));
  }
  require_ran(all, 2);
}

// Waiting for one task does not affect the later ones.
void forked() {
  set_up(true, 0);
  results all;
  fg::relic relic;
  auto first = relic.fork(all.task(0));
  auto second = relic.fork(all.task(1));
  first.get();
  model::require(relic.counters().tasks == 2, "submitted");
  second.get();
  require_ran(all, 2);
}

// Results that come home in the slots: taken at once, after their slot was needed, by assignment,
// and never.
void forked_with_results() {
  set_up(true, 0);
  fg::relic relic;
  long assigned = 0;
  auto first = relic.fork([] { return 1L; });
  relic.submit_into(assigned, [] { return 2L; });
  model::require(first.get() == 1, "the result, in its slot");
  auto second = relic.fork([] { return 3L; });
  static_cast<void>(relic.fork([] { return 4L; }));
  relic.wait();
  model::require(assigned == 2, "assigned by the end of the wait");
  auto third = relic.fork([] { return 5L; });
  model::require(second.get() == 3, "the result, moved out of its slot for the third task");
  model::require(third.get() == 5, "the result, in the slot that was used again");
}

// Too large for the slot, or thrown.
void forked_with_others() {
  set_up(true, 0);
  struct large {
    long values[8];
  };
  fg::relic relic;
  auto of_eight = relic.fork([] { return large{{1, 2, 3, 4, 5, 6, 7, 8}}; });
  auto failure = relic.fork([]() -> long { throw 1; });
  model::require(of_eight.get().values[7] == 8, "a large result");
  int caught = 0;
  try {
    failure.get();
  } catch (int thrown) {
    caught = thrown;
  }
  model::require(caught == 1, "what it threw");
  relic.wait();
}

// After the hint the assistant does not fall asleep before the hinted budget is spent, and it is
// woken if it sleeps.
template <bool Asymmetric>
void hint_to_wake() {
  set_up(Asymmetric, 1);
  fg::relic relic;
  relic.wake_up_hint();
  model::await([&] { return !relic.is_asleep(); });
}

// The hinted budget is spent, too, once.
void hint_expires() {
  set_up(true, 2);
  results all;
  fg::relic relic;
  relic.wake_up_hint();
  relic.submit(all.task(0));
  relic.wait();
  require_ran(all, 1);
}

// Only a hint puts this assistant to sleep, after the task that the hint names; a later task
// cancels the hint, or wakes it.
void hint_to_sleep() {
  set_up(true, 1);
  results all;
  {
    spinning_relic relic;
    relic.submit(all.task(0));
    model::require(!relic.is_asleep() && relic.counters().sleeps == 0, "no hint, no sleep");
    relic.sleep_hint();
    relic.submit(all.task(1));
    relic.wait();
    require_ran(all, 2);
    model::require(!relic.is_asleep(), "the later task has taken the hint back");
    const fg::relic_counters counted = relic.counters();
    model::require(counted.wake_ups <= 1 && counted.sleeps <= 1, "one sleep at most");
  }
}

void exceptions() {
  set_up(true, 0);
  fg::relic relic;
  relic.submit([] { throw 1; });
  relic.submit([] { throw 2; });
  int caught = 0;
  try {
    relic.wait();
  } catch (int thrown) {
    caught = thrown;
  }
  model::require(caught == 1, "the first one is passed on");
  relic.wait();
}

void without_assistant() {
  set_up(true, 0);
  fg::detail::has_cpu_for_assistant = false;
  results all;
  fg::relic relic;
  relic.submit(all.task(0));
  require_ran(all, 1);
  model::require(relic.counters().tasks_inlined == 1, "on the main thread");
}

}  // namespace

int main(int argc, char** argv) {
  return model::check_protocol(
      "relic: the main thread and the assistant",
      {{"a round trip", "the task is run and seen", round_trip<true>},
       {"a round trip, without membarrier", "the task is run and seen", round_trip<false>},
       {"a round trip, without help", "the task is run and seen", round_trip_without_help},
       {"2 tasks for one who may sleep", "each one once, in order", helped},
       {"a task for one who waits for its role", "the task is run and seen", round_trip<true, 2>},
       {"2 tasks for one who dozes", "each one once, in order", dozes_once},
       {"2 tasks for one who dozes twice", "each one once, in order", dozes_twice},
       {"the end of one who dozes, with a task", "the task is run", dozes_without_help},
       {"the end of one who may sleep", "it leaves", end_of_sleeper},
       {"the end while tasks are there", "each one once, in order", end_with_tasks},
       {"a task of two is waited for", "each one once, in order", forked},
       {"results in the slots", "each one once, whenever it is taken", forked_with_results},
       {"a large result, and none", "get returns it, or throws", forked_with_others},
       {"a hint to wake up", "it is awake behind it", hint_to_wake<true>},
       {"a hint to wake up, without membarrier", "it is awake behind it", hint_to_wake<false>},
       {"a hint to wake up expires", "the task is run and seen", hint_expires},
       {"a hint to sleep", "each task once, in order", hint_to_sleep},
       {"2 tasks throw", "wait throws the first exception, once", exceptions},
       {"no CPU for an assistant", "the task is run", without_assistant}},
      argc, argv);
}
