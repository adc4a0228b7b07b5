// A pool as an executor, and as a scheduler of std::execution.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <type_traits>
#include <utility>

#include "finegrain/core/atomic.hpp"
#include "finegrain/execution/sender.hpp"
#include "finegrain/pool/pool.hpp"
#include "finegrain/task/pool_task.hpp"

namespace fg::inline FINEGRAIN_ABI {

/// A handle to a pool with `execute(f)`: what libraries want that take an executor (P0443, Asio).
///
///     boost::asio::post(fg::pool_executor{pool}, [] { parse(); });
///
/// Cheap to copy; two are equal when they name one pool. Requires: the pool outlives it. All
/// functions: any thread.
class pool_executor {
 public:
  explicit pool_executor(fg::pool& pool) noexcept : pool_{&pool} {}

  /// `pool.post(f)`, also on a worker: it never runs `f` in the call, allocates, and what is
  /// executed begins in order. Tasks that belong together are cheaper in a `task_group`.
  template <class F>
    requires std::is_invocable_v<std::decay_t<F>&>
  void execute(F&& f) const {
    pool_->post(std::forward<F>(f));
  }

  /// Asio's question whether `execute` may run the function in the call: never. `Blocking` is its
  /// property, or a value of it, whichever Asio it comes from.
  template <class Blocking, class Never = typename Blocking::polymorphic_query_result_type::never_t>
  static constexpr Never query(Blocking /*property*/) noexcept {
    return {};
  }

  [[nodiscard]] fg::pool& pool() const noexcept { return *pool_; }

  friend bool operator==(const pool_executor&, const pool_executor&) noexcept = default;

 private:
  fg::pool* pool_;
};

/// A handle to a pool whose `schedule()` is a sender that completes on a worker: P2300's scheduler,
/// by member functions as in C++26. `Senders` are the tags and queries of the library that is to
/// combine it.
///
/// Cheap to copy; two are equal when they name one pool. All functions: any thread. Requires: the
/// pool lives until every operation that was started has completed.
///
/// **An operation** holds its task itself: no allocation. `start` hands it over as
/// `pool.post(pool_task&)` does: to the own queue of a worker of this pool, which takes it when
/// what it runs now has ended, unless another one is faster; from other threads in order. So a
/// worker must not block until an operation that it has started completes. The receiver is
/// completed on a worker, stopped if that was asked for before. What was written before `start` is
/// visible there.
///
/// Source: P2300R10 and the working draft of C++26, [exec.sched].
template <class Senders>
class basic_pool_scheduler {
 public:
  using scheduler_concept = typename Senders::scheduler_tag;

  explicit basic_pool_scheduler(fg::pool& pool) noexcept : pool_{&pool} {}

  /// Constant time.
  [[nodiscard]] auto schedule() const noexcept {
    return detail::schedule_sender<Senders, basic_pool_scheduler>{*this};
  }

  [[nodiscard]] fg::pool& pool() const noexcept { return *pool_; }

  friend bool operator==(const basic_pool_scheduler&,
                         const basic_pool_scheduler&) noexcept = default;

  /// What connecting makes. Requires: it lives until the receiver is completed.
  template <class Receiver>
  class operation : private pool_task {
   public:
    using operation_state_concept = typename Senders::operation_state_tag;

    operation(basic_pool_scheduler scheduler,
              Receiver receiver) noexcept(std::is_nothrow_move_constructible_v<Receiver>)
        : pool_{scheduler.pool_}, receiver_(std::move(receiver)) {
      // Relaxed: the queue that the task goes through orders it.
      routine.store(&run_as_task, memory_order_relaxed);
    }
    operation(const operation&) = delete;
    operation& operator=(const operation&) = delete;

    /// Once.
    void start() & noexcept { pool_->post(static_cast<pool_task&>(*this)); }

   private:
    static void run_as_task(pool_task& task) noexcept {
      detail::complete_schedule<Senders>(static_cast<operation&>(task).receiver_);
    }

    fg::pool* pool_;
    Receiver receiver_;
  };

 private:
  fg::pool* pool_;
};

/// For std::execution where there is one.
using pool_scheduler = basic_pool_scheduler<default_senders>;

}  // namespace fg::inline FINEGRAIN_ABI
