// A pool as an executor, and as a scheduler of std::execution.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <concepts>
#include <type_traits>
#include <utility>

#include "finegrain/core/atomic.hpp"
#include "finegrain/execution/sender.hpp"
#include "finegrain/pool/pool.hpp"
#include "finegrain/task/pool_task.hpp"

namespace fg::inline FINEGRAIN_ABI {

/// A handle to a pool with `execute(f)`, for libraries that take an executor (P0443, Asio).
///
///     boost::asio::post(fg::pool_executor{pool}, [] { parse(); });
///
/// Cheap to copy; equal if of the same pool. Requires: the pool outlives it. Any thread.
class pool_executor {
 public:
  explicit pool_executor(fg::pool& pool) noexcept : pool_{&pool} {}

  /// `pool.post(f)`, also on a worker: it never runs `f` within the call, it allocates, and
  /// closures begin in order. Tasks that belong together are cheaper in a `task_group`.
  template <class F>
    requires std::is_invocable_v<std::decay_t<F>&>
  void execute(F&& f) const {
    pool_->post(std::forward<F>(f));
  }

  /// Asio's query whether `execute` may run the function within the call: never. `Blocking` is
  /// Asio's property, or a value of it, from any version of Asio.
  template <class Blocking, class Never = typename Blocking::polymorphic_query_result_type::never_t>
  static constexpr Never query(Blocking /*property*/) noexcept {
    return {};
  }

  [[nodiscard]] fg::pool& pool() const noexcept { return *pool_; }

  friend bool operator==(const pool_executor&, const pool_executor&) noexcept = default;

 private:
  fg::pool* pool_;
};

/// A handle to a pool whose `schedule()` is a sender that completes on a worker: the scheduler of
/// P2300R10 and of C++26, [exec.sched]. `Senders`: the names of the library that uses it. The bulk
/// algorithms that follow on it are loops on the workers (execution/bulk.hpp).
///
/// Cheap to copy; equal if of the same pool. Requires: the pool outlives its operations. Any thread.
/// **An operation** holds its task itself: no allocation. `start` passes it on like
/// `pool.post(pool_task&)`. A worker puts it into its own queue, for later or another worker, so it
/// must not block until an operation it has started completes; from other threads operations begin
/// in order. The receiver is completed on a worker, as stopped if that was requested before. What was
/// written before `start` is visible there.
template <class Senders>
class basic_pool_scheduler {
 public:
  using scheduler_concept = typename Senders::scheduler_tag;

  explicit basic_pool_scheduler(fg::pool& pool) noexcept : pool_{&pool} {}

  [[nodiscard]] auto schedule() const noexcept {
    return detail::schedule_sender<Senders, basic_pool_scheduler>{*this};
  }
  template <std::same_as<typename Senders::get_completion_domain_t> Query>
  static constexpr auto query(Query /*domain*/) noexcept {
    return typename Senders::pool_domain{};
  }

  [[nodiscard]] fg::pool& pool() const noexcept { return *pool_; }

  friend bool operator==(const basic_pool_scheduler&,
                         const basic_pool_scheduler&) noexcept = default;

  /// The result of `connect`. Requires: it lives until the receiver is completed.
  template <class Receiver>
  class operation : private pool_task {
   public:
    using operation_state_concept = typename Senders::operation_state_tag;

    operation(basic_pool_scheduler scheduler,
              Receiver receiver) noexcept(std::is_nothrow_move_constructible_v<Receiver>)
        : pool_{scheduler.pool_}, receiver_(std::move(receiver)) {
      routine.store(&run_as_task, memory_order_relaxed);  // relaxed: the queue orders it
    }
    operation(const operation&) = delete;
    operation& operator=(const operation&) = delete;

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

/// For std::execution, if the standard library has it.
using pool_scheduler = basic_pool_scheduler<default_senders>;

}  // namespace fg::inline FINEGRAIN_ABI

#if defined(__cpp_lib_senders)
#include "finegrain/execution/bulk.hpp"
#endif
