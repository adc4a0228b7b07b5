// The assistant's side of a relic.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <exception>
#include <new>
#include <optional>
#include <string>
#include <type_traits>
#include <utility>

#include "finegrain/core/atomic.hpp"
#include "finegrain/core/cache_line.hpp"
#include "finegrain/core/clock.hpp"
#include "finegrain/core/errors.hpp"
#include "finegrain/host/system.hpp"
#include "finegrain/relic/assistant_role.hpp"
#include "finegrain/relic/handoff_ring.hpp"
#include "finegrain/relic/relic_options.hpp"
#include "finegrain/relic/rest_plan.hpp"
#include "finegrain/relic/sleep_orders.hpp"
#include "finegrain/trace/trace.hpp"
#include "finegrain/wait/futex.hpp"
#include "finegrain/wait/sleep_gate.hpp"
#include "finegrain/wait/spin_meter.hpp"
#include "finegrain/wait/wait.hpp"

namespace fg::inline FINEGRAIN_ABI::detail {

/// What the main thread and the assistant share, and the assistant's loop: look for the next task,
/// run it, sleep when allowed. It owns no thread: `run` is the body of the relic's thread, and
/// `run_published_until` lets the main thread act as the assistant.
template <wait_policy Wait>
class assistant {
 public:
  static constexpr std::size_t kQueueCapacity = 128;  // relic-2024, section VI.A

  explicit assistant(const relic_options& options)
      : rest_{options},
        hinted_budget_ticks_{budget_ticks(options.hinted_budget)},
        name_{options.thread_name} {}

  // ---- both threads, each its own end ----

  [[nodiscard]] handoff_ring<kQueueCapacity>& ring() noexcept { return ring_; }
  [[nodiscard]] const handoff_ring<kQueueCapacity>& ring() const noexcept { return ring_; }

  // ---- main thread ----

  [[nodiscard]] sleep_gate& gate() noexcept { return gate_; }
  [[nodiscard]] const sleep_gate& gate() const noexcept { return gate_; }
  [[nodiscard]] sleep_orders& orders() noexcept { return orders_; }
  [[nodiscard]] rest_plan& rest() noexcept { return rest_; }
  [[nodiscard]] const rest_plan& rest() const noexcept { return rest_; }

  /// The first exception since the last call, null if none. Requires: `drained` has shown that the
  /// tasks that may have thrown have finished.
  [[nodiscard]] std::exception_ptr take_exception() noexcept {
    return first_exception_ ? std::exchange(first_exception_, nullptr) : nullptr;
  }
  [[nodiscard]] bool has_exception() const noexcept { return first_exception_ != nullptr; }

  /// In a forked child in which tasks were given up: stores `thrown` instead of the exception,
  /// which the tasks may just have been writing.
  void replace_exception(std::exception_ptr thrown) noexcept {
    ::new (static_cast<void*>(&first_exception_)) std::exception_ptr{std::move(thrown)};
  }

  /// Runs published tasks, as the assistant, until `done()`, which is asked before each, or none is
  /// left. Returns how many. Requires: there is no assistant, or the main thread has its role.
  template <class Done>
  std::uint64_t run_published_until(Done done) noexcept {
    const std::uint64_t before = ring_.completed();
    trace_log* const trace = trace_of_this_thread();
    for (task_record* task = nullptr; !done() && (task = ring_.try_next()) != nullptr;) {
      const trace_span span{trace, task_span.name()};
      run(*task);
    }
    return ring_.completed() - before;
  }

  /// True if the assistant sleeps or is waking: the main thread acts in its place until `end_help`.
  [[nodiscard]] bool begin_help() noexcept { return role_.try_take(); }
  void end_help() noexcept { role_.give_back(); }

  // ---- assistant ----

  /// Runs tasks until one of them has called `leave`.
  void run() noexcept {
    watch_for_throttling();
    trace_ = trace_of_this_thread(name_.c_str());
    if (trace_ == nullptr) {
      while (!leaving_) {
        run(next_task());
      }
    } else {
      run_traced();
    }
  }

  /// Called by a task, which is the last one of all.
  void leave() noexcept { leaving_ = true; }

  // ---- any thread ----

