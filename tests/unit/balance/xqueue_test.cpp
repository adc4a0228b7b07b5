// The X-OpenMP policies without a pool around them: what a worker would call, step by step and by
// several threads.
// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <cstddef>
#include <functional>
#include <memory>
#include <string>
#include <tuple>
#include <vector>

#include "finegrain/balance/idle_workers.hpp"
#include "finegrain/balance/xqueue_nowait.hpp"
#include "finegrain/balance/xqueue_static.hpp"
#include "finegrain/balance/xqueue_wait.hpp"
#include "finegrain/task/pool_task.hpp"
#include "support/balancer_run.hpp"
#include "support/numbered_tasks.hpp"

namespace {

struct xqueue_case {
  std::string name;
  std::function<std::unique_ptr<fg::detail::balancer>(std::size_t, fg::detail::idle_workers&)> make;
};

std::vector<xqueue_case> xqueue_cases() {
  return {
      {"static",
       [](std::size_t workers, fg::detail::idle_workers& idle) {
         return std::make_unique<fg::detail::xqueue_static>(workers, idle);
       }},
      {"wait",
       [](std::size_t workers, fg::detail::idle_workers& idle) {
         return std::make_unique<fg::detail::xqueue_wait>(workers, idle);
       }},
      {"wait_least",  // gives up before its second check: nearly all answers come late
       [](std::size_t workers, fg::detail::idle_workers& idle) {
         return std::make_unique<fg::detail::xqueue_wait>(workers, idle,
                                                          fg::detail::xqueue_wait::patience{1, 1});
       }},
      {"nowait",
       [](std::size_t workers, fg::detail::idle_workers& idle) {
         return std::make_unique<fg::detail::xqueue_nowait>(workers, idle);
       }},
      {"nowait_2",
       [](std::size_t workers, fg::detail::idle_workers& idle) {
         return std::make_unique<fg::detail::xqueue_nowait>(workers, idle, 2);
       }},
  };
}

// ---- all policies, several threads ----

using policy_and_workers = std::tuple<std::size_t, std::size_t>;

class xqueue_policies : public testing::TestWithParam<policy_and_workers> {
 protected:
  [[nodiscard]] static std::size_t workers() { return std::get<1>(GetParam()); }
  [[nodiscard]] static std::unique_ptr<fg::detail::balancer> make(fg::detail::idle_workers& idle) {
    return xqueue_cases()[std::get<0>(GetParam())].make(workers(), idle);
  }
};

TEST_P(xqueue_policies, run_every_task_once) {
  const std::size_t each = 20'000 / workers();
  for (const std::size_t first_producer : {std::size_t{0}, workers() - 1}) {
    fg::detail::idle_workers idle{workers()};
    const std::unique_ptr<fg::detail::balancer> policy = make(idle);
    fg::test::balancer_run run{*policy, idle, workers()};
    run.run_flat(first_producer, workers(), each);
    run.run(workers() - first_producer, each);
    for (std::size_t worker = 0; worker < workers(); ++worker) {
      EXPECT_EQ(policy->pop(worker), nullptr);
    }
  }
}

TEST_P(xqueue_policies, refuse_when_the_rings_are_full) {
  fg::detail::idle_workers idle{workers()};
  const std::unique_ptr<fg::detail::balancer> policy = make(idle);
  const std::size_t room = workers() * fg::detail::xqueue::kRingCapacity;
  std::vector<fg::pool_task> tasks(room + 1);
  for (std::size_t i = 0; i < room; ++i) {
    ASSERT_TRUE(policy->push(0, tasks[i]));
  }
  EXPECT_FALSE(policy->push(0, tasks[room]));
  for (std::size_t worker = 0; worker < workers(); ++worker) {
    EXPECT_TRUE(policy->has_work_guess(worker));
  }
  // Round by round: that last check may have asked others, whose answers come on the way.
  std::size_t got = 0;
  for (std::size_t before = room + 1; before != got;) {
    before = got;
    for (std::size_t worker = 0; worker < workers(); ++worker) {
      got += policy->pop(worker) != nullptr ? 1U : 0U;
    }
  }
  EXPECT_EQ(got, room);
}

// A posted task that forks runs without a worker 0.
TEST_P(xqueue_policies, others_take_what_was_pushed_to_aworker0_that_is_away) {
  if (workers() < 2) {
    return;
  }
  fg::detail::idle_workers idle{workers()};
  const std::unique_ptr<fg::detail::balancer> policy = make(idle);
  std::vector<fg::pool_task> tasks(workers());
  for (fg::pool_task& task : tasks) {
    ASSERT_TRUE(policy->push(1, task));
  }
  EXPECT_TRUE(policy->has_work_guess(workers() - 1));
  std::size_t got = 0;
  for (int look = 0; look < 5000 && got < tasks.size(); ++look) {
    for (std::size_t worker = 1; worker < workers(); ++worker) {
      got += policy->pop(worker) != nullptr ? 1U : 0U;
      got += policy->steal(worker) != nullptr ? 1U : 0U;
    }
  }
  EXPECT_EQ(got, tasks.size());
}

std::string name_of(const testing::TestParamInfo<policy_and_workers>& info) {
  return xqueue_cases()[std::get<0>(info.param)].name + "_" +
         std::to_string(std::get<1>(info.param));
}

INSTANTIATE_TEST_SUITE_P(all, xqueue_policies,
                         testing::Combine(testing::Range<std::size_t>(0, 5),
                                          testing::Values<std::size_t>(1, 2, 3, 8)),
                         name_of);

// ---- step by step, on one thread ----

constexpr std::size_t kVictim = 0;
constexpr std::size_t kThief = 1;

class xqueue_steps : public fg::test::numbered_tasks {
 protected:
  // Pushes until the victim's own queue has `count` tasks; every second one goes to the thief,
  // which takes it.
  void fill_victim(fg::detail::balancer& policy, std::size_t count) {
    for (std::size_t i = 0; i < count; ++i) {
      ASSERT_TRUE(policy.push(kVictim, task(2 * i)));
      ASSERT_TRUE(policy.push(kVictim, task(2 * i + 1)));
      ASSERT_EQ(policy.pop(kThief), &task(2 * i + 1));
    }
  }
  // The first `count` tasks, distributed to all in turn, first to `worker`.
  void push(fg::detail::balancer& policy, std::size_t worker, std::size_t count) {
    for (std::size_t i = 0; i < count; ++i) {
      ASSERT_TRUE(policy.push(worker, task(i)));
    }
  }

