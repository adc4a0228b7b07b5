// The policies whose busy workers have deputies: every task stays reachable.
// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <cstddef>
#include <functional>
#include <memory>
#include <set>
#include <string>
#include <thread>
#include <tuple>
#include <vector>

#include "finegrain/balance/deputies.hpp"
#include "finegrain/balance/idle_workers.hpp"
#include "finegrain/balance/private_deque_balance.hpp"
#include "finegrain/balance/xqueue_nowait.hpp"
#include "finegrain/balance/xqueue_static.hpp"
#include "finegrain/balance/xqueue_wait.hpp"
#include "finegrain/core/atomic.hpp"
#include "finegrain/queue/private_deque.hpp"
#include "finegrain/task/pool_task.hpp"
#include "support/balancer_run.hpp"
#include "support/sanitizer.hpp"

namespace {

constexpr std::size_t kQueues = 3;

// ---- X-OpenMP's ----

struct deputised_case {
  std::string name;
  std::function<std::unique_ptr<fg::detail::balancer>(std::size_t, fg::detail::idle_workers&,
                                                      fg::detail::deputised)>
      make;
};

constexpr std::size_t kRoom = fg::detail::xqueue::kRingCapacity;

std::vector<deputised_case> deputised_cases() {
  return {
      {"static",
       [](std::size_t workers, fg::detail::idle_workers& idle, fg::detail::deputised whom) {
         return std::make_unique<fg::detail::xqueue_static>(workers, idle, kRoom, whom);
       }},
      {"wait",
       [](std::size_t workers, fg::detail::idle_workers& idle, fg::detail::deputised whom) {
         return std::make_unique<fg::detail::xqueue_wait>(
             workers, idle, fg::detail::xqueue_wait::patience{1, 4}, kRoom, whom);
       }},
      {"nowait",
       [](std::size_t workers, fg::detail::idle_workers& idle, fg::detail::deputised whom) {
         return std::make_unique<fg::detail::xqueue_nowait>(workers, idle, 1, kRoom, whom);
       }},
      {"nowait_2",
       [](std::size_t workers, fg::detail::idle_workers& idle, fg::detail::deputised whom) {
         return std::make_unique<fg::detail::xqueue_nowait>(workers, idle, 2, kRoom, whom);
       }},
  };
}

// The tasks that `worker` gets alone in the given number of attempts.
std::set<fg::pool_task*> collect(fg::detail::balancer& policy, std::size_t worker,
                                 std::size_t looks) {
  std::set<fg::pool_task*> got;
  for (std::size_t i = 0; i < looks; ++i) {
    for (fg::pool_task* const found : {policy.pop(worker), policy.steal(worker)}) {
      if (found != nullptr) {
        EXPECT_TRUE(got.insert(found).second) << "twice";
      }
    }
  }
  return got;
}

constexpr std::size_t kLooks = std::size_t{10} * fg::detail::deputies::kPatience;

class xqueues_with_deputies : public testing::TestWithParam<std::size_t> {
 protected:
  [[nodiscard]] std::unique_ptr<fg::detail::balancer> make(std::size_t workers,
                                                           fg::detail::deputised whom) {
    return deputised_cases()[GetParam()].make(workers, idle_, whom);
  }
  // Pushed by worker 0, distributed to all in turn.
  void push_all(fg::detail::balancer& policy) {
    for (fg::pool_task& each : tasks_) {
      ASSERT_TRUE(policy.push(0, each));
    }
  }