  [[nodiscard]] double spun_ticks() const noexcept { return meter_.spun_ticks(); }
  // Relaxed: a counter.
  [[nodiscard]] std::uint64_t sleeps() const noexcept { return sleeps_.load(memory_order_relaxed); }

 private:
  void run(task_record& task) noexcept {
    FINEGRAIN_TRY {
      [[maybe_unused]] const zone shown{task_span};
      task.run();
    }
    FINEGRAIN_CATCH(...) {
      if (!first_exception_) {
        first_exception_ = std::current_exception();
      }
    }
    ring_.complete();
  }

  // Traces all tasks but the last one, which is the relic's own.
  void run_traced() noexcept {
    while (!leaving_) {
      task_record& task = next_task();
      const std::uint64_t begin = ticks();
      run(task);
      if (!leaving_) {
        trace_->add(task_span.name(), begin);
      }
    }
  }

  task_record& next_task() noexcept {
    task_record* task = ring_.try_next();
    while (task == nullptr) [[unlikely]] {
      task = look_for_task();
    }
    return *task;
  }

  // Returns the next task, or null after a sleep.
  task_record* look_for_task() noexcept {
    spin_wait<Wait> wait;
    const auto arrived = [this] { return ring_.try_next() != nullptr; };
    for (;;) {
      const bool clock_was_read = wait(ring_.task_line(), arrived);
      if constexpr (!std::is_same_v<Wait, spin>) {  // without a pause it would take it all the time
        prefetch_for_write(ring_.task_line());
      }
      if (task_record* const task = ring_.try_next()) {
        meter_.add_looks(wait.looks());
        if (rest_.is_pause()) {
          rest_.end_pause(wait.now() != 0 ? wait.now() : ticks());
        }
        return task;
      }
      if (clock_was_read && idle(wait)) {
        meter_.add_looks(wait.looks());
        return nullptr;
      }
    }
  }

  // Called every `kLooksPerClockRead` looks without a task. True after a sleep.
  bool idle(const spin_wait<Wait>& wait) noexcept {
    if (wait.span_ticks() != 0) {
      meter_.add_timed(spin_wait<Wait>::kLooksPerClockRead, wait.span_ticks());
    }
    if (Wait::kSleepsByItself && !rest_.is_pause()) {
      rest_.begin_pause(wait.now() - wait.waited_ticks());
    }
    const std::uint64_t order = orders_.current();
    return may_sleep(order, wait) && sleep(order);
  }

  [[nodiscard]] bool may_sleep(std::uint64_t order, const spin_wait<Wait>& wait) noexcept {
    if (sleep_orders::asks_for_sleep(order, ring_.completed())) {
      return true;
    }
    if (!Wait::kSleepsByItself) {
      return false;
    }
    if (sleep_orders::asks_to_stay_awake(order) && order != expired_order_) {
      if (wait.waited_ticks() < hinted_budget_ticks_) {
        return false;
      }
      expired_order_ = order;
      return true;
    }
    return rest_.has_looked_enough(wait.now()) || is_throttled();
  }

  // Sleeps unless there is a task, or another order than `order`, which allowed it. Whether it
  // slept or not, the current order and the ring have to be checked again.
  bool sleep(std::uint64_t order) noexcept {
    const library_span span{trace_, sleep_span};
    const auto has_reason_to_stay = [&] {
      if (has_news(order)) {
        return true;
      }
      role_.give_up();
      return false;
    };
    const bool was_told = sleep_orders::asks_for_sleep(order, ring_.completed());
    const std::chrono::nanoseconds limit =
        Wait::kSleepsByItself && !was_told ? rest_.sleep_for(ticks()) : std::chrono::nanoseconds{0};
    bool has_role = false;
    const bool slept = limit.count() == 0 ? gate_.sleep_unless(has_reason_to_stay)
                                          : doze_unless(has_reason_to_stay, limit, order, has_role);
    if (slept) {
      if (!has_role) {
        take_role_back();
        rest_.was_woken();
      }
      // Relaxed: a counter of one writer, which orders nothing.
      sleeps_.store(sleeps_.load(memory_order_relaxed) + 1, memory_order_relaxed);
    }
    return true;
  }

