// A pool whose workers have settled, and whose threads are the scenario's: replaces the shipped
// pool/pool.hpp and pool/pool_threads.hpp, whose start and end (see pool_life) would
// multiply the executions of a scenario by some hundreds. It repeats `run`, `post` and `live`
// without the parts for CPUs and forked processes.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <memory>
#include <optional>
#include <type_traits>
#include <utility>
#include <vector>

#include "finegrain/balance/private_deque_balance.hpp"
#include "finegrain/pool/arena.hpp"
#include "finegrain/pool/presence.hpp"
#include "finegrain/pool/spare_life.hpp"
#include "finegrain/pool/worker.hpp"

namespace fg::inline FINEGRAIN_ABI {

/// Under the default policy. Worker 0 is the caller of `run`.
class pool {
 public:
  /// With a slot for a second caller, and one for the spare thread, if `callers` is 2.
  explicit pool(std::size_t workers, std::size_t callers = 1)
      : arena_{*this, workers - 1, callers, options(), detail::spare_thread::life{}} {
    arena_.threads = workers - 1;
    arena_.idle.use_number(workers - 1);
    std::vector<detail::private_deque*> deques;
    for (std::size_t id = 0; id < arena_.idle.workers(); ++id) {
      workers_.push_back(std::make_unique<worker>(arena_, id));
      deques.push_back(&workers_.back()->deque());
      arena_.workers.push_back(workers_.back().get());
      workers_.back()->look_out();
    }
    policy_.emplace(std::move(deques), arena_.idle);
    arena_.policy = &*policy_;
    for (const std::unique_ptr<worker>& each : workers_) {
      each->use_policy(*policy_, true);
    }
    take_lock_once();
  }
  pool(const pool&) = delete;
  pool& operator=(const pool&) = delete;

  [[nodiscard]] detail::arena& shared() noexcept { return arena_; }
  [[nodiscard]] std::size_t size() const noexcept { return arena_.threads + 1; }

  template <class F>
  std::invoke_result_t<F&> run(F&& f) {
    if (const detail::presence* const here = detail::presence::in(*this)) {
      const detail::presence again{*here};
      return f();
    }
    const std::optional<std::size_t> place = arena_.callers.claim();
    struct leave_at_exit {
      detail::caller_slots& callers;
      std::size_t place;
      ~leave_at_exit() { callers.leave(place); }
    } const leaving{arena_.callers, *place};
    return detail::work_as(*workers_[arena_.number_of_caller(*place)], nullptr, f);
  }

  template <class F>
  void post(F&& closure) {
    auto task = std::make_unique<posted_task<std::decay_t<F>>>(std::forward<F>(closure));
    static_cast<void>(arena_.post(*task.release()));
  }

  /// The main loop of each worker except the first, on a thread of the scenario.
  void live(std::size_t id) {
    worker& self = *workers_[id];
    const detail::presence present{self, false};
    self.serve_until([this] { return arena_.end.has_begun(); });
  }

  /// That of the spare thread, on another one.
  void live_as_spare() {
    arena_.end.add_participant();
    detail::live_as_spare(arena_.spare, &arena_);
  }

  /// The scenario calls it to end the threads when there is nothing left to do. It rests first, so
  /// that the spare thread does not wait for any thread.
  void stop() {
    static_cast<void>(arena_.end.rest());
    arena_.end.begin();
    arena_.wake_all();
  }

 private:
  static pool_options options() {
    pool_options chosen;
    chosen.help_stack_bytes = std::size_t{1} << 16U;
    chosen.wait = "spin_then_sleep";
    chosen.spin_budget = std::chrono::microseconds{0};
    return chosen;
  }

  template <class F>
  struct posted_task : pool_task {
    explicit posted_task(F closure) : closure_(std::move(closure)) {
      routine.store(&run_and_delete, memory_order_relaxed);
    }
    static void run_and_delete(pool_task& task) noexcept {
      auto* const self = &static_cast<posted_task&>(task);
      static_cast<void>(self->closure_());
      delete self;
    }
    F closure_;
  };

  // As the checker requires it, before the threads start.
  void take_lock_once() {
    pool_task nothing{nullptr, nullptr};
    arena_.posted.put(nothing, task_priority::normal);
    arena_.posted.take(task_priority::normal);
  }

  detail::arena arena_;
  std::optional<detail::private_deque_balance> policy_;
  std::vector<std::unique_ptr<worker>> workers_;
};

}  // namespace fg::inline FINEGRAIN_ABI
