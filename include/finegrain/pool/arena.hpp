// What the workers of a pool share.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <utility>
#include <vector>

#include "finegrain/balance/balancer.hpp"
#include "finegrain/balance/idle_workers.hpp"
#include "finegrain/core/clock.hpp"
#include "finegrain/pool/callers.hpp"
#include "finegrain/pool/inbox_watch.hpp"
#include "finegrain/pool/joint_end.hpp"
#include "finegrain/pool/left_behind.hpp"
#include "finegrain/pool/pool_options.hpp"
#include "finegrain/pool/posted_tasks.hpp"
#include "finegrain/pool/spare_thread.hpp"
#include "finegrain/task/pool_task.hpp"
#include "finegrain/wait/chosen_wait.hpp"
#include "finegrain/wait/wait.hpp"

namespace fg::inline FINEGRAIN_ABI {
class pool;
class worker;
}  // namespace fg::inline FINEGRAIN_ABI

namespace fg::inline FINEGRAIN_ABI::detail {

/// The state that a pool's own threads, its callers and its spare thread share: places for callers,
/// posted tasks, sleeping, and the common end. It owns no thread but the spare one.
///
/// ## Numbers of the workers
///
///     0                 the first of the callers that are inside
///     1 ... threads     the pool's own threads
///     threads + 1       the spare thread
///     threads + 2 ...   further callers
///
/// Only private_deque has queues for all of them. Under the other policies there is one place for
/// callers, and what the spare thread spawns runs at once.
///
/// ## Posted tasks
/// A posted task begins on an own thread that has nothing else to do, and never on a worker that
/// waits, which may hold what the task needs. If no own thread looks for work, the spare thread
/// takes the task; it is created when this first happens (inbox_watch, spare_thread). Background
/// tasks are left to the own threads until they have waited too long (posted_tasks).
struct arena {
  /// For at most so many own threads and concurrent callers. `life`: that of the spare thread.
  arena(pool& whose, std::size_t most_threads, std::size_t most_callers,
        const pool_options& options, spare_thread::life life)
      : home{&whose},
        idle{most_threads + 1 + most_callers, 1},
        callers{most_callers},
        watch{most_threads},
        left{*this},
        spare{std::move(life), this},
        on_thread_start{options.on_thread_start},
        on_thread_stop{options.on_thread_stop},
        most_help_bytes{options.help_stack_bytes},
        wait{options.wait.empty() ? wait_policy_of_environment() : find_wait_policy(options.wait)},
        spin_budget_ticks{budget_ticks(options.spin_budget)} {}
  arena(const arena&) = delete;
  arena& operator=(const arena&) = delete;

  /// Encloses everything that a thread of the pool does as worker `id`: calls
  /// `pool_options::on_thread_start` and `on_thread_stop`.
  class thread_life {
   public:
    thread_life(const arena& shared, std::size_t id) : shared_{shared}, id_{id} {
      if (shared_.on_thread_start) {
        shared_.on_thread_start(id_);
      }
    }
    ~thread_life() {
      if (shared_.on_thread_stop) {
        shared_.on_thread_stop(id_);
      }
    }
    thread_life(const thread_life&) = delete;
    thread_life& operator=(const thread_life&) = delete;

   private:
    const arena& shared_;
    std::size_t id_;
  };

  /// The number of the caller at this place. Requires: `threads` is final.
  [[nodiscard]] std::size_t number_of_caller(std::size_t place) const noexcept {
    return place == 0 ? 0 : threads + 1 + place;
  }

  /// The number of the spare thread. Requires: `threads` is final.
  [[nodiscard]] std::size_t number_of_spare() const noexcept { return threads + 1; }

  /// Whether there is an own thread or the spare one, which is created if needed. Any thread.
  [[nodiscard]] bool has_threads() noexcept { return threads != 0 || make_spare(); }

  /// Leaves `task` to an own thread or the spare one. Any thread. False: there is neither, and
  /// nothing happened. When it returns true, this object may be gone if the task ends its lifetime.
  [[nodiscard]] bool post(pool_task& task,
                          task_priority priority = task_priority::normal) noexcept {
    if (!has_threads()) {
      return false;
    }
    // Wakes before the task can run: a thread that it notifies may destroy the pool meanwhile.
    posted.put(task, priority, [this] {
      if (idle.any_after_publishing()) {
        idle.wake_one_that_does_not_wait();
      }
      if (!watch.any_after_publishing()) {
        call_spare();
      }
    });
    return true;
  }

  /// Called by an own thread before it does what it found: it no longer looks for posted tasks.
  void stop_looking(std::size_t number) noexcept {
    watch.stop_looking(number - 1);
    look_after_posted();
  }

  /// If a task is posted, makes sure that another thread looks for it: a sleeper or the spare one.
  void look_after_posted() noexcept {
    if (!posted.has_work_guess()) [[likely]] {
      return;
    }
    if (!watch.any_guess()) {
      call_spare();
    } else if (idle.any_after_publishing()) {
      // The worker woken for it may have been this one, which has found something else.
      idle.wake_one_that_does_not_wait();
    }
  }

  /// Call this after a completion that a thread other than the workers here may wait for. Any
  /// thread that the pool's end waits for.
  void tell_all_waiting() noexcept {
    if (idle.any_after_publishing()) {
      idle.wake_waiting();
    }
    outside.tell();
  }

  /// Polls for a while, then sleeps, until `done()`. `done` reads with acquire what another thread
  /// releases before it calls `tell_all_waiting`. Any thread but the workers here, which help
  /// meanwhile. It looks for the whole budget: the threads come and go, and keep no history.
  template <class Done>
  void wait_outside(Done done) noexcept {
    spin_wait<> looks;
    while (!done()) {
      wait();
      if (looks.count_look() && looks.waited_ticks() > spin_budget_ticks) {
        outside.wait(done);
      }
    }
  }

  /// Whether there was a task to run a moment ago: see `balancer::any_task_guess`.
  [[nodiscard]] bool any_task_guess() const noexcept {
    return posted.has_work_guess() || policy->any_task_guess();
  }

  /// Wakes every thread that may see that the end has begun or is over.
  void wake_all() noexcept {
    if (idle.any_after_publishing()) {
      idle.wake_all();
    }
    spare.wake();
  }

  pool* home;
  idle_workers idle;
  caller_slots callers;
  posted_tasks posted;
  inbox_watch watch;
  outside_waiters outside;
  left_behind<arena> left;
  spare_thread spare;
  std::function<void(std::size_t)> on_thread_start;
  std::function<void(std::size_t)> on_thread_stop;
  joint_end end;
  std::size_t threads = 0;  // number of threads that the system did not refuse
  balancer* policy = nullptr;
  no_balancer no_queues;         // of a spare thread that has no queues in the policy
  std::vector<worker*> workers;  // by number
  std::size_t most_help_bytes;   // 0: as the stack allows
  chosen_wait wait;
  std::uint64_t spin_budget_ticks;

 private:
  bool make_spare() noexcept {
    return spare.make_if_missing([this] { end.add_participant(); },
                                 [this] { static_cast<void>(end.rest()); });
  }

  void call_spare() noexcept {
    if (make_spare()) {
      spare.call();
    }
  }
};

}  // namespace fg::inline FINEGRAIN_ABI::detail
