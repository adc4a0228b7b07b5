// SPDX-License-Identifier: Apache-2.0
#include "finegrain/execution/parallel_scheduler.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <cstddef>
#include <exception>
#include <memory>
#include <mutex>
#include <new>
#include <optional>
#include <set>
#include <span>
#include <thread>
#include <vector>

#include "finegrain/core/atomic.hpp"
#include "finegrain/core/stop_token.hpp"
#include "support/child_process.hpp"
#include "unit/pool/pool_setting.hpp"

// A library with a parallel scheduler: the part of it that calls a backend.
// NOLINTBEGIN(misc-use-internal-linkage): the macro defines a function of it
namespace some_execution {
struct set_value_t {};

namespace parallel_scheduler_replacement {
struct receiver_proxy {
  virtual ~receiver_proxy() = default;
  virtual void set_value() noexcept = 0;
  virtual void set_error(std::exception_ptr error) noexcept = 0;
  virtual void set_stopped() noexcept = 0;

  template <class Value, class Query>
  [[nodiscard]] std::optional<Value> try_query(Query /*what*/) const noexcept {
    return token;
  }
  std::optional<fg::stop_token> token;
};
struct bulk_item_receiver_proxy : receiver_proxy {
  virtual void execute(std::size_t begin, std::size_t end) noexcept = 0;
};
struct parallel_scheduler_backend {
  virtual ~parallel_scheduler_backend() = default;
  virtual void schedule(receiver_proxy& receiver, std::span<std::byte> storage) noexcept = 0;
  virtual void schedule_bulk_chunked(std::size_t size, bulk_item_receiver_proxy& receiver,
                                     std::span<std::byte> storage) noexcept = 0;
  virtual void schedule_bulk_unchunked(std::size_t size, bulk_item_receiver_proxy& receiver,
                                       std::span<std::byte> storage) noexcept = 0;
};
std::shared_ptr<parallel_scheduler_backend> query_parallel_scheduler_backend();
}  // namespace parallel_scheduler_replacement

struct names : fg::plain_senders {
  using inplace_stop_token = fg::stop_token;
  using receiver_proxy = parallel_scheduler_replacement::receiver_proxy;
  using bulk_item_receiver_proxy = parallel_scheduler_replacement::bulk_item_receiver_proxy;
  using parallel_scheduler_backend = parallel_scheduler_replacement::parallel_scheduler_backend;
};
}  // namespace some_execution
// NOLINTEND(misc-use-internal-linkage)
namespace fg::detail {
some_execution::names senders_with(some_execution::set_value_t /*whose*/);
}

FINEGRAIN_REPLACE_PARALLEL_SCHEDULER(some_execution, fg::pool{fg::test::workers(3)});

namespace {

namespace replacement = some_execution::parallel_scheduler_replacement;
using backend_on = fg::basic_parallel_scheduler_backend<some_execution::names>;

enum class proxy_end : int { none, value, error, stopped };

// Gives its storage to the backend, and overwrites it before it tells how it was completed.
class proxy_receiver : public replacement::bulk_item_receiver_proxy {
 public:
  explicit proxy_receiver(std::size_t bytes = 72) : bytes_{bytes} {}

  std::span<std::byte> storage() { return std::span{storage_}.first(bytes_); }
  // Without being notified: the receiver is gone as soon as its owner sees that it has ended.
  proxy_end wait() {
    while (end_ == proxy_end::none) {
      std::this_thread::yield();
    }
    return end_;
  }

  void set_value() noexcept override { end(proxy_end::value); }
  void set_error(std::exception_ptr error) noexcept override {
    EXPECT_THROW(std::rethrow_exception(error), std::bad_alloc);
    end(proxy_end::error);
  }
  void set_stopped() noexcept override { end(proxy_end::stopped); }
  void execute(std::size_t /*begin*/, std::size_t /*end*/) noexcept override { ADD_FAILURE(); }

  std::thread::id where;
  const fg::pool* pool = nullptr;

 private:
  void end(proxy_end how) noexcept {
    where = std::this_thread::get_id();
    pool = fg::worker::current() != nullptr ? &fg::worker::current()->home() : nullptr;
    std::ranges::fill(storage_, std::byte{0xff});
    EXPECT_EQ(end_.exchange(how), proxy_end::none) << "completed twice";
  }

  std::size_t bytes_;
  alignas(8) std::array<std::byte, 72> storage_{};
  fg::atomic<proxy_end> end_{proxy_end::none};
};

template <class Execute>
class proxy_bulk_receiver : public proxy_receiver {
 public:
  explicit proxy_bulk_receiver(Execute execute) : execute_{execute} {}
  void execute(std::size_t begin, std::size_t end) noexcept override { execute_(begin, end); }