  // Spins for some time: the main thread runs short tasks, and if this thread slept it might be late
  // for each gap between two of them.
  void take_role_back() noexcept {
    const auto may_be_free = [this] { return !role_.is_mains(); };
    for (spin_wait<Wait> wait; !role_.try_take_back();) {
      if (wait(&role_, may_be_free) && wait.waited_ticks() >= to_ticks(kLongestHelp)) {
        role_.take_back();
        return;
      }
    }
  }

  [[nodiscard]] bool has_news(std::uint64_t order) noexcept {
    return ring_.try_next() != nullptr || orders_.current() != order;
  }

  template <class HasReasonToStay>
  bool doze_unless(HasReasonToStay stays, std::chrono::nanoseconds limit, std::uint64_t order,
                   bool& has_role) noexcept {
    [[maybe_unused]] const futex::punctual timer;
    return gate_.doze_unless(stays, limit, [&] { return doze_on(order, has_role); });
  }

  // How long to doze on; zero if it has to get up: it has the role then.
  std::chrono::nanoseconds doze_on(std::uint64_t order, bool& has_role) noexcept {
    if (!role_.try_take_back()) {
      return rest_.doze_again(ticks());  // the main thread runs what there is
    }
    const std::uint64_t now = ticks();
    if (!rest_.expects_task(now) && !has_news(order)) {
      // Not longer: the main thread may have read when it wakes before this changed, and leave it
      // asleep with a task. A longer sleep is announced anew.
      const std::chrono::nanoseconds limit = rest_.sleep_for(now);
      if (limit.count() != 0 && limit <= rest_plan::kDoze) {
        role_.give_up();
        return limit;
      }
    }
    has_role = true;
    return std::chrono::nanoseconds{0};
  }

  void watch_for_throttling() noexcept {
    FINEGRAIN_TRY {
      if (quota_cpus()) {
        throttling_.emplace();
      }
    }
    // NOLINTNEXTLINE(bugprone-empty-catch): it keeps spinning
    FINEGRAIN_CATCH(const std::bad_alloc&) {}
  }

  // Under a CPU quota, each look costs time that the main thread lacks later. So once the group was
  // throttled, the assistant does not spin until some time has passed without throttling.
  bool is_throttled() noexcept {
    if (!throttling_) {
      return false;
    }
    const std::uint64_t now = ticks();
    if (now - throttle_checked_ >= to_ticks(kThrottleCheckEvery)) {
      throttle_checked_ = now;
      if (throttling_->throttled_since_last_look()) {
        throttled_until_ = now + to_ticks(kBackOffAfterThrottling);
      }
    }
    return now < throttled_until_;
  }

  // Longer than main helps in a burst before it finds wake-ups worth it again (wake_up_value.hpp).
  static constexpr std::chrono::microseconds kLongestHelp{200};

  // A quota's period is 100 ms by default: one look in each tenth of it is enough.
  static constexpr std::chrono::milliseconds kThrottleCheckEvery{10};
  static constexpr std::chrono::milliseconds kBackOffAfterThrottling{1000};

  handoff_ring<kQueueCapacity> ring_;

  // Rarely written, so both threads keep these lines in their caches: `submit` reads the gate,
  // `wait` the exception. The assistant writes the exception before a `complete`, the main thread
  // after a `drained` that saw it; that pair orders all accesses.
  alignas(kCacheLineBytes) sleep_gate gate_;
  assistant_role role_;
  sleep_orders orders_;
  std::exception_ptr first_exception_;

  // Used by the assistant only; other threads read the counters.
  alignas(kCacheLineBytes) bool leaving_ = false;
  rest_plan rest_;
  std::uint64_t hinted_budget_ticks_;
  std::uint64_t expired_order_ = 0;  // an order to stay awake that has expired
  spin_meter meter_;
  atomic<std::uint64_t> sleeps_{0};
  trace_log* trace_ = nullptr;
  std::string name_;                          // of its thread
  std::optional<throttle_watch> throttling_;  // only if there is a quota
  std::uint64_t throttle_checked_ = 0;
  std::uint64_t throttled_until_ = 0;
};

}  // namespace fg::inline FINEGRAIN_ABI::detail
