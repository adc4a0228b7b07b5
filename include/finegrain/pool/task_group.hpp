// A group of tasks that are waited for together.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <exception>
#include <memory>
#include <new>
#include <type_traits>
#include <utility>

#include "finegrain/controller/short_tasks.hpp"
#include "finegrain/core/atomic.hpp"
#include "finegrain/core/cache_line.hpp"
#include "finegrain/core/clock.hpp"
#include "finegrain/core/errors.hpp"
#include "finegrain/core/stop_token.hpp"
#include "finegrain/pool/presence.hpp"
#include "finegrain/pool/steal_cost.hpp"
#include "finegrain/pool/worker.hpp"
#include "finegrain/task/pool_task.hpp"

namespace fg::inline FINEGRAIN_ABI {

/// Spawns tasks and waits for all of them.
///
/// A group belongs to the worker on which it was created, its owner, which waits for it and
/// destroys it. Tasks may be spawned by the owner and, from within a task of the group, by any
/// worker of the pool. A group created on a thread that is no worker, outside of `pool::run`, runs
/// everything at once, in order, on the thread that spawns; debug builds say so, once per process.
///
/// Exceptions: the first one that a task throws cancels the group, and `wait` rethrows it.
///
/// Memory order: what was written before `spawn` is visible to the task; what the tasks wrote is
/// visible to the thread that returns from `wait`.
///
/// ## Counting
/// The number of unfinished tasks is `local_ + remote_`. Only the owner changes `local_`, a plain
/// integer: spawning and finishing on the owner costs no read-modify-write. All other threads
/// change `remote_`, which may become negative. Only the owner adds the two. A zero sum is final: a
/// task that could spawn another one is itself counted until it ends.
class task_group {
 public:
  /// Any thread. Constant time, no allocation.
  task_group() noexcept : owner_{worker::current()} {}

  /// Cancelled for good once `stop` is requested, from any thread. Throws std::bad_alloc.
  explicit task_group(const stop_token& stop) : task_group{} {
    stop_ = std::make_unique<stop_request>(*this, stop);
  }

  /// Waits; drops an exception that no `wait` has rethrown.
  FINEGRAIN_CHECKED_FUNCTION ~task_group() { finish(); }
  task_group(const task_group&) = delete;
  task_group& operator=(const task_group&) = delete;

  /// Size of a closure that is stored without allocation, in bytes.
  static constexpr std::size_t kInlineBytes = detail::task_blocks::kBlockBytes - 4 * sizeof(void*);

  /// Runs a copy of `closure`, a callable without arguments, some time before `wait` returns, on
  /// any worker; at once if the queues are full. Where tasks are much shorter than a steal, other
  /// workers leave them to this one for 10 us. Does nothing once the group is cancelled.
  /// Requires: the owner, or a task of this group. Throws what copying the closure throws, or
  /// std::bad_alloc; then nothing was spawned. An exception of the task goes to `wait`, even if the
  /// task ran at once. Constant time otherwise.
  template <class F>
    requires std::is_invocable_v<std::decay_t<F>&>
  FINEGRAIN_CHECKED_FUNCTION void spawn(F&& closure) {
    if (is_cancelled()) {
      return;
    }
    worker* const here = worker::current();
    FINEGRAIN_EXPECTS(owner_ == nullptr || (here != nullptr && &here->home() == &owner_->home()),
                      "a task is spawned by a worker of the group's pool");
    detail::remark_if_serial(owner_, "task_group::spawn");
    if (owner_ == nullptr || here == nullptr) {
      std::decay_t<F> own(std::forward<F>(closure));
      run_guarded(own);
      return;
    }
    using stored = std::decay_t<F>;
    if constexpr (sizeof(stored) <= kInlineBytes && alignof(stored) <= alignof(void*) &&
                  std::is_nothrow_move_constructible_v<stored>) {
      push<stored>(*here, std::forward<F>(closure));
    } else {
      auto boxed = [box = std::make_unique<stored>(std::forward<F>(closure))] { (*box)(); };
      push<decltype(boxed)>(*here, std::move(boxed));
    }
  }

  /// Runs tasks, of this group or others, until all tasks of this group have finished, including
  /// those that they spawn; then rethrows the first exception, if any. Afterwards the group can be
  /// used again, unless it is cancelled for good. Owner only.
  FINEGRAIN_CHECKED_FUNCTION void wait() {
    finish();
    renew();
    if (thrown_.exchange(false, memory_order_relaxed)) {  // `finish` has acquired keep's, if any
      std::rethrow_exception(std::exchange(exception_, nullptr));
    }
  }

  /// Drops the tasks that have not begun; running ones may check `is_cancelled`. Any thread that
  /// may spawn. Relaxed, like `is_cancelled`.
  void cancel() noexcept { cancelled_.store(true, memory_order_relaxed); }

  /// Relaxed: it is a request, and orders nothing.
  [[nodiscard]] bool is_cancelled() const noexcept { return cancelled_.load(memory_order_relaxed); }

 private:
  template <class F>
  struct group_task : pool_task {
    template <class G>
    group_task(task_group& group, worker& maker, G&& closure)
        : group_{&group}, maker_{&maker}, closure_(std::forward<G>(closure)) {
      use_routine(&run_and_count<false>);
    }

    void use_routine(routine_type function) noexcept {
      // Relaxed: the push that publishes the task releases it.
      routine.store(function, memory_order_relaxed);
    }

    template <bool Timed>
    static void run_and_count(pool_task& task) noexcept {
      auto& self = static_cast<group_task&>(task);
      task_group& group = *self.group_;
      worker& here = *worker::current();
      {
        F closure = leave_block(self, here);
        if (!group.is_cancelled()) {
          Timed ? group.run_timed(here, closure) : group.run_guarded(closure);
        }
      }
      group.count_finished(here);
    }

