// Coroutines and a pool: awaiting the result of a call there, and moving there.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "finegrain/core/config.hpp"
// After config.hpp: before C++20 this header fails with an error of its own.
#include <coroutine>
#include <type_traits>
#include <utility>

#include "finegrain/core/atomic.hpp"
#include "finegrain/execution/continuation_slot.hpp"
#include "finegrain/pool/pool.hpp"
#include "finegrain/task/outcome.hpp"
#include "finegrain/task/pool_task.hpp"

namespace fg::inline FINEGRAIN_ABI {

/// A call of `F` on a worker of a pool: see `async`. It is itself the task, and holds the callable
/// and its outcome: no allocation, not movable.
template <class F>
class [[nodiscard]] pool_async : private pool_task {
 public:
  /// What the call returns, by value.
  using value_type = typename detail::outcome<F>::value_type;

  template <class G>
  pool_async(pool& home, G&& f) : pool_{&home}, f_(std::forward<G>(f)) {
    routine.store(&run_as_task, memory_order_relaxed);  // relaxed: the queue orders it
    is_posted_ = home.post_awaited(*this);
  }
  pool_async(const pool_async&) = delete;
  pool_async& operator=(const pool_async&) = delete;

  /// Waits for the call, like `get`. An exception that was not taken is dropped. Any thread.
  ~pool_async() { wait(); }

  /// Waits for the call, then returns its result or throws its exception. Once, here or by
  /// `co_await`. Any thread: a worker of the pool runs other tasks of its own meanwhile, a thread
  /// that works in no pool sleeps. Within any pool's task, a call that has not begun is made here.
  value_type get() {
    wait();
    return outcome_.take();
  }

  [[nodiscard]] bool await_ready() const noexcept { return finished_.has_finished(); }
  bool await_suspend(std::coroutine_handle<> caller) noexcept {
    return finished_.try_leave(caller.address());
  }
  value_type await_resume() { return outcome_.take(); }

 private:
  static void run_as_task(pool_task& task) noexcept {
    auto& self = static_cast<pool_async&>(task);
    pool& home = *self.pool_;
    self.outcome_.keep_result_of(self.f_);
    if (void* const caller = self.finished_.finish()) {
      std::coroutine_handle<>::from_address(caller).resume();
    } else {
      home.tell_all_waiting();
    }
  }

  void wait() {
    const auto finished = [this] { return finished_.has_finished(); };
    if (!finished()) {
      pool_->wait_for(is_posted_ ? this : nullptr, finished);
    }
  }

  pool* pool_;
  F f_;
  detail::outcome<F> outcome_;
  detail::continuation_slot finished_;
  bool is_posted_ = false;
};

/// Passes a call of `f` to the pool now; `co_await` or `get` returns its result or throws its
/// exception.
///
///     auto parsed = fg::async(pool, [&] { return parse(text); });
///     prepare();                                // meanwhile
///     use(co_await parsed);                     // here if it has finished, else on its worker
///
/// `co_await` suspends the coroutine until `f` has ended; the worker that ran `f` resumes it. If
/// `f` has already ended, the coroutine continues at once, on its own thread. What was written
/// before is visible to `f`; what `f` wrote, and what the coroutine wrote before it was suspended,
/// is visible after `co_await` and `get`.
///
/// Any thread. On a worker of this pool `f` goes into that worker's own queue, or runs at once if
/// the queue is full or the stack deep; on other threads it begins like a posted task. Constant
/// time, no allocation; throws what copying `f` throws. Requires: the pool outlives the returned
/// object. That is awaited or got once, by one thread, and not destroyed while a coroutine waits in
/// it. An exception that leaves the coroutine's `resume` on the worker ends the program.
template <class F>
  requires std::is_invocable_v<std::decay_t<F>&>
pool_async<std::decay_t<F>> async(pool& home, F&& f) {
  return pool_async<std::decay_t<F>>{home, std::forward<F>(f)};
}

namespace detail {

/// The awaitable of `resume_on(pool)`; lies in the coroutine's frame until that is resumed.
class [[nodiscard]] pool_hop : public std::suspend_always, private pool_task {
 public:
  explicit pool_hop(pool& target) noexcept : pool_{&target} {
    routine.store(&resume, memory_order_relaxed);  // relaxed: the queue orders it
  }
  pool_hop(const pool_hop&) = delete;
  pool_hop& operator=(const pool_hop&) = delete;

  void await_suspend(std::coroutine_handle<> caller) noexcept {
    caller_ = caller;
    pool_->post(static_cast<pool_task&>(*this));  // this may be gone now
  }

 private:
  static void resume(pool_task& task) noexcept { static_cast<pool_hop&>(task).caller_.resume(); }

  pool* pool_;
  std::coroutine_handle<> caller_;
};

}  // namespace detail

/// `co_await fg::resume_on(pool)`: the coroutine continues on a worker of `pool`; the thread that
/// ran it returns from the resumption that brought it here. On a worker of this pool it lets other
/// tasks go first, or another worker take it. Any thread; no allocation; constant time. What was
/// written before is visible afterwards. A worker that runs a coroutine may use `fork_join` and
/// `task_group`, but must not await within them: a group is waited for by the worker that created
/// it.
///
/// Requires: the pool lives until the coroutine has continued. A `co_await` never throws; an
/// exception that leaves the coroutine's `resume` there ends the program.
inline detail::pool_hop resume_on(pool& target) noexcept { return detail::pool_hop{target}; }

}  // namespace fg::inline FINEGRAIN_ABI
