// SPDX-License-Identifier: Apache-2.0
#include "finegrain/execution/relic_scheduler.hpp"

#include <gtest/gtest.h>

#include <stdexcept>
#include <thread>
#include <type_traits>
#include <vector>

#include "finegrain/host/affinity.hpp"
#include "finegrain/relic/relic.hpp"
#include "support/on_thread.hpp"
#include "support/relic_modes.hpp"
#include "support/restrict_to_cpu.hpp"
#include "unit/execution/test_receiver.hpp"

namespace {

using fg::test::completion;
using fg::test::receiver;
using fg::test::stoppable_receiver;
using fg::test::with_relics_of_both_modes;

static_assert(fg::test::plain_scheduler<fg::relic_scheduler>);

template <class Then>
auto connect_to(fg::relic& relic, completion& told, Then then) {
  return fg::relic_scheduler{relic}.schedule().connect(receiver<Then>{&told, then});
}

TEST(relic_scheduler, completes_on_the_assistant) {
  with_relics_of_both_modes([](fg::relic& relic) {
    for (int round = 0; round < 1000; ++round) {
      completion told;
      bool in_task = false;
      auto operation =
          connect_to(relic, told, [&]() noexcept { in_task = relic.called_by_task(); });
      operation.start();
      EXPECT_EQ(told.wait(), completion::kind::value);
      EXPECT_EQ(told.where == std::this_thread::get_id(), relic.inline_mode());
      relic.wait();
      EXPECT_TRUE(in_task);
      EXPECT_FALSE(relic.called_by_task());
    }
  });
}

TEST(relic_scheduler, completes_at_once_in_a_task) {
  with_relics_of_both_modes([](fg::relic& relic) {
    completion inner_told;
    completion outer_told;
    auto inner = connect_to(relic, inner_told, []() noexcept {});
    bool at_once = false;
    auto outer = connect_to(relic, outer_told, [&]() noexcept {
      inner.start();
      at_once = inner_told.how == completion::kind::value;
    });
    outer.start();
    relic.wait();
    EXPECT_TRUE(at_once);
  });
}

TEST(relic_scheduler, completes_stopped_where_that_was_asked_for_before) {
  fg::relic relic;
  bool ran = false;
  const auto then = [&]() noexcept { ran = true; };
  for (const bool asked : {true, false}) {
    completion told;
    auto operation = fg::relic_scheduler{relic}.schedule().connect(
        stoppable_receiver<decltype(then)>{{&told, then}, &asked});
    operation.start();
    relic.wait();
    EXPECT_EQ(told.how, asked ? completion::kind::stopped : completion::kind::value);
    EXPECT_EQ(ran, !asked);
  }
}

TEST(relic_scheduler, is_the_scheduler_of_what_it_schedules) {
  fg::relic one;
  fg::relic other;
  const fg::relic_scheduler scheduler{one};
  using senders = fg::plain_senders;
  const auto env = scheduler.schedule().get_env();
  EXPECT_EQ(env.query(senders::get_completion_scheduler_t<senders::set_value_t>{}), scheduler);
  EXPECT_NE(scheduler, fg::relic_scheduler{other});
}

TEST(relic_executor, executes_in_order_and_at_once_in_a_task) {
  with_relics_of_both_modes([](fg::relic& relic) {
    const fg::relic_executor executor{relic};
    std::vector<int> order;
    executor.execute([&] {
      order.push_back(1);
      executor.execute([&] { order.push_back(2); });
      order.push_back(3);
    });
    executor.execute([&] { order.push_back(4); });
    relic.wait();
    EXPECT_EQ(order, (std::vector{1, 2, 3, 4}));
  });
}

TEST(relic_executor, leaves_exceptions_to_wait) {
  fg::relic relic;
  const fg::relic_executor executor{relic};
  executor.execute([] { throw std::runtime_error{"thrown"}; });
  EXPECT_THROW(relic.wait(), std::runtime_error);
  fg::relic other;
  EXPECT_EQ(executor, fg::relic_executor{relic});
  EXPECT_NE(executor, fg::relic_executor{other});
  static_assert(std::is_nothrow_move_constructible_v<fg::relic_executor>);
}

}  // namespace
