// A coroutine moves to a pool.
#pragma once

#include "finegrain/core/config.hpp"
// And only then what has an error of its own before C++20.
#include <coroutine>

#include "finegrain/core/atomic.hpp"
#include "finegrain/pool/pool.hpp"
#include "finegrain/task/pool_task.hpp"

namespace fg::inline FINEGRAIN_ABI {

namespace detail {

/// What `resume_on(pool)` awaits; lies in the coroutine's frame until that is resumed.
class [[nodiscard]] pool_hop : public std::suspend_always, private pool_task {
 public:
  explicit pool_hop(pool& target) noexcept : pool_{&target} {
    routine.store(&resume, memory_order_relaxed);  // relaxed: the queue orders it
  }
  pool_hop(const pool_hop&) = delete;
  pool_hop& operator=(const pool_hop&) = delete;

  void await_suspend(std::coroutine_handle<> caller) noexcept {
    caller_ = caller;
    pool_->post(static_cast<pool_task&>(*this));  // and may be gone
  }

 private:
  static void resume(pool_task& task) noexcept { static_cast<pool_hop&>(task).caller_.resume(); }

  pool* pool_;
  std::coroutine_handle<> caller_;
};

}  // namespace detail

/// `co_await fg::resume_on(pool)`: the coroutine goes on on a worker of `pool`; whoever ran it goes
/// on behind the resumption that brought it here. On a worker of this pool it lets others go first,
/// or another worker take it. Any thread; no allocation; constant time. What was written before is
/// visible afterwards. A worker that runs a coroutine may use `fork_join` and `task_group`, but may
/// not await within them: a group is waited for by the worker that made it.
///
/// Requires: the pool lives until the coroutine has gone on. A `co_await` never throws; an
/// exception that leaves the coroutine's `resume` there ends the program.
inline detail::pool_hop resume_on(pool& target) noexcept { return detail::pool_hop{target}; }

}  // namespace fg::inline FINEGRAIN_ABI
