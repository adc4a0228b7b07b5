// The tasks that were posted to a pool, by priority.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <utility>

#include "finegrain/core/atomic.hpp"
#include "finegrain/core/clock.hpp"
#include "finegrain/pool/inbox.hpp"
#include "finegrain/task/pool_task.hpp"

namespace fg::inline FINEGRAIN_ABI {

/// How soon a posted task begins (docs/pool.md).
enum class task_priority : std::uint8_t {
  high,       ///< before all that other threads have spawned
  normal,     ///< when there is nothing to steal, within a millisecond if possible
  background  ///< when no thread of the pool has anything else to do
};

namespace detail {

/// One inbox per priority; tasks of the highest priority are taken first.
///
/// **Starvation.** A priority from which no task was taken for `kMostWait`, although it had one,
/// goes first, once. So a task waits no longer than that for each task posted before it at its
/// priority, plus for whatever a thread is running then.
class posted_tasks {
 public:
  /// For each priority. 10 ms: a hundredth of the second in which people notice that nothing
  /// happens. 100 ms: one background task per ten of these, which costs a program with 60 frames
  /// per second every sixth frame.
  static constexpr std::array<std::chrono::milliseconds, 3> kMostWait{
      std::chrono::milliseconds{0}, std::chrono::milliseconds{10}, std::chrono::milliseconds{100}};

  posted_tasks() = default;
  posted_tasks(const posted_tasks&) = delete;
  posted_tasks& operator=(const posted_tasks&) = delete;

  /// Like `inbox::put`. Any thread.
  template <class Published = decltype([] {})>
  void put(pool_task& task, task_priority priority, Published published = {}) noexcept {
    level& at = level_of(priority);
    if (priority != task_priority::high && !at.tasks.has_work_guess()) {
      at.begin_waiting();
    }
    at.tasks.put(task, std::move(published));
  }

  /// The oldest task of the highest priority that has one and is at least `least`; a priority that
  /// has waited too long counts as high. Null if there is none. Any thread.
  pool_task* take(task_priority least) noexcept {
    for (std::size_t each = levels_.size(); --each != 0;) {
      if (levels_[each].has_waited(kMostWait[each])) {
        if (pool_task* const task = take_from(each)) {
          return task;
        }
      }
    }
    for (std::size_t each = 0; each <= static_cast<std::size_t>(least); ++each) {
      if (pool_task* const task = take_from(each)) {
        return task;
      }
    }
    return nullptr;
  }

  /// Removes this task if it is still queued. Any thread. Linear in the tasks put before it.
  bool remove(const pool_task& task) noexcept {
    bool removed = false;
    for (level& each : levels_) {
      removed = removed || each.tasks.remove(task);
    }
    return removed;
  }

  /// Like `inbox::has_work_guess`. Any thread.
  [[nodiscard]] bool has_work_guess() const noexcept {
    bool any = false;
    for (const level& each : levels_) {
      any = any || each.tasks.has_work_guess();
    }
    return any;
  }

 private:
  struct level {
    inbox tasks;
    // In ticks: when a task was last taken. Relaxed throughout: seen late, a turn comes late.
    atomic<std::uint64_t> waiting_since{0};

    void begin_waiting() noexcept { waiting_since.store(ticks(), memory_order_relaxed); }
    [[nodiscard]] bool has_waited(std::chrono::nanoseconds time) const noexcept {
      // Relaxed: see waiting_since.
      return tasks.has_work_guess() &&
             ticks() - waiting_since.load(memory_order_relaxed) > to_ticks(time);
    }
  };

  [[nodiscard]] level& level_of(task_priority priority) noexcept {
    return levels_[static_cast<std::size_t>(priority)];
  }

  pool_task* take_from(std::size_t number) noexcept {
    level& at = levels_[number];
    pool_task* const task = at.tasks.take();
    if (task != nullptr && number != 0) {
      at.begin_waiting();
    }
    return task;
  }

  std::array<level, 3> levels_;
};

}  // namespace detail

}  // namespace fg::inline FINEGRAIN_ABI
