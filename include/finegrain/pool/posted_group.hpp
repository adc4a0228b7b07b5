// A group of posted tasks of one priority that are waited for together.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <exception>
#include <memory>
#include <optional>
#include <type_traits>
#include <utility>

#include "finegrain/core/atomic.hpp"
#include "finegrain/core/errors.hpp"
#include "finegrain/core/stop_token.hpp"
#include "finegrain/pool/pool.hpp"
#include "finegrain/pool/posted_tasks.hpp"
#include "finegrain/pool/presence.hpp"
#include "finegrain/task/pool_task.hpp"

namespace fg::inline FINEGRAIN_ABI {

/// Posts tasks to a pool and waits for all of them. Unlike the tasks of a `task_group` they have a
/// priority, and any thread may create the group. For coarse-grained work: each task takes an
/// allocation and a lock.
///
///     fg::posted_group decoding{pool, fg::task_priority::background};
///     for (auto& asset : assets) decoding.spawn([&asset] { asset.decode(); });
///     …                                          // frames, meanwhile
///     decoding.wait();
///
/// Exceptions: the first one that a task throws cancels the group, and `wait` rethrows it.
///
/// Memory order: what was written before `spawn` is visible to the task; what the tasks wrote is
/// visible to the thread that returns from `wait`.
///
/// ## Lifetime of a task
/// A task is in the pool's queue and in the group's list. The first thread to get it, one of the
/// pool or the one that waits, runs it; the last one frees it.
class posted_group {
 public:
  /// Requires: the pool outlives it. Cancelled for good once `stop` is requested. Any thread.
  explicit posted_group(pool& home, task_priority priority = task_priority::normal,
                        stop_token stop = {}) noexcept
      : home_{home}, priority_{priority}, stop_{std::move(stop)} {}

  /// Waits; drops an exception that no `wait` has rethrown.
  ~posted_group() { finish(); }
  posted_group(const posted_group&) = delete;
  posted_group& operator=(const posted_group&) = delete;

  /// Runs a copy of `closure`, a callable without arguments, as a task posted at the group's
  /// priority, or in `wait`. Does nothing once the group is cancelled. Any thread while no thread
  /// is in `wait`, and tasks of the group. Throws what copying the closure throws, or
  /// std::bad_alloc; then nothing was spawned. An exception of the task goes to `wait`.
  template <class F>
    requires std::is_invocable_v<std::decay_t<F>&>
  void spawn(F&& closure) {
    if (is_cancelled()) {
      return;
    }
    task& spawned =
        *std::make_unique<task_of<std::decay_t<F>>>(*this, std::forward<F>(closure)).release();
    // Relaxed: whatever spawns during a wait is a task that is counted itself.
    unfinished_.fetch_add(1, memory_order_relaxed);
    add_to_list(spawned);
    home_.post(priority_, spawned);
    home_.tell_all_waiting();  // a thread in `wait` may sleep because there was no task to run
  }

  /// Returns when all tasks have finished, including those that they spawned here; then rethrows
  /// the first exception, if any. Afterwards the group can be used again, unless it was asked to
  /// stop. One thread at a time. A thread that works in some pool, so that others may wait for it,
  /// runs the tasks that have not begun, and tasks of its region (worker.hpp); other threads sleep.
  /// Not within a task of the group.
  void wait() {
    finish();
    cancelled_.store(false, memory_order_relaxed);        // no other thread uses the group now
    if (thrown_.exchange(false, memory_order_relaxed)) {  // `finish` has acquired it
      std::rethrow_exception(std::exchange(exception_, nullptr));
    }
  }

  /// Drops the tasks that have not begun; running ones may check `is_cancelled`. Any thread.
  /// Relaxed, like `is_cancelled`.
  void cancel() noexcept { cancelled_.store(true, memory_order_relaxed); }

  /// Relaxed: it is a request, and orders nothing.
  [[nodiscard]] bool is_cancelled() const noexcept {
    return cancelled_.load(memory_order_relaxed) || stop_.stop_requested();
  }

 private:
  struct task : pool_task {
    task(posted_group& its_group, void (*how)(task&) noexcept) noexcept
        : group{its_group}, run_and_destroy{how} {
      routine.store(&run_from_queue, memory_order_relaxed);  // the inbox's lock orders it
    }
    virtual ~task() = default;

