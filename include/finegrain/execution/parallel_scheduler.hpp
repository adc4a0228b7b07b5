// A pool in place of the threads of C++26's parallel_scheduler. Not part of finegrain.hpp.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <exception>
#include <memory>
#include <new>
#include <span>
#include <utility>

#include "finegrain/core/atomic.hpp"
#include "finegrain/execution/bulk.hpp"
#include "finegrain/execution/sender.hpp"
#include "finegrain/pool/pool.hpp"
#include "finegrain/task/pool_task.hpp"

namespace fg::inline FINEGRAIN_ABI {

/// What a `parallel_scheduler` runs on: the workers of a pool. `Senders`: the names of its library,
/// as `stdexec_senders`. See FINEGRAIN_REPLACE_PARALLEL_SCHEDULER.
///
/// An operation begins like `pool.post(pool_task&)`: on a worker of the pool it goes into that
/// worker's own queue. It is stopped if that was requested before it begins, or while calls of a
/// bulk operation are left. These calls are shared like a `parallel_for`
/// (algorithm/pool/parallel_for.hpp), but always: the interface does not tell which loop it is.
///
/// All functions: any thread; constant time, no allocation. Requires: the pool lives until every
/// operation has completed. What was written before is visible to the operation. An operation that
/// is given less than 40 bytes for its task fails with std::bad_alloc.
///
/// Source: P2079R10; the working draft of C++26, [exec.par.scheduler] and [exec.parschedrepl].
template <class Senders>
class basic_parallel_scheduler_backend final : public Senders::parallel_scheduler_backend {
 public:
  using receiver_proxy = typename Senders::receiver_proxy;
  using bulk_item_receiver_proxy = typename Senders::bulk_item_receiver_proxy;

  explicit basic_parallel_scheduler_backend(fg::pool& pool) noexcept : pool_{&pool} {}

  void schedule(receiver_proxy& receiver, std::span<std::byte> storage) noexcept override {
    post(scheduled{receiver}, storage);
  }

  /// Calls `receiver.execute(begin, end)` for pieces of [0, size), none empty.
  void schedule_bulk_chunked(std::size_t size, bulk_item_receiver_proxy& receiver,
                             std::span<std::byte> storage) noexcept override {
    post(bulk<true>{receiver, size}, storage);
  }

  /// Calls `receiver.execute(i, i + 1)` for every index.
  void schedule_bulk_unchunked(std::size_t size, bulk_item_receiver_proxy& receiver,
                               std::span<std::byte> storage) noexcept override {
    post(bulk<false>{receiver, size}, storage);
  }

 private:
  static auto stop_token_of(const receiver_proxy& receiver) noexcept {
    using token = typename Senders::inplace_stop_token;
    // Without a token: one that never stops.
    return receiver.template try_query<token>(typename Senders::get_stop_token_t{})
        .value_or(token{});
  }

  // What is in the task, and how to run it. It is copied out first: the storage may be gone once
  // the receiver is completed.
  struct scheduled {
    receiver_proxy& receiver;

    void run() const noexcept {
      stop_token_of(receiver).stop_requested() ? receiver.set_stopped() : receiver.set_value();
    }
  };

  template <bool IsChunked>
  struct bulk {
    bulk_item_receiver_proxy& receiver;
    std::size_t size;

    void run() const noexcept {
      constexpr detail::bulk_kind kKind{.is_chunked = IsChunked, .is_parallel = true};
      const auto execute = [this](std::uint64_t begin, std::uint64_t end) {
        if constexpr (IsChunked) {
          receiver.execute(begin, end);
        } else {
          for (; begin != end; ++begin) {
            receiver.execute(begin, begin + 1);
          }
        }
      };
      using no_site = void (*)();  // a function pointer, which tells no place in the source
      detail::run_bulk<no_site>(size, kKind, stop_token_of(receiver), execute)
          ? receiver.set_value()
          : receiver.set_stopped();
    }
  };

  template <class Work>
  struct task : pool_task {
    explicit task(const Work& its_work) noexcept : work{its_work} {
      routine.store(&run, memory_order_relaxed);  // relaxed: the queue orders it
    }
    static void run(pool_task& self) noexcept {
      const Work own = static_cast<task&>(self).work;
      own.run();
    }
    Work work;
  };

  template <class Work>
  void post(const Work& work, std::span<std::byte> storage) noexcept {
    using task_type = task<Work>;
    static_assert(sizeof(task_type) + alignof(task_type) <= 40);
    void* place = storage.data();
    std::size_t room = storage.size();
    if (std::align(alignof(task_type), sizeof(task_type), place, room) == nullptr) {
      work.receiver.set_error(std::make_exception_ptr(std::bad_alloc{}));
      return;
    }
    // The task has no destructor to call.
    pool_->post(static_cast<pool_task&>(*::new (place) task_type{work}));
  }

  fg::pool* pool_;
};

}  // namespace fg::inline FINEGRAIN_ABI

/// Written once in a program, outside of namespaces: makes its `get_parallel_scheduler()` run on a
/// pool. The first parameter is the namespace of the library, std::execution or stdexec; the second
/// one is a pool of the program, or makes one when it is first needed, which lives until exit.
///
///     FINEGRAIN_REPLACE_PARALLEL_SCHEDULER(stdexec, fg::pool{})
///
/// It defines the library's replaceable function `query_parallel_scheduler_backend`.
#define FINEGRAIN_REPLACE_PARALLEL_SCHEDULER(execution, ...)                                       \
  auto execution::parallel_scheduler_replacement::query_parallel_scheduler_backend()               \
      -> ::std::shared_ptr<parallel_scheduler_backend> {                                           \
    static auto&& finegrain_pool = __VA_ARGS__;                                                    \
    static const auto finegrain_backend =                                                          \
        ::std::make_shared<::fg::basic_parallel_scheduler_backend<                                 \
            decltype(::fg::detail::senders_with(::std::declval<set_value_t>()))>>(finegrain_pool); \
    return finegrain_backend;                                                                      \
  }                                                                                                \
  static_assert(true)
