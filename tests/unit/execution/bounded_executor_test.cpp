// SPDX-License-Identifier: Apache-2.0
#include "finegrain/execution/bounded_executor.hpp"

#include <gtest/gtest.h>

#include <chrono>
#include <cstddef>
#include <memory>
#include <stdexcept>
#include <system_error>
#include <thread>
#include <type_traits>
#include <utility>
#include <vector>

#include "finegrain/core/atomic.hpp"
#include "finegrain/pool/pool.hpp"
#include "unit/pool/pool_setting.hpp"

namespace {

using bounded_clock = std::chrono::steady_clock;
using std::chrono::milliseconds;

static_assert(std::is_nothrow_copy_constructible_v<fg::bounded_executor>);
static_assert(std::is_nothrow_move_constructible_v<fg::bounded_executor>);

// A pool of one thread, the spare one, which is in a task until it is told to go on.
class blocked_pool {
 public:
  blocked_pool() {
    pool.post([this] {
      has_begun_ = true;
      has_begun_.notify_all();
      may_go_on_.wait(false);
    });
    has_begun_.wait(false);
  }
  ~blocked_pool() { go_on(); }
  blocked_pool(const blocked_pool&) = delete;
  blocked_pool& operator=(const blocked_pool&) = delete;

  void go_on() {
    may_go_on_ = true;
    may_go_on_.notify_all();
  }

 private:
  fg::atomic<bool> has_begun_{false};
  fg::atomic<bool> may_go_on_{false};

 public:
  fg::pool pool{fg::test::workers(1)};
};

TEST(bounded_executor, executes_on_a_thread_of_the_pool) {
  fg::atomic<int> ran{0};
  {
    fg::pool pool{fg::test::workers(2)};
    const fg::bounded_executor executor{pool, 2, milliseconds{10'000}};
    EXPECT_EQ(&executor.pool(), &pool);
    for (int i = 0; i < 100; ++i) {
      executor.execute([&, own = std::make_unique<int>(1)] {
        EXPECT_EQ(&fg::worker::current()->home(), &pool);
        ran += *own;
      });
    }
  }
  EXPECT_EQ(ran, 100);
}

TEST(bounded_executor, takes_no_more_than_may_wait) {
  fg::atomic<int> ran{0};
  {
    blocked_pool blocked;
    const fg::bounded_executor executor{blocked.pool, 3, milliseconds{20}};
    const fg::bounded_executor copy = executor;
    const auto count = [&] { ++ran; };
    EXPECT_TRUE(executor.try_execute(count));
    EXPECT_TRUE(copy.try_execute(count));
    executor.execute(count);
    EXPECT_FALSE(executor.try_execute(count));
    EXPECT_FALSE(copy.try_execute(count));
    EXPECT_EQ(ran, 0);
    EXPECT_TRUE((fg::bounded_executor{blocked.pool, 1, milliseconds{0}}.try_execute(count)));
  }
  EXPECT_EQ(ran, 4);
}

TEST(bounded_executor, lets_a_server_refuse) {
  fg::atomic<int> answered{0};
  int refused = 0;
  const auto answer = [&](int /*request*/) { ++answered; };
  const auto refuse = [&](int /*request*/) { ++refused; };
  {
    blocked_pool blocked;
    fg::pool& pool = blocked.pool;
    const fg::bounded_executor executor{pool, 1'000, std::chrono::milliseconds{5}};
    for (int request = 0; request < 1'100; ++request) {
      if (!executor.try_execute([=] { answer(request); })) {
        refuse(request);
      }
    }
  }
  EXPECT_EQ(answered, 1'000);
  EXPECT_EQ(refused, 100);
}

TEST(bounded_executor, waits_as_long_as_it_may_and_says_so) {
  blocked_pool blocked;
  const fg::bounded_executor executor{blocked.pool, 1, milliseconds{20}};
  executor.execute([] {});
  const auto fail = [] { ADD_FAILURE() << "executed"; };
  const auto start = bounded_clock::now();
  EXPECT_FALSE(executor.try_execute_for(milliseconds{15}, fail));
  const auto middle = bounded_clock::now();
  EXPECT_GE(middle - start, milliseconds{15});
  try {
    executor.execute(fail);
    ADD_FAILURE() << "there is no place";
  } catch (const std::system_error& error) {
    EXPECT_EQ(error.code(), std::errc::timed_out);
  }
  EXPECT_GE(bounded_clock::now() - middle, milliseconds{20});
}

TEST(bounded_executor, continues_when_a_closure_has_begun) {
  fg::atomic<int> ran{0};
  fg::atomic<bool> may_end{false};
  {
    blocked_pool blocked;
    const fg::bounded_executor executor{blocked.pool, 1, std::chrono::nanoseconds::max()};
    executor.execute([&] {
      ++ran;
      may_end.wait(false);  // its place is free by then
    });
    std::thread later{[&] {
      std::this_thread::sleep_for(milliseconds{10});
      blocked.go_on();
    }};
    executor.execute([&] { ++ran; });
    EXPECT_LT(ran, 2);
    may_end = true;
    may_end.notify_all();
    later.join();
  }
  EXPECT_EQ(ran, 2);
}

TEST(bounded_executor, keeps_the_place_if_a_closure_cannot_be_copied) {
  struct refuses {
    refuses() = default;
    refuses(const refuses& /*other*/) { throw std::runtime_error{"refused"}; }
    void operator()() const {}
  };
  blocked_pool blocked;
  const fg::bounded_executor executor{blocked.pool, 1, milliseconds{0}};
  const refuses closure;
  EXPECT_THROW(executor.execute(closure), std::runtime_error);
  EXPECT_TRUE(executor.try_execute([] {}));
}

TEST(bounded_executor, serves_many_threads) {
  constexpr int kEach = 2'000;
  fg::atomic<int> ran{0};
  {
    fg::pool pool{fg::test::workers(3)};
    const fg::bounded_executor executor{pool, 2, milliseconds{60'000}};
    std::vector<std::thread> threads;
    for (int thread = 0; thread < 4; ++thread) {
      threads.emplace_back([&ran, executor] {
        for (int i = 0; i < kEach; ++i) {
          executor.execute([&ran] { ++ran; });
        }
      });
    }
    for (std::thread& each : threads) {
      each.join();
    }
  }
  EXPECT_EQ(ran, 4 * kEach);
}

TEST(bounded_executor, equals_its_copies) {
  fg::pool pool{fg::test::workers(1)};
  const fg::bounded_executor one{pool, 1, milliseconds{1}};
  const fg::bounded_executor other{pool, 1, milliseconds{1}};
  EXPECT_EQ(one, fg::bounded_executor{one});
  EXPECT_NE(one, other);
}

}  // namespace