    // The closure leaves its block before it runs, so that only tasks that have not begun hold
    // blocks, and a deep recursion does not hold one per level.
    static F leave_block(group_task& self, worker& here) noexcept {
      F closure = std::move(self.closure_);
      worker& maker = *self.maker_;
      std::destroy_at(&self);
      if (&maker == &here) {
        maker.blocks().give_back(&self);
      } else {
        here.keep_for(maker, &self);
      }
      return closure;
    }

    task_group* group_;
    worker* maker_;
    F closure_;
  };

  struct canceller {
    task_group* group;
    // Release: pairs with the acquire in renew.
    void operator()() const noexcept { group->cancelled_.store(true, memory_order_release); }
  };

  struct stop_request {
    stop_request(task_group& group, const stop_token& stop)
        : asked{stop}, callback{stop, canceller{&group}} {}
    stop_token asked;
    stop_callback<canceller> callback;
  };

  template <class F, class G>
  void push(worker& here, G&& closure) {
    static_assert(sizeof(group_task<F>) <= detail::task_blocks::kBlockBytes);
    void* const block = here.is_serial() ? nullptr : here.blocks().take();
    if (block == nullptr) {
      F own(std::forward<G>(closure));
      here.count_inlined();
      run_guarded(own);
      return;
    }
    group_task<F>* task = nullptr;
    FINEGRAIN_TRY { task = ::new (block) group_task<F>(*this, here, std::forward<G>(closure)); }
    FINEGRAIN_CATCH(...) {
      here.blocks().give_back(block);
      FINEGRAIN_RETHROW;
    }
    count_spawned(here);
    if (!here.try_push(*task) &&
        !(detail::kMayBeShort<F> && here.may_reserve() && reserve_if_short(here, *task)) &&
        here.push(*task) == worker::pushed::nowhere) {
      task->run();
    }
  }

  // After a request: reserves a task that is too short for a steal. False: it has to be pushed.
  template <class F>
  FINEGRAIN_NOINLINE static bool reserve_if_short(worker& here, group_task<F>& task) noexcept {
    detail::short_tasks& tasks = detail::short_tasks_of<F>();
    if (tasks.is_due()) {
      task.use_routine(&group_task<F>::template run_and_count<true>);
    }
    if (!here.deque().has_reserved()) {
      if (here.deque().were_reserved_long()) {
        tasks.were_long();
      }
      if (tasks.are_short()) {
        static_cast<void>(detail::steal_ticks(here));  // measures it, from time to time
      }
    }
    return tasks.are_short() && here.push_reserved(task);
  }

  void count_spawned(worker& here) noexcept {
    if (&here == owner_) {
      ++local_;
    } else {
      // Relaxed: the spawning task is itself counted, so the owner cannot see zero before this.
      remote_.fetch_add(1, memory_order_relaxed);
    }
  }

  void count_finished(worker& here) noexcept {
    if (&here == owner_) {
      --local_;
    } else {
      worker& teller = here;
      // Release: pairs with the acquire in finish. The group may be gone after this.
      remote_.fetch_sub(1, memory_order_release);
      teller.tell_waiting();
    }
  }

  // After `finish` no other thread uses the group, except for a stop request.
  void renew() noexcept {
    if (stop_ == nullptr) [[likely]] {
      cancelled_.store(false, memory_order_relaxed);
      return;
    }
    // Acquire: pairs with the release in canceller. Either it cancels after this, or the request is
    // seen.
    cancelled_.exchange(false, memory_order_acquire);
    if (stop_->asked.stop_requested()) {
      cancel();
    }
  }

  template <class F>
  void run_guarded(F& closure) noexcept {
    FINEGRAIN_TRY { static_cast<void>(closure()); }
    FINEGRAIN_CATCH(...) { keep(std::current_exception()); }
  }

  template <class F>
  void run_timed(worker& here, F& closure) noexcept {
    const std::uint64_t start = ticks();
    run_guarded(closure);
    detail::short_tasks& tasks = detail::short_tasks_of<F>();
    tasks.timed(ticks() - start, detail::known_steal_ticks(here) / 8);  // docs/pool.md, Short tasks
    if (!tasks.are_short()) {
      here.deque().end_reserving();
    }
  }

  void keep(std::exception_ptr thrown) noexcept {
    cancel();
    // Relaxed: decides which task writes; the completion's release orders it before the owner's
    // look.
    if (!thrown_.exchange(true, memory_order_relaxed)) {
      exception_ = std::move(thrown);
    }
  }

  FINEGRAIN_CHECKED_FUNCTION void finish() noexcept {
    FINEGRAIN_EXPECTS(owner_ == worker::current(), "a group is waited for by its owner");
    const auto is_done = [this] {
      return local_ + remote_.load(memory_order_acquire) == 0;  // pairs with count_finished
    };
    if (owner_ != nullptr && !is_done()) {
      owner_->help_until(is_done);
    }
  }

  worker* owner_;
  std::int64_t local_ = 0;
  // On a line of its own: a task finished elsewhere would take the line of `local_` from the owner.
  alignas(kCacheLineBytes) atomic<std::int64_t> remote_{0};
  alignas(kCacheLineBytes) atomic<bool> cancelled_{false};
  atomic<bool> thrown_{false};
  std::exception_ptr exception_;        // written by the task that set `thrown_`
  std::unique_ptr<stop_request> stop_;  // rarely used: apart, so that deep recursions stay small
};

}  // namespace fg::inline FINEGRAIN_ABI
