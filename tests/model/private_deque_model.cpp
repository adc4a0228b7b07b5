// The queue of a worker that keeps its tasks private until a thief asks (queue/private_deque.hpp).
// SPDX-License-Identifier: Apache-2.0
#include <array>
#include <cstddef>
#include <cstdint>
#include <span>

#include "checker/protocol.hpp"
#include "finegrain/balance/idle_workers.hpp"
#include "finegrain/queue/private_deque.hpp"
#include "watched_task.hpp"

namespace {

using fg::detail::biased_lock;
using fg::detail::no_lock;
template <class Lock, unsigned SlotBits>
using deque_type = fg::detail::basic_private_deque<Lock, SlotBits>;

// ---- the owner, as worker.hpp and private_deque_balance call it ----

template <class Deque>
void push(Deque& deque, watched_task& task) {
  task.write();
  if (!deque.push_unless_asked(task)) {
    deque.push(task);
    deque.answer();
  }
}

template <class Deque>
fg::pool_task* pop(Deque& deque) {
  fg::pool_task* task = deque.pop_newest_unless_asked();
  if (task == nullptr) {
    task = deque.pop();
    if (task != nullptr && deque.was_asked()) {
      deque.answer();
    }
  }
  return task;
}

template <class Deque>
void pop_all(Deque& deque) {
  while (take_if_any(pop(deque))) {
  }
}

// ---- a thief ----

template <std::size_t Most, class Deque>
std::size_t steal(Deque& deque) {
  std::array<fg::pool_task*, Most> stolen{};
  const std::size_t count = deque.steal(stolen);
  for (std::size_t i = 0; i < count; ++i) {
    take(*stolen[i]);
  }
  return count;
}

template <std::size_t Most, class Deque>
void steal_or_ask(Deque& deque, int attempts) {
  for (int i = 0; i < attempts; ++i) {
    if (steal<Most>(deque) == 0) {
      deque.ask();
    }
  }
}

// ---- without deputies ----

// Publish, take back and steal with one task: the owner and two thieves all try to take the last
// one.
void last_task() {
  std::array<watched_task, 1> tasks;
  deque_type<no_lock, 1> deque;
  deque.open(true);
  model::run_threads(
      [&] {
        push(deque, tasks[0]);
        pop_all(deque);
      },
      [&] { steal_or_ask<1>(deque, 1); }, [&] { steal_or_ask<1>(deque, 1); });
  require_all_taken(tasks);
}

// A ring of two slots is filled more than once: a slow thief reads a slot that is filled again, and
// finds the same top and count as before.
template <unsigned SlotBits, int Tasks>
void wrap_around() {
  std::array<watched_task, Tasks> tasks;
  deque_type<no_lock, SlotBits> deque;
  deque.open(true);
  model::run_threads(
      [&] {
        for (watched_task& each : tasks) {
          push(deque, each);
        }
        pop_all(deque);
      },
      [&] { steal_or_ask<1>(deque, 2); });
  require_all_taken(tasks);
}

// The owner takes back and publishes again: the same slots with other tasks.
void published_again() {
  std::array<watched_task, 3> tasks;
  deque_type<no_lock, 1> deque;
  deque.open(true);
  model::run_threads(
      [&] {
        for (watched_task& each : tasks) {
          push(deque, each);
          take_if_any(pop(deque));
        }
        pop_all(deque);
      },
      [&] { steal_or_ask<1>(deque, 1); });
  require_all_taken(tasks);
}

// Several at once, while the owner takes the newest of them back.
void several_at_once() {
  std::array<watched_task, 3> tasks;
  deque_type<no_lock, 2> deque;
  deque.open(true);
  for (watched_task& each : tasks) {
    each.write();
    deque.push(each);
  }
  model::run_threads(
      [&] {
        deque.answer();  // two of them
        pop_all(deque);
      },
      [&] { steal_or_ask<2>(deque, 1); }, [&] { steal_or_ask<2>(deque, 1); });
  require_all_taken(tasks);
}

// The pop of a forked branch: the newest one, or nothing.
void forked_branches() {
  std::array<watched_task, 2> tasks;
  deque_type<no_lock, 1> deque;
  deque.open(true);
  model::run_threads(
      [&] {
        push(deque, tasks[0]);
        push(deque, tasks[1]);
        for (int i = 1; i >= 0; --i) {
          if (deque.pop_unless_asked(tasks[static_cast<std::size_t>(i)])) {
            take(tasks[static_cast<std::size_t>(i)]);
          } else {
            take_if_any(pop(deque));
          }
        }
      },
      [&] { steal_or_ask<1>(deque, 2); });
  require_all_taken(tasks);
}

// ---- regions ----

// The tasks that a thief gets that asks for a certain region, or any.
template <class Deque>
void steal_of(Deque& deque, std::uint64_t wanted, const watched_task& inner) {
  std::array<fg::pool_task*, 1> stolen{};
  std::uint64_t region = wanted;
  if (deque.steal(stolen, region) == 0) {
    deque.ask();
    return;
  }
  take(*stolen[0]);
  model::require(wanted == fg::detail::kAnyRegion || region == wanted,
                 "it is of the region that was wanted");
  model::require(region == (stolen[0] == &inner ? 2 : 1),
                 "it is of the region that it is said to be");
}

// An owner that puts a task aside for another region, of which nothing is left in the end.
template <std::uint64_t Wanted>
void a_region_within() {
  std::array<watched_task, 2> tasks;
  deque_type<no_lock, 1> deque;
  deque.open(true);
  deque.set_region(1);
  model::run_threads(
      [&] {
        push(deque, tasks[0]);
        deque_type<no_lock, 1>::put_aside aside{};
        deque.begin_region(aside, 2);
        push(deque, tasks[1]);
        while (fg::pool_task* const task = pop(deque)) {
          model::require(task == &tasks[1], "nothing of the outer region comes out within");
          take(*task);
        }
        // The thread that has it has taken it as what it was.
        model::await([&] { return !deque.has_public_guess() || deque.public_region_guess() == 1; });
        deque.end_region(aside);
        pop_all(deque);
      },
      [&] {
        steal_of(deque, Wanted, tasks[1]);
        steal_of(deque, Wanted, tasks[1]);
      });
  require_all_taken(tasks);
}

// The rest of it belongs to the outer one afterwards.
void a_region_that_leaves_tasks() {
  std::array<watched_task, 3> tasks;
  deque_type<no_lock, 1> deque;
  deque.open(true);
  deque.set_region(1);
  model::run_threads(
      [&] {
        push(deque, tasks[0]);
        deque_type<no_lock, 1>::put_aside aside{};
        deque.begin_region(aside, 2);
        push(deque, tasks[1]);
        push(deque, tasks[2]);
        deque.end_region(aside);
        pop_all(deque);
      },
      [&] { steal_or_ask<1>(deque, 1); });
  require_all_taken(tasks);
}

// ---- with deputies ----

// A thief that sleeps (S1 to S4 of the header) and an owner that pushes (P1 to P3): the last check
// sees the task, or the push sees the request.
void last_look() {
  watched_task task;
  deque_type<biased_lock, 1> deque;
  fg::atomic<int> sleepers{0};
  bool is_seen = false;
  bool is_woken = false;
  deque.open(true);
  deque.answer();
  model::run_threads(
      [&] {
        using result = deque_type<biased_lock, 1>::push_result;
        const result pushed = deque.push_and_look(task.write());
        model::require(pushed != result::refused, "there is nobody inside");
        if (pushed == result::pushed_and_asked) {
          deque.answer();
          fg::detail::asymmetric_fence::light_fence();
          is_woken = sleepers.load(fg::memory_order_relaxed) != 0;
        }
      },
      [&] {
        sleepers.fetch_add(1, fg::memory_order_seq_cst);
        deque.announce_sleep();
        fg::detail::asymmetric_fence::heavy_fence();
        is_seen = deque.has_public_guess() || deque.has_private_guess();
      });
  model::require(is_seen || is_woken, "nobody sleeps beside a task");
}

// The same if an earlier answer clears the request, which another thief may have repeated: the
// owner that answers checks for sleepers, and demands attention.
template <bool AnotherAsks>
void last_look_beside_an_answer() {
  std::array<watched_task, 2> tasks;
  deque_type<biased_lock, 1> deque;
  fg::detail::idle_workers idle{1};
  deque.open(true);
  deque.push(tasks[0].write());
  if (AnotherAsks) {
    deque.answer();  // so that there is no request
  }
  const auto answer = [&] {
    if (deque.answer() && idle.any_after_publishing()) {
      idle.wake_one();
      deque.demand_attention();
    }
  };
  const auto push_beside_the_first = [&] {
    if (deque.was_asked()) {
      answer();
    }
    using result = deque_type<biased_lock, 1>::push_result;
    if (deque.push_and_look(tasks[1].write()) == result::pushed_and_asked) {
      answer();
    }
  };
  const auto sleep_until_pushed = [&] {
    bool is_there = false;
    while (!is_there) {
      idle.sleep(
          0, false, [&] { deque.announce_sleep(); },
          [&] { return is_there = deque.has_private_guess(); });
    }
  };
  if (AnotherAsks) {
    model::run_threads(push_beside_the_first, sleep_until_pushed, [&] { deque.ask(); });
  } else {
    model::run_threads(push_beside_the_first, sleep_until_pushed);
  }
}

// An owner without a request: its deputy publishes, while it pushes and pops on the short path.
template <bool HasMembarrier>
void deputy() {
  fg::detail::asymmetric_fence::is_available = HasMembarrier;
  std::array<watched_task, 2> tasks;
  deque_type<biased_lock, 1> deque;
  deque.open(false);
  model::run_threads(
      [&] {
        push(deque, tasks[0]);
        if (deque.pop_unless_asked(tasks[0])) {
          take(tasks[0]);
        }
        push(deque, tasks[1]);
        pop_all(deque);
      },
      [&] {
        if (deque.publish_as_deputy()) {
          steal<1>(deque);
        }
      });
  require_all_taken(tasks);
}

template <bool HasMembarrier>
void two_deputies() {
  fg::detail::asymmetric_fence::is_available = HasMembarrier;
  std::array<watched_task, 2> tasks;
  deque_type<biased_lock, 1> deque;
  deque.open(true);
  deque.answer();
  const auto publish_and_steal = [&] {
    if (deque.publish_as_deputy()) {
      steal<1>(deque);
    }
  };
  deque.push(tasks[0].write());
  deque.push(tasks[1].write());
  model::run_threads(publish_and_steal, publish_and_steal);
  pop_all(deque);
  require_all_taken(tasks);
}

// A thief reports long tasks while the owner asks for reports.
void reported() {
  deque_type<no_lock, 1> deque;
  deque.open(true);
  bool was = false;
  model::run_threads([&] { was = deque.were_reserved_long(); }, [&] { deque.report_long(); });
  was = deque.were_reserved_long() || was;
  model::require(was, "a report is seen");
  model::require(!deque.were_reserved_long(), "once");
}

}  // namespace

