// SPDX-License-Identifier: Apache-2.0
#include "finegrain/execution/pool_scheduler.hpp"

#include <gtest/gtest.h>

#include <chrono>
#include <cstddef>
#include <deque>
#include <memory>
#include <thread>
#include <type_traits>
#include <utility>

#include "finegrain/core/atomic.hpp"
#include "support/child_process.hpp"
#include "unit/execution/test_receiver.hpp"
#include "unit/pool/pool_setting.hpp"

namespace {

using fg::test::completion;
using fg::test::receiver;
using fg::test::stoppable_receiver;
using fg::test::workers;

static_assert(fg::test::plain_scheduler<fg::pool_scheduler>);

template <class Then>
auto connect(fg::pool& pool, completion& told, Then then) {
  return fg::pool_scheduler{pool}.schedule().connect(receiver<Then>{&told, then});
}

using pool_scheduler_of = testing::TestWithParam<fg::test::pool_setting>;
INSTANTIATE_TEST_SUITE_P(every_policy, pool_scheduler_of,
                         testing::ValuesIn(fg::test::pool_settings({2, 3, 8})),
                         fg::test::name_of_pool_setting);

TEST_P(pool_scheduler_of, completes_on_a_worker) {
  fg::pool pool{GetParam().options()};
  const int written = 7;
  for (int round = 0; round < 100; ++round) {
    completion told;
    int seen = 0;
    auto operation = connect(pool, told, [&]() noexcept {
      seen = &fg::worker::current()->home() == &pool ? written : -1;
    });
    operation.start();
    EXPECT_EQ(told.wait(), completion::kind::value);
    EXPECT_EQ(seen, written);
    EXPECT_NE(told.where, std::this_thread::get_id());
  }
}

// Each completion starts the next operation, from a worker: through its own queue.
struct relay {
  fg::pool* pool;
  completion* end;
  int left;

  struct next {
    using receiver_concept = fg::plain_senders::receiver_tag;
    relay* self;
    void set_value() const noexcept { self->go_on(); }
    static void set_stopped() noexcept { ADD_FAILURE() << "nobody asked for it"; }
  };
  using operation_type = fg::pool_scheduler::operation<next>;
  std::deque<std::unique_ptr<operation_type>> made;