 private:
  Execute execute_;
};

using parallel_scheduler_on = testing::TestWithParam<fg::test::pool_setting>;
INSTANTIATE_TEST_SUITE_P(every_policy, parallel_scheduler_on,
                         testing::ValuesIn(fg::test::pool_settings({2, 3, 8})),
                         fg::test::name_of_pool_setting);

TEST_P(parallel_scheduler_on, completes_on_a_worker) {
  fg::pool pool{GetParam().options()};
  backend_on backend{pool};
  for (int round = 0; round < 100; ++round) {
    proxy_receiver receiver;
    backend.schedule(receiver, receiver.storage());
    EXPECT_EQ(receiver.wait(), proxy_end::value);
    EXPECT_EQ(receiver.pool, &pool);
  }
}

TEST_P(parallel_scheduler_on, makes_each_bulk_call_once) {
  fg::pool pool{GetParam().options()};
  backend_on backend{pool};
  for (const std::size_t size : {0U, 1U, 2U, 100U, 20'000U}) {
    std::vector<fg::atomic<int>> calls(size);
    const auto all_are = [&](int expected) {
      return std::ranges::all_of(calls, [&](int each) { return each == expected; });
    };
    const auto count = [&](std::size_t begin, std::size_t end) {
      EXPECT_LT(begin, end);
      std::for_each(calls.begin() + static_cast<std::ptrdiff_t>(begin),
                    calls.begin() + static_cast<std::ptrdiff_t>(end), [](auto& each) { ++each; });
    };
    proxy_bulk_receiver in_chunks{count};
    backend.schedule_bulk_chunked(size, in_chunks, in_chunks.storage());
    EXPECT_EQ(in_chunks.wait(), proxy_end::value);
    EXPECT_TRUE(all_are(1));
    proxy_bulk_receiver one_by_one{[&](std::size_t begin, std::size_t end) {
      EXPECT_EQ(begin + 1, end);
      count(begin, end);
    }};
    backend.schedule_bulk_unchunked(size, one_by_one, one_by_one.storage());
    EXPECT_EQ(one_by_one.wait(), proxy_end::value);
    EXPECT_TRUE(all_are(2));
  }
}

TEST(parallel_scheduler, shares_bulk_calls_among_the_workers) {
  fg::pool pool{fg::test::workers(3)};
  backend_on backend{pool};
  std::mutex mutex;
  std::set<std::thread::id> threads;
  const auto take_a_while = [&](std::size_t /*begin*/, std::size_t /*end*/) {
    std::this_thread::sleep_for(std::chrono::milliseconds{5});
    const std::lock_guard lock{mutex};
    threads.insert(std::this_thread::get_id());
  };
  proxy_bulk_receiver receiver{take_a_while};
  backend.schedule_bulk_chunked(40, receiver, receiver.storage());
  EXPECT_EQ(receiver.wait(), proxy_end::value);
  EXPECT_EQ(threads.size(), 2U);  // the pool's own threads
}

TEST(parallel_scheduler, is_stopped_if_that_is_requested) {
  fg::pool pool{fg::test::workers(2)};
  backend_on backend{pool};
  fg::stop_source source;
  proxy_receiver before;
  before.token = source.get_token();
  backend.schedule(before, before.storage());
  EXPECT_EQ(before.wait(), proxy_end::value);

  fg::atomic<std::size_t> calls{0};
  const auto stop = [&](std::size_t begin, std::size_t end) {
    calls += end - begin;
    std::this_thread::sleep_for(std::chrono::microseconds{20});
    source.request_stop();
  };
  proxy_bulk_receiver during{stop};
  during.token = source.get_token();
  backend.schedule_bulk_chunked(2'000, during, during.storage());
  EXPECT_EQ(during.wait(), proxy_end::stopped);
  EXPECT_LT(calls, 2'000U);

  proxy_receiver after;
  after.token = source.get_token();
  backend.schedule(after, after.storage());
  EXPECT_EQ(after.wait(), proxy_end::stopped);
}

TEST(parallel_scheduler, uses_the_storage_at_any_address) {
  fg::pool pool{fg::test::workers(2)};
  backend_on backend{pool};
  for (std::size_t offset = 0; offset != 8; ++offset) {
    proxy_receiver receiver;
    backend.schedule(receiver, receiver.storage().subspan(offset, 40));
    EXPECT_EQ(receiver.wait(), proxy_end::value);
    proxy_bulk_receiver bulk{[](std::size_t, std::size_t) {}};
    backend.schedule_bulk_unchunked(3, bulk, bulk.storage().subspan(offset, 40));
    EXPECT_EQ(bulk.wait(), proxy_end::value);
  }
}

TEST(parallel_scheduler, fails_without_storage) {
  fg::pool pool{fg::test::workers(2)};
  backend_on backend{pool};
  for (const std::size_t bytes : {0U, 8U}) {
    proxy_receiver receiver{bytes};
    backend.schedule(receiver, receiver.storage());
    EXPECT_EQ(receiver.wait(), proxy_end::error);
    EXPECT_EQ(receiver.where, std::this_thread::get_id());
  }
}

TEST(parallel_scheduler, completes_at_once_in_a_forked_child) {
  FINEGRAIN_TEST_NEEDS_FORK;
  fg::pool pool{fg::test::workers(2)};
  backend_on backend{pool};
  EXPECT_EQ(fg::test::in_child([&] {
              std::size_t calls = 0;
              proxy_bulk_receiver receiver{
                  [&](std::size_t begin, std::size_t end) { calls += end - begin; }};
              backend.schedule_bulk_chunked(100, receiver, receiver.storage());
              return receiver.wait() == proxy_end::value && calls == 100 ? 0 : 1;
            }),
            0);
}

TEST(parallel_scheduler, is_replaced) {
  const auto backend = replacement::query_parallel_scheduler_backend();
  EXPECT_EQ(backend, replacement::query_parallel_scheduler_backend());
  proxy_receiver receiver;
  backend->schedule(receiver, receiver.storage());
  EXPECT_EQ(receiver.wait(), proxy_end::value);
  ASSERT_NE(receiver.pool, nullptr);
  EXPECT_EQ(receiver.pool->size(), 3U);
}

}  // namespace
