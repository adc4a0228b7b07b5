// Posted tasks, and callers that arrive while others are inside (pool/arena.hpp,
// pool/inbox_watch.hpp, pool/spare_thread.hpp, pool/spare_life.hpp).
// SPDX-License-Identifier: Apache-2.0
#include <array>

#include "checker/protocol.hpp"
#include "finegrain/core/atomic.hpp"
#include "finegrain/pool/arena.hpp"
#include "finegrain/pool/handed_over.hpp"
#include "finegrain/pool/pool.hpp"
#include "finegrain/pool/task_group.hpp"

namespace {

using fg::memory_order_acquire;
using fg::memory_order_release;

// A task that only a posted one ends: the thread that runs it does not return before.
struct long_task {
  fg::atomic<bool> over{false};
  void await() const {
    model::await([this] { return over.load(memory_order_acquire); });
  }
  void end() { over.store(true, memory_order_release); }
};

// The caller posts and waits; there is no other thread except the spare one.
void a_pool_of_one() {
  fg::sleeps_left = {};
  fg::pool pool{1, 2};
  long_task task;
  model::run_threads(
      [&] {
        pool.run([&] {
          pool.post([&] { task.end(); });
          task.await();
        });
        pool.stop();
      },
      [&] { pool.live_as_spare(); });
}

// The end has begun, and the destructor's thread may already rest when the task posts another.
void in_the_end() {
  fg::sleeps_left = {};
  fg::pool pool{1, 2};
  fg::detail::arena& shared = pool.shared();
  int ran = 0;
  pool.post([&] { pool.post([&ran] { ++ran; }); });
  shared.end.begin();
  shared.end.add_participant();
  const auto end = [] { fg::worker::current()->end_together(); };
  model::run_threads([&] { fg::detail::work_as(*shared.workers[0], nullptr, end); },
                     [&] { fg::detail::serve_until_over(shared.spare, shared, nullptr); });
  model::require(ran == 1, "it has run before it is over");
}

// An own thread checks, and finds something else that only the posted task ends, or finds that
// task.
void a_busy_worker() {
  fg::sleeps_left = {};
  fg::pool pool{2};
  fg::detail::arena& shared = pool.shared();
  long_task task;
  struct ending : fg::pool_task {
    explicit ending(long_task& which) : ended{&which} {
      routine.store([](fg::pool_task& self) noexcept { static_cast<ending&>(self).ended->end(); },
                    fg::memory_order_relaxed);
    }
    long_task* ended;
  } posted{task};
  shared.watch.look_out(0);
  model::run_threads(
      [&] { static_cast<void>(shared.post(posted)); },
      [&] {
        if (fg::pool_task* const found = shared.posted.take(fg::task_priority::normal)) {
          found->run();
        }
        shared.stop_looking(1);  // it has found something else
        task.await();
        pool.stop();
      },
      [&] { pool.live_as_spare(); });
}

struct counted : fg::pool_task {
  counted() {
    routine.store([](fg::pool_task& self) noexcept { static_cast<counted&>(self).run_here(); },
                  fg::memory_order_relaxed);
  }
  void run_here() {
    ++ran;
    done.end();
  }
  void await() const {
    done.await();
    model::require(ran == 1, "it has run once");
  }
  int ran = 0;
  long_task done;
};

// A worker that has tasks in its queue leaves, and waits for them.
void goes_away() {
  fg::sleeps_left = {};
  fg::pool pool{1, 2};
  std::array<counted, 2> tasks;
  model::run_threads(
      [&] {
        pool.run([&] {
          fg::worker& self = *fg::worker::current();
          for (counted& each : tasks) {
            model::require(self.offer(each), "its queue takes them");
          }
          self.go_away();
          tasks[0].await();
          tasks[1].await();
          self.come_back();
        });
        pool.stop();
      },
      [&] { pool.live_as_spare(); });
}

// The second time it finds the notice still posted, or another thread about to check.
void leaves_tasks_again() {
  fg::sleeps_left = {};
  fg::pool pool{1, 2};
  fg::detail::arena& shared = pool.shared();
  fg::worker& self = *shared.workers[0];
  std::array<counted, 2> tasks;
  const auto run_posted = [&] {
    fg::pool_task* const notice = shared.posted.take(fg::task_priority::normal);
    if (notice != nullptr) {
      notice->run();
    }
    return notice != nullptr;
  };
  model::run_threads(
      [&] {
        model::require(self.offer(tasks[0]), "its queue takes it");
        self.go_away();
        self.come_back();
        self.run_own_tasks();
        model::require(self.offer(tasks[1]), "its queue takes it");
        self.go_away();
      },
      [&] { run_posted(); });
  while (run_posted()) {
  }
  tasks[0].await();
  tasks[1].await();
}

// The worker sleeps, and so does the outside thread that waits for what it has posted.
void both_asleep() {
  fg::sleeps_left = {0, 1, 1};
  fg::pool pool{2};
  fg::detail::arena& shared = pool.shared();
  fg::atomic<bool> over{false};
  int ran = 0;
  model::run_threads(
      [&] {
        pool.post([&] {
          ++ran;
          over.store(true, memory_order_release);
          shared.tell_all_waiting();
        });
        shared.wait_outside([&] { return over.load(memory_order_acquire); });
        model::require(ran == 1, "it has run, and is seen");
        pool.stop();
      },
      [&] { pool.live(1); });
}

// A caller without a slot waits outside while the worker makes its call.
void a_call_for_another() {
  fg::sleeps_left = {};
  fg::pool pool{2};
  fg::detail::arena& shared = pool.shared();
  model::run_threads(
      [&] {
        int seen = 0;
        auto call = [&seen]() -> int& { return ++seen; };
        fg::detail::handed_over<decltype(call)> handed{call, shared};
        model::require(shared.post(handed), "there is a thread");
        shared.wait_outside([&] { return handed.has_finished(); });
        model::require(&handed.take() == &seen && seen == 1, "what it returns comes back");
        pool.stop();
      },
      [&] { pool.live(1); });
}

// Two callers at once, each with a fork.
void two_callers() {
  fg::sleeps_left = {};
  fg::pool pool{1, 2};
  std::array<int, 2> ran{};
  const auto call = [&](int& mine) {
    pool.run([&mine] {
      fg::task_group group;
      group.spawn([&mine] { ++mine; });
      group.wait();
    });
  };
  model::run_threads([&] { call(ran[0]); }, [&] { call(ran[1]); });
  model::require(ran[0] == 1 && ran[1] == 1, "each has had its own done");
}

}  // namespace

int main(int argc, char** argv) {
  constexpr model::explorer::limits kLoops{.turns = 3};
  return model::check_protocol(
      "posts (pool): a caller, a worker, the spare thread; what is left behind",
      {{"a post in a pool of one", "the spare thread runs it", a_pool_of_one, kLoops},
       {"a post in the end", "it runs before it is over", in_the_end, kLoops},
       {"a post beside a long task", "somebody runs it", a_busy_worker, kLoops},
       {"a worker goes away, and waits", "somebody runs its tasks", goes_away, kLoops},
       {"a worker leaves tasks again", "each runs once", leaves_tasks_again},
       {"a post, and both sleep", "they wake up", both_asleep, kLoops},
       {"a call for another", "it is made, and told", a_call_for_another, kLoops},
       {"2 callers", "both are served", two_callers, kLoops}},
      argc, argv);
}
