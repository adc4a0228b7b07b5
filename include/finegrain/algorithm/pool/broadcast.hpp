// Runs the same function on every worker of a pool.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <exception>
#include <memory>
#include <type_traits>
#include <utility>
#include <vector>

#include "finegrain/core/atomic.hpp"
#include "finegrain/core/errors.hpp"
#include "finegrain/pool/assigned_tasks.hpp"
#include "finegrain/pool/pool.hpp"
#include "finegrain/pool/presence.hpp"
#include "finegrain/pool/worker.hpp"
#include "finegrain/task/pool_task.hpp"

namespace fg::inline FINEGRAIN_ABI {

namespace detail {

/// The calls of one broadcast except the caller's own, on its stack. A call's last access here is
/// the release of `unfinished_`, which pairs with the acquire in `wait`: after the last call this
/// object may be gone.
template <class F>
class broadcast_calls {
 public:
  broadcast_calls(F& body, worker& caller)
      : body_{std::addressof(body)}, calls_(caller.home().size()) {
    // Relaxed: `assign` releases it.
    unfinished_.store(calls_.size() - (caller.is_own_thread() ? 2 : 1), memory_order_relaxed);
    for (std::size_t id = 1; id < calls_.size(); ++id) {
      if (id != caller.id()) {
        calls_[id].all = this;
        calls_[id].routine.store(&run, memory_order_relaxed);  // `assign` releases it
        caller.assign(id, calls_[id]);
      }
    }
  }
  broadcast_calls(const broadcast_calls&) = delete;
  broadcast_calls& operator=(const broadcast_calls&) = delete;

  /// On the caller: its own call, and that of number 0, which no own thread has.
  void call_here(worker& caller) noexcept {
    call(0);
    if (caller.is_own_thread()) {
      call(caller.id());
    }
  }

  /// On the caller: waits until the others have finished, running tasks meanwhile. Rethrows the
  /// first exception.
  void wait(worker& caller) {
    // Acquire: pairs with the release in run, of every call.
    caller.help_until([this] { return unfinished_.load(memory_order_acquire) == 0; });
    if (exception_) {
      std::rethrow_exception(exception_);
    }
  }

 private:
  struct assigned_call : assigned_task {
    broadcast_calls* all = nullptr;
  };

  static void run(pool_task& task) noexcept {
    broadcast_calls& all = *static_cast<assigned_call&>(task).all;
    worker& here = *worker::current();
    all.call(here.id());
    all.unfinished_.fetch_sub(1, memory_order_release);  // pairs with the acquire in wait
    here.tell_waiting();
  }

  void call(std::size_t id) noexcept {
    FINEGRAIN_TRY { static_cast<void>((*body_)(id)); }
    FINEGRAIN_CATCH(...) {
      // Relaxed: it decides which call writes; the end of that call orders the exception.
      if (!thrown_.exchange(true, memory_order_relaxed)) {
        exception_ = std::current_exception();
      }
    }
  }

  F* body_;
  std::vector<assigned_call> calls_;
  atomic<std::size_t> unfinished_{0};
  atomic<bool> thrown_{false};
  std::exception_ptr exception_;  // written by the call that set `thrown_`
};

}  // namespace detail

/// Calls `body(id)` once for every worker of the pool: 1 to size() - 1 on the pool's own threads, 0
/// on the calling thread at once; returns when all have returned. An own thread begins when it has
/// no task left, and while it waits in the same call of `run`. For per-thread work: first touches
/// of memory, counters, work divided by hand. Called on an own thread, in a task that was moved
/// there, it makes two calls on that thread.
///
/// Requires: within `run`; on a thread that is no worker it only calls `body(0)`; debug builds say
/// so, once per process. All workers share `body`. What was written before is visible to the calls;
/// what they wrote is visible to the caller afterwards. Rethrows the first exception of a call
/// after all have returned; throws std::bad_alloc before any has begun. Linear in the workers.
template <class F>
  requires std::is_invocable_v<std::remove_reference_t<F>&, std::size_t>
void broadcast(F&& body) {
  worker* const self = worker::current();
  detail::remark_if_serial(self, "broadcast");
  if (self == nullptr) {
    body(std::size_t{0});
    return;
  }
  detail::broadcast_calls<std::remove_reference_t<F>> calls{body, *self};
  calls.call_here(*self);
  calls.wait(*self);
}

/// The same on the workers of `home`: on a thread that is none of them, within `home.run`.
template <class F>
void broadcast(pool& home, F&& body) {
  home.run([&] { broadcast(std::forward<F>(body)); });
}

}  // namespace fg::inline FINEGRAIN_ABI
