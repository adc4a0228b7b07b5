// Combining: a thread performs operations for others that wait (balance/cc_synch.hpp), and the
// queue over it (combining_queue.hpp).
// SPDX-License-Identifier: Apache-2.0
#include <array>
#include <cstddef>

#include "checker/protocol.hpp"
#include "finegrain/balance/cc_synch.hpp"
#include "finegrain/balance/combining_queue.hpp"
#include "watched_task.hpp"

namespace {

struct counter {
  int count = 0;
};
using synch = fg::detail::cc_synch<counter>;

// One operation: it sees what its thread wrote, and its thread what it wrote.
void count(synch& shared, std::size_t thread) {
  int before = 1;
  int seen = 0;
  shared.apply(thread, [&](counter& state) { seen = state.count += before; });
  model::require(seen != 0, "it was applied before apply returned");
  before = seen;
}

// Arrivals at all times, nodes that change their owner, and for h = 1 a combiner role that is
// handed over after each operation.
template <std::size_t MostServed>
void two_threads() {
  synch shared{2, MostServed};
  model::run_threads(
      [&] {
        count(shared, 0);
        count(shared, 0);
      },
      [&] {
        count(shared, 1);
        count(shared, 1);
      });
  count(shared, 0);
  int sum = 0;
  shared.apply(1, [&](counter& state) { sum = state.count; });
  model::require(sum == 5, "each operation was applied once");
}

template <std::size_t MostServed>
void three_threads() {
  synch shared{3, MostServed};
  model::run_threads([&] { count(shared, 0); }, [&] { count(shared, 1); },
                     [&] { count(shared, 2); });
  int sum = 0;
  shared.apply(0, [&](counter& state) { sum = state.count; });
  model::require(sum == 3, "each operation was applied once");
}

void put(fg::detail::combining_queue& queue, watched_task& task) {
  if (!queue.try_put(task.write())) {
    take(task);
  }
}

// A ring of one slot, refilled as soon as a take has made room.
void one_slot() {
  std::array<watched_task, 3> tasks;
  fg::detail::combining_queue queue{2, 1};
  model::run_threads(
      [&] {
        for (watched_task& each : tasks) {
          put(queue, each);
        }
      },
      [&] {
        take_if_any(queue.take(1));
        take_if_any(queue.take(1));
      });
  while (take_if_any(queue.take(0))) {
  }
  require_all_taken(tasks);
}

// The owner and another worker take what the owner puts.
void two_takers() {
  std::array<watched_task, 2> tasks;
  fg::detail::combining_queue queue{2, 2};
  model::run_threads(
      [&] {
        put(queue, tasks[0]);
        put(queue, tasks[1]);
        take_if_any(queue.take(0));
      },
      [&] { take_if_any(queue.take(1)); });
  while (take_if_any(queue.take(0))) {
  }
  require_all_taken(tasks);
}

// In order, and never more than its capacity.
void in_order() {
  std::array<watched_task, 2> tasks;
  fg::detail::combining_queue queue{2, 2};
  model::run_threads(
      [&] {
        model::require(queue.free_slots() == 2, "all are free");
        put(queue, tasks[0]);
        put(queue, tasks[1]);
      },
      [&] {
        for (watched_task& next : tasks) {
          model::await([&] { return queue.has_task_guess(); });
          fg::pool_task* const task = queue.take(1);
          model::require(task == &next, "first in, first out");
          take(*task);
        }
      });
  require_all_taken(tasks);
}

}  // namespace

int main(int argc, char** argv) {
  return model::check_protocol(
      "cc_synch and combining_queue (pool): 2 and 3 threads",
      {{"2 threads, 2 operations each, h = 1", "each operation once", two_threads<1>},
       {"2 threads, 2 operations each, h = 2", "each operation once", two_threads<2>},
       {"3 threads, h = 1", "each operation once", three_threads<1>},
       {"3 threads, h = 2", "each operation once", three_threads<2>},
       {"a queue of 1 slot", "each task once", one_slot},
       {"a queue of 2 slots, 2 takers", "each task once", two_takers},
       {"a queue of 2 slots, in order", "each task once, in order", in_order}},
      argc, argv);
}