  fg::detail::idle_workers idle_{3};
};

class xqueue_static : public xqueue_steps {};

class xqueue_wait : public xqueue_steps {
 protected:
  fg::detail::xqueue_wait policy_{2, idle_};
};

class xqueue_nowait : public xqueue_steps {};

TEST_F(xqueue_static, deals_out_in_turn) {
  fg::detail::xqueue_static policy{3, idle_};
  push(policy, 1, 6);
  for (const std::size_t worker : {1U, 2U, 0U}) {
    const std::size_t first = (worker + 2) % 3;
    EXPECT_EQ(policy.pop(worker), &task(first));
    EXPECT_EQ(policy.pop(worker), &task(first + 3));
    EXPECT_EQ(policy.pop(worker), nullptr);
    EXPECT_EQ(policy.steal(worker), nullptr);
  }
}

TEST_F(xqueue_wait, late_answer_is_found_by_pop) {
  fill_victim(policy_, 3);
  EXPECT_EQ(policy_.steal(kThief), nullptr);  // asks, waits, gives up: no answer comes meanwhile
  EXPECT_EQ(policy_.pop(kThief), nullptr);
  EXPECT_FALSE(policy_.has_work_guess(kThief) && policy_.pop(kThief) != nullptr);
  EXPECT_EQ(policy_.pop(kVictim), &task(0));
  EXPECT_TRUE(policy_.has_work_guess(kThief));
  EXPECT_EQ(policy_.pop(kThief), &task(2));
  EXPECT_EQ(policy_.pop(kVictim), &task(4));  // one request, one answer
  EXPECT_EQ(policy_.pop(kThief), nullptr);
}

TEST_F(xqueue_wait, late_answer_is_found_by_steal_before_it_asks_again) {
  fill_victim(policy_, 5);
  EXPECT_EQ(policy_.steal(kThief), nullptr);
  EXPECT_EQ(policy_.pop(kVictim), &task(0));
  EXPECT_EQ(policy_.steal(kThief), &task(2));
  EXPECT_EQ(policy_.pop(kVictim), &task(4));  // it has not asked again
  EXPECT_EQ(policy_.pop(kThief), nullptr);
}

TEST_F(xqueue_wait, thief_has_one_request_only) {
  fg::detail::xqueue_wait three{3, idle_};
  push(three, 0, 12);  // four for each: worker 1, the thief, takes its own
  for (int i = 0; i < 4; ++i) {
    ASSERT_NE(three.pop(kThief), nullptr);
  }
  for (int i = 0; i < 20; ++i) {  // asks both others in turn, and withdraws
    EXPECT_EQ(three.steal(kThief), nullptr);
  }
  EXPECT_NE(three.pop(0), nullptr);
  EXPECT_NE(three.pop(2), nullptr);
  EXPECT_NE(three.pop(kThief), nullptr);
  EXPECT_EQ(three.pop(kThief), nullptr);
  std::size_t left = 0;
  while (three.pop(0) != nullptr || three.pop(2) != nullptr) {
    ++left;
  }
  EXPECT_EQ(left, 5U);  // of eight: two taken, one given away
}

TEST_F(xqueue_wait, idle_worker_refuses) {
  EXPECT_EQ(policy_.steal(kVictim), nullptr);  // has nothing itself: refuses from now on
  EXPECT_EQ(policy_.steal(kThief), nullptr);
  fill_victim(policy_, 3);
  EXPECT_EQ(policy_.pop(kVictim), &task(0));
  EXPECT_EQ(policy_.pop(kThief), nullptr);    // was not able to ask
  EXPECT_EQ(policy_.steal(kThief), nullptr);  // now it is
  EXPECT_EQ(policy_.pop(kVictim), &task(2));
  EXPECT_EQ(policy_.pop(kThief), &task(4));
}

TEST_F(xqueue_wait, victim_keeps_its_last_task) {
  fill_victim(policy_, 1);
  EXPECT_EQ(policy_.steal(kThief), nullptr);
  EXPECT_EQ(policy_.pop(kVictim), &task(0));
  EXPECT_EQ(policy_.pop(kThief), nullptr);
  push(policy_, kVictim, 3);
  EXPECT_EQ(policy_.pop(kThief), &task(1));
  EXPECT_EQ(policy_.pop(kVictim), &task(0));
  EXPECT_EQ(policy_.pop(kThief), &task(2));  // the request still stood
}

TEST_F(xqueue_wait, task_from_others_ends_the_refusal) {
  EXPECT_EQ(policy_.steal(1), nullptr);  // refuses from now on
  push(policy_, 0, 6);                   // 0, 1, 0, 1, 0, 1
  EXPECT_EQ(policy_.pop(1), &task(1));
  EXPECT_EQ(policy_.steal(0), nullptr);
  EXPECT_EQ(policy_.pop(1), &task(3));
  EXPECT_EQ(policy_.pop(0), &task(5));
}

TEST_F(xqueue_wait, asks_before_it_sleeps) {
  fill_victim(policy_, 2);
  policy_.has_work_guess(kThief);
  EXPECT_EQ(policy_.pop(kVictim), &task(0));
  EXPECT_EQ(policy_.pop(kThief), &task(2));
}

TEST_F(xqueue_wait, others_take_the_answer_for_aworker0_that_is_away) {
  push(policy_, 1, 4);  // 1, 0, 1, 0
  EXPECT_EQ(policy_.pop(0), &task(1));
  EXPECT_EQ(policy_.pop(0), &task(3));
  EXPECT_EQ(policy_.steal(0), nullptr);  // asks, then leaves
  EXPECT_EQ(policy_.pop(1), &task(0));
  EXPECT_EQ(policy_.pop(1), nullptr);  // the other one is in the mailbox
  EXPECT_TRUE(policy_.has_work_guess(1));
  fg::pool_task* answer = nullptr;
  for (int look = 0; look < 5000 && answer == nullptr; ++look) {
    answer = policy_.steal(1);
  }
  EXPECT_EQ(answer, &task(2));
}

TEST_F(xqueue_nowait, answers_at_pop) {
  for (const std::size_t steal_size : {1U, 2U}) {
    fg::detail::xqueue_nowait policy{2, idle_, steal_size};
    fill_victim(policy, 5);
    EXPECT_EQ(policy.steal(kThief), nullptr);
    EXPECT_EQ(policy.pop(kThief), nullptr);
    EXPECT_EQ(policy.pop(kVictim), &task(0));
    EXPECT_TRUE(policy.has_work_guess(kThief));  // asks again, too
    for (std::size_t i = 0; i < steal_size; ++i) {
      EXPECT_EQ(policy.pop(kThief), &task(2 + 2 * i));
    }
    EXPECT_EQ(policy.pop(kThief), nullptr);
  }
}

TEST_F(xqueue_nowait, answers_at_push) {
  for (const std::size_t steal_size : {1U, 2U}) {
    fg::detail::xqueue_nowait policy{2, idle_, steal_size};
    fill_victim(policy, 3);
    EXPECT_EQ(policy.steal(kThief), nullptr);
    ASSERT_TRUE(policy.push(kVictim, task(6)));  // else it would be the victim's own turn
    EXPECT_EQ(policy.pop(kThief), &task(6));
    EXPECT_EQ(policy.pop(kThief), steal_size == 2 ? &task(0) : nullptr);
    EXPECT_EQ(policy.pop(kThief), nullptr);
  }
}

TEST_F(xqueue_nowait, idle_worker_refuses) {
  fg::detail::xqueue_nowait policy{2, idle_};
  EXPECT_EQ(policy.steal(kVictim), nullptr);
  EXPECT_EQ(policy.steal(kThief), nullptr);
  ASSERT_TRUE(policy.push(kVictim, task(0)));  // in turn: its own
  EXPECT_EQ(policy.pop(kThief), nullptr);
  EXPECT_EQ(policy.steal(kThief), nullptr);  // the push has opened it
  ASSERT_TRUE(policy.push(kVictim, task(1)));
  EXPECT_EQ(policy.pop(kThief), &task(1));
}

TEST_F(xqueue_nowait, request_stands_while_the_ring_to_the_thief_is_full) {
  fg::detail::xqueue_nowait policy{2, idle_, 1, 1};
  ASSERT_TRUE(policy.push(kVictim, task(0)));  // its own
  ASSERT_TRUE(policy.push(kVictim, task(1)));  // the thief's: full now
  EXPECT_EQ(policy.steal(kThief), nullptr);
  EXPECT_FALSE(policy.push(kVictim, task(2)));  // in turn: its own, full too
  EXPECT_EQ(policy.pop(kThief), &task(1));
  EXPECT_TRUE(policy.push(kVictim, task(2)));
  EXPECT_EQ(policy.pop(kThief), &task(2));
}

TEST(steal_requests, one_of_two_thieves_and_one_of_claim_and_withdraw) {
  fg::detail::steal_requests requests{3};
  fg::detail::steal_requests::word_type first = 0;
  fg::detail::steal_requests::word_type second = 0;
  EXPECT_TRUE(requests.ask(0, 1, first));
  EXPECT_FALSE(requests.ask(0, 2, second));
  EXPECT_EQ(fg::detail::steal_requests::asker_of(requests.look(0)), 1U);
  EXPECT_TRUE(requests.withdraw(0, first));
  EXPECT_FALSE(requests.claim(0, first));
  EXPECT_TRUE(requests.ask(0, 1, second));
  EXPECT_NE(fg::detail::steal_requests::round_of(first),
            fg::detail::steal_requests::round_of(second));
  EXPECT_FALSE(requests.claim(0, first));  // of an earlier round
  EXPECT_TRUE(requests.claim(0, requests.look(0)));
  EXPECT_FALSE(requests.withdraw(0, second));
  EXPECT_FALSE(requests.stands(0, second));
}

TEST(steal_requests, close_refuses_and_spares_astanding_request) {
  fg::detail::steal_requests requests{2};
  fg::detail::steal_requests::word_type asked = 0;
  requests.close(0);
  EXPECT_FALSE(requests.ask(0, 1, asked));
  requests.open(0);
  EXPECT_TRUE(requests.ask(0, 1, asked));
  requests.close(0);
  requests.open(0);
  EXPECT_TRUE(requests.stands(0, asked));
}

}  // namespace
