// Runs the same function on every worker of a pool.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <exception>
#include <memory>
#include <type_traits>
#include <utility>
#include <vector>

#include "finegrain/algorithm/pool/shared_calls.hpp"
#include "finegrain/core/atomic.hpp"
#include "finegrain/core/cache_line.hpp"
#include "finegrain/core/errors.hpp"
#include "finegrain/pool/assigned_tasks.hpp"
#include "finegrain/pool/pool.hpp"
#include "finegrain/pool/presence.hpp"
#include "finegrain/pool/worker.hpp"
#include "finegrain/task/pool_task.hpp"

namespace fg::inline FINEGRAIN_ABI {

namespace detail {

/// The calls of one broadcast except the caller's own, on its stack.
template <class F>
class alignas(kCacheLineBytes) broadcast_calls {
 public:
  broadcast_calls(F& body, worker& caller)
      : body_{std::addressof(body)},
        calls_(caller.home().size() - (caller.is_own_thread() ? 2 : 1)),
        shared_{calls_.size()},
        left_out_{caller.is_own_thread() ? caller.id() : caller.home().size()} {
    for (assigned_call& each : calls_) {
      each.all = this;
      each.routine.store(&run, memory_order_relaxed);  // `assign` releases it
    }
    shared_.hand_over_all([&](std::size_t place) { assign(place, caller); });
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
    caller.help_until([this] { return shared_.has_ended(); });
    if (exception_) {
      std::rethrow_exception(exception_);
    }
  }

 private:
  struct assigned_call : assigned_task {
    broadcast_calls* all = nullptr;
  };

  // The best of 4, 8 and 16 for 64 to 256 simulated workers (docs/scaling.md, What was mended).
  static constexpr std::size_t kBranches = 8;

  void assign(std::size_t place, worker& here) noexcept {
    here.assign(place < left_out_ ? place : place + 1, calls_[place - 1]);
  }

  static void run(pool_task& task) noexcept {
    auto& self = static_cast<assigned_call&>(task);
    broadcast_calls& all = *self.all;
    const std::size_t place = static_cast<std::size_t>(&self - all.calls_.data()) + 1;
    worker& here = *worker::current();
    all.shared_.hand_over_below(place, [&](std::size_t below) { all.assign(below, here); });
    all.call(here.id());
    all.shared_.end(place);
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

  // First what every call reads, on one line: a call of 170 ns would take 60 more with two.
  F* body_;
  std::vector<assigned_call> calls_;
  shared_calls<kBranches> shared_;
  std::size_t left_out_;  // the caller's number if that is an own thread's, which no call gets
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
/// so, once per process. Of broadcasts at the same time at most one is called on an own thread, or
/// all in the same call of `run`: each would wait for the other's thread. All workers share `body`. What was written before is visible to the calls;
/// what they wrote is visible to the caller afterwards. Rethrows the first exception of a call after
/// all have returned; throws std::bad_alloc before any has begun. Linear in the workers; those that
/// have begun hand over to others.
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