    static void run_from_queue(pool_task& queued) noexcept {
      auto& self = static_cast<task&>(queued);
      self.run_if_first();
      self.release();
    }

    void run_if_first() noexcept {
      // Relaxed: it decides which thread runs the closure; the queue and the list publish the task.
      if (!begun.exchange(true, memory_order_relaxed)) {
        posted_group& its_group = group;
        run_and_destroy(*this);
        its_group.count_finished();
      }
    }

    void release() noexcept {
      // Release and acquire: the last holder frees what the other has used.
      if (holders.fetch_sub(1, memory_order_acq_rel) == 1) {
        delete this;
      }
    }

    posted_group& group;
    void (*run_and_destroy)(task&) noexcept;
    task* next = nullptr;  // in the group's list
    atomic<bool> begun{false};
    atomic<int> holders{2};  // the queue, the list
  };

  template <class F>
  struct task_of final : task {
    template <class G>
    task_of(posted_group& its_group, G&& closure)
        : task{its_group, &run_closure}, stored{std::forward<G>(closure)} {}

    static void run_closure(task& base) noexcept {
      auto& self = static_cast<task_of&>(base);
      if (!self.group.is_cancelled()) {
        self.group.run_guarded(*self.stored);
      }
      self.stored.reset();  // before it counts as finished: what it refers to may be destroyed then
    }

    std::optional<F> stored;
  };

  void add_to_list(task& spawned) noexcept {
    // Relaxed: the exchange checks it.
    spawned.next = newest_.load(memory_order_relaxed);
    // Release: pairs with the acquire in for_each_in_list. Relaxed on failure: as above.
    while (!newest_.compare_exchange_weak(spawned.next, &spawned, memory_order_release,
                                          memory_order_relaxed)) {
    }
  }

  // In the order of spawning. Empties the list.
  template <class Use>
  void for_each_in_list(Use use) noexcept {
    task* newest = newest_.exchange(nullptr, memory_order_acquire);  // pairs with add_to_list
    task* oldest = nullptr;
    while (newest != nullptr) {
      task* const next = std::exchange(newest->next, oldest);
      oldest = std::exchange(newest, next);
    }
    while (oldest != nullptr) {
      task& each = *std::exchange(oldest, oldest->next);
      use(each);
      each.release();
    }
  }

  template <class F>
  void run_guarded(F& closure) noexcept {
    FINEGRAIN_TRY { static_cast<void>(closure()); }
    FINEGRAIN_CATCH(...) {
      cancel();
      // Relaxed: it decides which task writes; the completion's release orders that before `wait`.
      if (!thrown_.exchange(true, memory_order_relaxed)) {
        exception_ = std::current_exception();
      }
    }
  }

  void count_finished() noexcept {
    pool& home = home_;
    // Release: pairs with the acquire in has_finished. The group may be gone after this.
    if (unfinished_.fetch_sub(1, memory_order_release) == 1) {
      home.tell_all_waiting();
    }
  }

  [[nodiscard]] bool has_finished() const noexcept {
    return unfinished_.load(memory_order_acquire) == 0;  // pairs with count_finished
  }

  void finish() {
    while (detail::presence::in_any() && !has_finished()) {
      const auto run_here = [this] { for_each_in_list([](task& each) { each.run_if_first(); }); };
      home_.run(run_here);
      home_.wait_for(nullptr, [this] {
        // Relaxed, the second: a hint that for_each_in_list, which acquires, finds a task.
        return has_finished() || newest_.load(memory_order_relaxed) != nullptr;
      });
    }
    home_.wait_for(nullptr, [this] { return has_finished(); });
    for_each_in_list([](task&) {});
  }

  pool& home_;
  task_priority priority_;
  stop_token stop_;
  atomic<std::int64_t> unfinished_{0};
  atomic<task*> newest_{nullptr};
  atomic<bool> cancelled_{false};
  atomic<bool> thrown_{false};
  std::exception_ptr exception_;  // written by the task that set `thrown_`
};

}  // namespace fg::inline FINEGRAIN_ABI