  fg::detail::idle_workers idle_{8};
  std::vector<fg::pool_task> tasks_{12};
};

TEST_P(xqueues_with_deputies, one_worker_gets_what_two_busy_ones_have) {
  const auto policy = make(3, fg::detail::deputised::everybody);
  push_all(*policy);
  EXPECT_TRUE(policy->has_work_guess(2));
  EXPECT_EQ(collect(*policy, 2, kLooks).size(), tasks_.size());
  EXPECT_FALSE(policy->has_work_guess(2));
}

TEST_P(xqueues_with_deputies, has_work_guess_sees_what_abusy_worker_has) {
  const auto policy = make(3, fg::detail::deputised::everybody);
  push_all(*policy);
  while (policy->pop(0) != nullptr || policy->pop(2) != nullptr) {
  }
  EXPECT_TRUE(policy->has_work_guess(2));  // what worker 1 has
  EXPECT_TRUE(policy->has_work_guess(0));
}

TEST_P(xqueues_with_deputies, of_the_absent_and_the_caller_only_abusy_worker_keeps_its_own) {
  const auto policy = make(4, fg::detail::deputised::caller);
  push_all(*policy);
  EXPECT_TRUE(policy->leave(3)) << "it has tasks";
  EXPECT_EQ(collect(*policy, 2, kLooks).size(), 9U);
  EXPECT_FALSE(policy->has_work_guess(2));
  EXPECT_NE(policy->pop(1), nullptr);
}

TEST_P(xqueues_with_deputies, who_leaves_is_told_of_what_it_has_pushed_to_the_absent) {
  const auto policy = make(2, fg::detail::deputised::caller);
  ASSERT_FALSE(policy->leave(1));
  ASSERT_TRUE(policy->push(0, tasks_[0]));
  ASSERT_TRUE(policy->push(0, tasks_[1]));
  EXPECT_EQ(policy->pop(0), tasks_.data());
  EXPECT_TRUE(policy->leave(0));
  EXPECT_TRUE(policy->any_task_of_absent());
  EXPECT_EQ(policy->pop_of_absent(), &tasks_[1]);
  EXPECT_FALSE(policy->any_task_of_absent());
  EXPECT_EQ(policy->pop_of_absent(), nullptr);
}

TEST_P(xqueues_with_deputies, push_to_oneself_wakes_another) {
  const auto policy = make(2, fg::detail::deputised::everybody);
  ASSERT_TRUE(policy->push(0, tasks_[0]));  // in turn: the other's
  ASSERT_EQ(policy->pop(1), tasks_.data());
  EXPECT_TRUE(fg::test::push_wakes_sleeper(*policy, idle_));
}

TEST_P(xqueues_with_deputies, first_task_is_not_left_to_its_maker) {
  for (std::size_t maker = 0; maker < 3; ++maker) {
    const auto policy = make(3, fg::detail::deputised::everybody);
    ASSERT_TRUE(policy->push(maker, tasks_[0]));
    EXPECT_EQ(policy->pop(maker), nullptr);
    EXPECT_EQ(policy->pop((maker + 1) % 3), tasks_.data());
  }
}

std::string xqueue_name(const testing::TestParamInfo<std::size_t>& info) {
  return deputised_cases()[info.param].name;
}

INSTANTIATE_TEST_SUITE_P(all, xqueues_with_deputies, testing::Range<std::size_t>(0, 4),
                         xqueue_name);

// Worker 1 asks worker 0, and is busy when the answer comes.
TEST(xqueue_wait_with_deputies, answer_to_abusy_worker_is_taken) {
  fg::detail::idle_workers idle{kQueues};
  fg::detail::xqueue_wait policy{kQueues, idle, {1, 1}, kRoom, fg::detail::deputised::everybody};
  std::vector<fg::pool_task> tasks(9);
  for (fg::pool_task& each : tasks) {
    ASSERT_TRUE(policy.push(0, each));
  }
  std::size_t taken = 0;
  while (policy.pop(1) != nullptr) {
    ++taken;
  }
  ASSERT_EQ(taken, 3U);
  policy.has_work_guess(1);  // asks
  while (policy.pop(0) != nullptr) {
    ++taken;
  }
  ASSERT_EQ(taken, 5U) << "one of worker 0's is the answer";
  EXPECT_TRUE(policy.has_work_guess(2));
  EXPECT_EQ(collect(policy, 2, kLooks).size(), 4U);
}

using policy_and_workers = std::tuple<std::size_t, std::size_t>;
class hammered_xqueues_with_deputies : public testing::TestWithParam<policy_and_workers> {};

TEST_P(hammered_xqueues_with_deputies, run_every_task_once) {
  const auto [which, workers] = GetParam();
  fg::detail::idle_workers idle{workers};
  const auto policy =
      deputised_cases()[which].make(workers, idle, fg::detail::deputised::everybody);
  const std::size_t each = (fg::test::kSlow ? 4000 : 20'000) / workers;
  fg::test::balancer_run run{*policy, idle, workers};
  run.run_flat(0, workers, each);
  run.run(1, each);
  for (std::size_t worker = 0; worker < workers; ++worker) {
    EXPECT_EQ(policy->pop(worker), nullptr);
  }
}

INSTANTIATE_TEST_SUITE_P(all, hammered_xqueues_with_deputies,
                         testing::Combine(testing::Range<std::size_t>(0, 4),
                                          testing::Values<std::size_t>(1, 2, 3, 8)),
                         [](const auto& param_info) {
                           return deputised_cases()[std::get<0>(param_info.param)].name + "_" +
                                  std::to_string(std::get<1>(param_info.param));
                         });

// ---- private deques ----

template <class Deque>
class private_deques {
 public:
  explicit private_deques(std::size_t workers) : idle_{workers}, deques_{new Deque[workers]} {
    std::vector<Deque*> all;
    all.reserve(workers);
    for (std::size_t worker = 0; worker < workers; ++worker) {
      all.push_back(&deques_[worker]);
    }
    policy_ = std::make_unique<fg::detail::basic_private_deque_balance<Deque>>(all, idle_);
  }
  [[nodiscard]] fg::detail::balancer& policy() noexcept { return *policy_; }
  [[nodiscard]] fg::detail::idle_workers& idle() noexcept { return idle_; }
  [[nodiscard]] Deque& deque(std::size_t worker) noexcept { return deques_[worker]; }

 private:
  fg::detail::idle_workers idle_;
  std::unique_ptr<Deque[]> deques_;
  std::unique_ptr<fg::detail::balancer> policy_;
};

constexpr std::size_t kStealsPatience =
    fg::detail::basic_private_deque_balance<fg::detail::deputised_deque>::kPatience;

// All but the one task that the first push has published are private, and their owner is busy.
TEST(private_deques_with_deputies, thief_gets_all_of_abusy_owner) {
  for (const std::size_t workers : {2U, 3U, 8U}) {
    private_deques<fg::detail::deputised_deque> queues{workers};
    std::vector<fg::pool_task> tasks(10);
    for (fg::pool_task& each : tasks) {
      ASSERT_TRUE(queues.policy().push(0, each));
    }
    EXPECT_TRUE(queues.policy().has_work_guess(1));
    EXPECT_EQ(collect(queues.policy(), 1, kLooks * workers).size(), tasks.size());
    EXPECT_FALSE(queues.policy().has_work_guess(1));
    EXPECT_EQ(queues.policy().pop(0), nullptr);
  }
}

// A worker that answers is seldom seen with private tasks twice: that alone does not justify a
// fence.
TEST(private_deques_with_deputies, thief_stands_in_for_nobody_before_its_second_look_at_them) {
  private_deques<fg::detail::deputised_deque> queues{2};
  fg::detail::balancer& policy = queues.policy();
  std::vector<fg::pool_task> tasks(10);
  for (fg::pool_task& each : tasks) {
    ASSERT_TRUE(policy.push(0, each));
  }
  EXPECT_EQ(collect(policy, 1, kStealsPatience * 3 / 2).size(), 1U);
  policy.answer_requests(0);
  // It has found something: the patience restarts. Of nine private ones, five were published.
  EXPECT_EQ(collect(policy, 1, kStealsPatience * 3 / 2).size(), 5U);
  EXPECT_EQ(collect(policy, 1, kStealsPatience).size(), 2U) << "and half of four";
}

TEST(private_deques_with_deputies, thief_suspects_who_has_private_tasks_at_both_looks) {
  private_deques<fg::detail::deputised_deque> queues{3};
  fg::detail::balancer& policy = queues.policy();
  std::vector<fg::pool_task> tasks(6);
  const auto push_to = [&](std::size_t owner, std::size_t first) {
    for (std::size_t i = first; i < first + 3; ++i) {
      ASSERT_TRUE(policy.push(owner, tasks[i]));
    }
  };
  push_to(2, 0);
  ASSERT_EQ(collect(policy, 1, kStealsPatience * 3 / 2).size(), 1U);
  while (policy.pop(2) != nullptr) {
  }
  push_to(0, 3);
  while (policy.steal(2) == nullptr) {  // the public ones
  }
  EXPECT_EQ(collect(policy, 1, kStealsPatience).size(), 0U) << "another one than at the first";
  EXPECT_GT(collect(policy, 1, kStealsPatience).size(), 0U);
}

TEST(private_deques_with_deputies, has_work_guess_sees_private_tasks) {
  private_deques<fg::detail::deputised_deque> queues{2};
  std::vector<fg::pool_task> tasks(2);
  ASSERT_TRUE(queues.policy().push(0, tasks[0]));
  ASSERT_TRUE(queues.policy().push(0, tasks[1]));
  EXPECT_EQ(queues.policy().steal(1), tasks.data());
  EXPECT_TRUE(queues.policy().has_work_guess(1));
  EXPECT_FALSE(queues.policy().has_work_guess(0)) << "its own is no reason to stay awake";
}

TEST(private_deques_without_deputies, busy_owner_keeps_what_it_has_not_published) {
  private_deques<fg::detail::private_deque> queues{2};
  std::vector<fg::pool_task> tasks(10);
  for (fg::pool_task& each : tasks) {
    ASSERT_TRUE(queues.policy().push(0, each));
  }
  EXPECT_EQ(collect(queues.policy(), 1, kLooks).size(), 1U);
  EXPECT_FALSE(queues.policy().has_work_guess(1));
}

TEST(private_deques_without_deputies, owner_answers_without_taking_a_task) {
  private_deques<fg::detail::private_deque> queues{2};
  fg::detail::balancer& policy = queues.policy();
  std::vector<fg::pool_task> tasks(10);
  for (fg::pool_task& each : tasks) {
    ASSERT_TRUE(policy.push(0, each));
  }
  EXPECT_FALSE(policy.answer_requests(0)) << "nobody has asked";
  EXPECT_EQ(collect(policy, 1, kLooks).size(), 1U);
  EXPECT_TRUE(policy.answer_requests(0));
  EXPECT_GT(collect(policy, 1, kLooks).size(), 1U);
}

// The answer to one sleeper's request, at the first push, clears those of all.
TEST(private_deques_with_deputies, every_push_looks_for_sleepers_while_there_are_some) {
  using result = fg::detail::deputised_deque::push_result;
  private_deques<fg::detail::deputised_deque> queues{3};
  fg::detail::balancer& policy = queues.policy();
  std::vector<fg::pool_task> tasks(3);
  fg::atomic<int> looked{0};
  const auto sleep = [&](std::size_t worker) {
    queues.idle().sleep(
        worker, false, [&] { policy.announce_sleep(worker); },
        [&] {
          const bool found = policy.has_work_guess(worker);
          ++looked;
          return found;
        });
  };
  std::thread first{sleep, 1};
  std::thread second{sleep, 2};
  while (looked.load() != 2) {
    std::this_thread::yield();
  }
  ASSERT_TRUE(policy.push(0, tasks[0]));  // wakes one
  EXPECT_EQ(queues.deque(0).push_and_look(tasks[1]), result::pushed_and_asked);
  policy.answer_requests(0);  // wakes the other one
  first.join();
  second.join();
  policy.answer_requests(0);
  EXPECT_EQ(queues.deque(0).push_and_look(tasks[2]), result::pushed) << "nobody sleeps any more";
}

TEST(private_deques_with_deputies, run_every_task_once) {
  for (const std::size_t workers : {1U, 2U, 3U, 8U}) {
    private_deques<fg::detail::deputised_deque> queues{workers};
    const std::size_t each = (fg::test::kSlow ? 4000 : 40'000) / workers;
    fg::test::balancer_run run{queues.policy(), queues.idle(), workers};
    run.run_flat(0, workers, each);
    run.run(1, each);
  }
}

}  // namespace