int main(int argc, char** argv) {
  return model::check_protocol(
      "private_deque (queue): an owner, 1 and 2 thieves, 2 and 4 slots",
      {{"the last task, 2 thieves", "each task once", last_task},
       {"3 tasks, 2 slots", "each task once", wrap_around<1, 3>},
       {"4 tasks, 2 slots", "each task once", wrap_around<1, 4>},
       {"3 tasks, taken back and published again", "each task once", published_again},
       {"2 of 3 tasks public, thieves take half", "each task once", several_at_once},
       {"2 forked branches", "each task once", forked_branches},
       {"a region within, a thief wants it", "each task once, by region", a_region_within<2>},
       {"a region within, a thief wants the outer one", "each task once, by region",
        a_region_within<1>},
       {"a region within, a thief wants any", "each task once, by region",
        a_region_within<fg::detail::kAnyRegion>},
       {"a region that leaves tasks", "each task once", a_region_that_leaves_tasks},
       {"a push beside a last look", "the sleeper sees or is seen", last_look},
       {"a push and an answer beside a last look", "the sleeper sees or is seen",
        last_look_beside_an_answer<false>},
       {"the same, another thief asks", "the sleeper sees or is seen",
        last_look_beside_an_answer<true>},
       {"a report on reserved tasks", "seen once", reported},
       {"a deputy", "each task once", deputy<true>},
       {"a deputy, no membarrier", "each task once", deputy<false>},
       {"2 deputies", "each task once", two_deputies<true>},
       {"2 deputies, no membarrier", "each task once", two_deputies<false>}},
      argc, argv);
}