  void go_on() {
    if (left-- == 0) {
      end->end(completion::kind::value);
      return;
    }
    made.emplace_back(new operation_type{fg::pool_scheduler{*pool}, next{this}});
    made.back()->start();
  }
};

TEST_P(pool_scheduler_of, completes_what_is_started_on_a_worker) {
  completion end;
  relay chain{.pool = nullptr, .end = &end, .left = 10'000, .made = {}};
  fg::pool pool{GetParam().options()};
  chain.pool = &pool;
  chain.go_on();
  EXPECT_EQ(end.wait(), completion::kind::value);
  EXPECT_EQ(chain.made.size(), 10'000U);
}

// More than a queue holds, from one worker.
TEST_P(pool_scheduler_of, completes_what_finds_a_queue_full) {
  fg::pool_options options = GetParam().options();
  options.queue_capacity = 8;
  fg::pool pool{options};
  fg::atomic<int> ran{0};
  bool starting = true;  // on this thread
  const auto count = [&, main = std::this_thread::get_id()]() noexcept {
    ++ran;
    EXPECT_FALSE(std::this_thread::get_id() == main && starting);
  };
  using operation_type = decltype(connect(pool, std::declval<completion&>(), count));
  std::deque<completion> told(1000);
  std::deque<std::unique_ptr<operation_type>> operations;
  pool.run([&] {
    for (completion& each : told) {
      operations.emplace_back(new operation_type{connect(pool, each, count)})->start();
    }
    starting = false;
  });
  for (const completion& each : told) {
    EXPECT_EQ(each.wait(), completion::kind::value);
  }
  EXPECT_EQ(ran, 1000);
}

// If tasks run serially nothing can be pushed, and nothing may run in `start`.
TEST(pool_scheduler, does_not_complete_within_start) {
  fg::pool_options options = workers(2);
  options.help_stack_bytes = 1;
  fg::pool pool{options};
  completion inner_told;
  completion outer_told;
  bool within_start = false;
  auto inner = connect(pool, inner_told, []() noexcept {});
  auto outer = connect(pool, outer_told, [&]() noexcept {
    inner.start();
    within_start =
        inner_told.how == completion::kind::value && inner_told.where == std::this_thread::get_id();
  });
  outer.start();
  EXPECT_EQ(outer_told.wait(), completion::kind::value);
  EXPECT_EQ(inner_told.wait(), completion::kind::value);
  EXPECT_FALSE(within_start);
}

TEST(pool_scheduler, completes_stopped_where_that_was_asked_for_before) {
  fg::pool pool{workers(2)};
  bool ran = false;
  const auto then = [&]() noexcept { ran = true; };
  for (const bool asked : {true, false}) {
    completion told;
    auto operation = fg::pool_scheduler{pool}.schedule().connect(
        stoppable_receiver<decltype(then)>{{&told, then}, &asked});
    operation.start();
    EXPECT_EQ(told.wait(), asked ? completion::kind::stopped : completion::kind::value);
    EXPECT_EQ(ran, !asked);
  }
}

TEST(pool_scheduler, is_the_scheduler_of_what_it_schedules) {
  fg::pool one{workers(1)};
  fg::pool other{workers(1)};
  const fg::pool_scheduler scheduler{one};
  using senders = fg::plain_senders;
  const auto env = scheduler.schedule().get_env();
  EXPECT_EQ(env.query(senders::get_completion_scheduler_t<senders::set_value_t>{}), scheduler);
  EXPECT_EQ(env.query(senders::get_completion_scheduler_t<senders::set_stopped_t>{}), scheduler);
  EXPECT_NE(scheduler, fg::pool_scheduler{other});
}

TEST(pool_scheduler, a_pool_waits_for_what_other_threads_have_started) {
  for (std::size_t count = 1; count <= 3; ++count) {
    int ran = 0;
    const auto then = [&ran]() noexcept {
      std::this_thread::sleep_for(std::chrono::milliseconds{20});
      ++ran;
    };
    completion told;
    using operation_type = fg::pool_scheduler::operation<receiver<std::decay_t<decltype(then)>>>;
    std::unique_ptr<operation_type> operation;
    {
      fg::pool pool{workers(count)};
      operation = std::make_unique<operation_type>(
          fg::pool_scheduler{pool}, receiver<std::decay_t<decltype(then)>>{&told, then});
      operation->start();
    }
    EXPECT_EQ(ran, 1);
  }
}

TEST(pool_scheduler, completes_at_once_in_a_forked_child) {
  FINEGRAIN_TEST_NEEDS_FORK;
  fg::pool pool{workers(2)};
  EXPECT_EQ(fg::test::in_child([&] {
              completion told;
              auto operation = connect(pool, told, []() noexcept {});
              operation.start();
              return told.how == completion::kind::value ? 0 : 1;
            }),
            0);
}

TEST(pool_executor, executes_on_a_worker) {
  completion told;
  fg::pool pool{workers(2)};
  const fg::pool_executor executor{pool};
  executor.execute([&, own = std::make_unique<int>(5)] {
    EXPECT_EQ(*own, 5);
    EXPECT_EQ(&fg::worker::current()->home(), &pool);
    told.end(completion::kind::value);
  });
  EXPECT_EQ(told.wait(), completion::kind::value);
  EXPECT_NE(told.where, std::this_thread::get_id());
}

TEST(pool_executor, never_runs_in_the_call) {
  bool calling = false;  // on this thread
  fg::pool pool{workers(1)};
  pool.run([&] {
    calling = true;
    fg::pool_executor{pool}.execute([&, caller = std::this_thread::get_id()] {
      EXPECT_FALSE(std::this_thread::get_id() == caller && calling);
    });
    calling = false;
  });
  fg::pool other{workers(1)};
  EXPECT_EQ(fg::pool_executor{pool}, fg::pool_executor{pool});
  EXPECT_NE(fg::pool_executor{pool}, fg::pool_executor{other});
  static_assert(std::is_nothrow_move_constructible_v<fg::pool_executor>);
}

}  // namespace
