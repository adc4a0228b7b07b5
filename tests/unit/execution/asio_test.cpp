// The executors under Boost.Asio, which our headers do not include.
// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <boost/asio/bind_executor.hpp>
#include <boost/asio/defer.hpp>
#include <boost/asio/dispatch.hpp>
#include <boost/asio/execution.hpp>
#include <boost/asio/post.hpp>
#include <boost/asio/use_future.hpp>
#include <chrono>
#include <system_error>
#include <utility>  // Asio 1.74 omits it

#include "finegrain/core/atomic.hpp"
#include "finegrain/execution/bounded_executor.hpp"
#include "finegrain/execution/pool_scheduler.hpp"
#include "finegrain/execution/relic_scheduler.hpp"
#include "unit/pool/pool_setting.hpp"

namespace {

namespace asio = boost::asio;

static_assert(asio::execution::is_executor<fg::pool_executor>::value);
static_assert(asio::execution::is_executor<fg::relic_executor>::value);
static_assert(asio::execution::is_executor<fg::bounded_executor>::value);
static_assert(fg::pool_executor::query(asio::execution::blocking_t{}) ==
              asio::execution::blocking_t::never_t{});

TEST(asio, posts_to_a_pool) {
  fg::atomic<int> ran{0};
  {
    fg::pool pool{fg::test::workers(2)};
    const fg::pool_executor executor{pool};
    const auto count = [&] { ran += fg::worker::current() != nullptr ? 1 : 0; };
    asio::post(executor, count);
    asio::defer(executor, count);
    asio::dispatch(executor, count);
    asio::execution::execute(executor, count);
    asio::post(asio::bind_executor(executor, count));
    asio::post(executor, asio::use_future).get();
  }
  EXPECT_EQ(ran, 5);
}

TEST(asio, posts_within_a_bound) {
  fg::atomic<bool> may_go_on{false};
  fg::pool pool{fg::test::workers(1)};  // one thread, the spare one
  const fg::bounded_executor executor{pool, 2, std::chrono::milliseconds{50}};
  const auto block = [&] { may_go_on.wait(false); };
  int refused = 0;
  for (int i = 0; i < 4; ++i) {  // one begins, two wait
    try {
      asio::post(executor, block);
    } catch (const std::system_error&) {
      ++refused;
    }
  }
  EXPECT_EQ(refused, 1);
  may_go_on = true;
  may_go_on.notify_all();
}

TEST(asio, executes_on_an_assistant) {
  int ran = 0;
  fg::relic relic;
  const fg::relic_executor executor{relic};
  asio::execution::execute(executor, [&] { ++ran; });
  asio::dispatch(executor, [&] { ++ran; });
  relic.wait();
  EXPECT_EQ(ran, 2);
}

}  // namespace
