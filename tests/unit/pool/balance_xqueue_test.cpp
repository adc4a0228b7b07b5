// The X-OpenMP policies without a pool around them: what a worker would call, step by step and by
// several threads.
#include <gtest/gtest.h>

#include <cstddef>
#include <functional>
#include <memory>
#include <string>
#include <thread>
#include <tuple>
#include <vector>

#include "finegrain/core/wait.hpp"
#include "finegrain/pool/balance/xqueue_nowait.hpp"
#include "finegrain/pool/balance/xqueue_static.hpp"
#include "finegrain/pool/balance/xqueue_wait.hpp"
#include "finegrain/pool/idle_workers.hpp"

namespace fg {
namespace {

struct counted_task : pool_task {
  counted_task() {
    routine.store([](pool_task& task) noexcept { static_cast<counted_task&>(task).count_run(); });
  }
  void count_run() noexcept {
    runs.fetch_add(1, memory_order_relaxed);
    value += 1;  // plain: the policy has to order it behind the push
  }
  atomic<int> runs{0};
  int value = 0;
};

struct policy_case {
  std::string name;
  std::function<std::unique_ptr<balancer>(std::size_t, idle_workers&)> make;
};

std::vector<policy_case> policy_cases() {
  return {
      {"static", [](std::size_t workers,
                    idle_workers& idle) { return std::make_unique<xqueue_static>(workers, idle); }},
      {"wait", [](std::size_t workers,
                  idle_workers& idle) { return std::make_unique<xqueue_wait>(workers, idle); }},
      {"wait_least",  // gives up before it has looked twice: nearly all answers come late
       [](std::size_t workers, idle_workers& idle) {
         return std::make_unique<xqueue_wait>(workers, idle, xqueue_wait::patience{1, 1});
       }},
      {"nowait", [](std::size_t workers,
                    idle_workers& idle) { return std::make_unique<xqueue_nowait>(workers, idle); }},
      {"nowait_2",
       [](std::size_t workers, idle_workers& idle) {
         return std::make_unique<xqueue_nowait>(workers, idle, 2);
       }},
  };
}

// ---- all policies, several threads ----

using policy_and_workers = std::tuple<std::size_t, std::size_t>;

class xqueue_policies : public testing::TestWithParam<policy_and_workers> {
 protected:
  [[nodiscard]] static std::size_t workers() { return std::get<1>(GetParam()); }
  [[nodiscard]] static std::unique_ptr<balancer> make(idle_workers& idle) {
    return policy_cases()[std::get<0>(GetParam())].make(workers(), idle);
  }
};

// Pushes its own tasks, runs what it gets meanwhile, then helps, and sleeps, until all have run.
class driver {
 public:
  driver(balancer& policy, idle_workers& idle, std::vector<counted_task>& tasks)
      : policy_{policy}, idle_{idle}, tasks_{tasks} {}

  void work(std::size_t worker, std::size_t first, std::size_t last) {
    for (std::size_t i = first; i < last; ++i) {
      tasks_[i].value = 41;
      if (!policy_.push(worker, tasks_[i])) {
        run(tasks_[i]);
      }
      if (i % 3 == 0) {
        help(worker);
      }
    }
    spin_wait<> wait;
    while (!all_done()) {
      if (help(worker)) {
        wait = {};
      } else if (wait() && wait.waited_ticks() > 20'000) {
        idle_.sleep(worker, true, [&] { return all_done() || policy_.has_work_guess(worker); });
        wait = {};
      }
    }
  }

 private:
  [[nodiscard]] bool all_done() const { return done_.load(memory_order_acquire) == tasks_.size(); }

  bool help(std::size_t worker) {
    pool_task* task = policy_.pop(worker);
    if (task == nullptr) {
      task = policy_.steal(worker);
    }
    if (task != nullptr) {
      run(*task);
    }
    return task != nullptr;
  }

  void run(pool_task& task) {
    task.run();
    if (done_.fetch_add(1, memory_order_acq_rel) + 1 == tasks_.size() &&
        idle_.any_after_publishing()) {
      idle_.wake_all();
    }
  }

  balancer& policy_;
  idle_workers& idle_;
  std::vector<counted_task>& tasks_;
  atomic<std::size_t> done_{0};
};

TEST_P(xqueue_policies, run_every_task_once) {
  for (const bool only_one_pushes : {false, true}) {
    idle_workers idle{workers()};
    const std::unique_ptr<balancer> policy = make(idle);
    const std::size_t each = 20'000 / workers();
    std::vector<counted_task> tasks(only_one_pushes ? each : each * workers());
    driver drive{*policy, idle, tasks};
    std::vector<std::thread> threads;
    threads.reserve(workers());
    for (std::size_t worker = 0; worker < workers(); ++worker) {
      threads.emplace_back([&, worker] {
        const std::size_t pusher = workers() - 1;
        const std::size_t first = only_one_pushes ? 0 : worker * each;
        drive.work(worker, first, only_one_pushes && worker != pusher ? first : first + each);
      });
    }
    for (std::thread& thread : threads) {
      thread.join();
    }
    std::size_t wrong = 0;
    for (const counted_task& task : tasks) {
      wrong += task.runs.load() == 1 && task.value == 42 ? 0U : 1U;
    }
    EXPECT_EQ(wrong, 0U);
    for (std::size_t worker = 0; worker < workers(); ++worker) {
      EXPECT_EQ(policy->pop(worker), nullptr);
    }
  }
}

TEST_P(xqueue_policies, refuse_when_the_rings_are_full) {
  idle_workers idle{workers()};
  const std::unique_ptr<balancer> policy = make(idle);
  const std::size_t room = workers() * xqueue::kRingCapacity;
  std::vector<counted_task> tasks(room + 1);
  for (std::size_t i = 0; i < room; ++i) {
    ASSERT_TRUE(policy->push(0, tasks[i]));
  }
  EXPECT_FALSE(policy->push(0, tasks[room]));
  for (std::size_t worker = 0; worker < workers(); ++worker) {
    EXPECT_TRUE(policy->has_work_guess(worker));
  }
  // Round by round: that last look may have asked others, whose answers come on the way.
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
  idle_workers idle{workers()};
  const std::unique_ptr<balancer> policy = make(idle);
  std::vector<counted_task> tasks(workers());
  for (counted_task& task : tasks) {
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
  return policy_cases()[std::get<0>(info.param)].name + "_" +
         std::to_string(std::get<1>(info.param));
}

INSTANTIATE_TEST_SUITE_P(all, xqueue_policies,
                         testing::Combine(testing::Range<std::size_t>(0, 5),
                                          testing::Values<std::size_t>(1, 2, 3, 8)),
                         name_of);

// ---- step by step, on one thread ----

constexpr std::size_t kVictim = 0;
constexpr std::size_t kThief = 1;

// Pushes until the victim's own queue has `count` tasks; every second one goes to the thief, who
// takes it.
void fill_victim(balancer& policy, std::vector<counted_task>& tasks, std::size_t count) {
  for (std::size_t i = 0; i < count; ++i) {
    ASSERT_TRUE(policy.push(kVictim, tasks[2 * i]));
    ASSERT_TRUE(policy.push(kVictim, tasks[2 * i + 1]));
    ASSERT_EQ(policy.pop(kThief), &tasks[2 * i + 1]);
  }
}

TEST(xqueue_static, deals_out_in_turn) {
  idle_workers idle{3};
  xqueue_static policy{3, idle};
  std::vector<counted_task> tasks(6);
  for (counted_task& task : tasks) {
    ASSERT_TRUE(policy.push(1, task));
  }
  for (const std::size_t worker : {1U, 2U, 0U}) {
    const std::size_t first = (worker + 2) % 3;
    EXPECT_EQ(policy.pop(worker), &tasks[first]);
    EXPECT_EQ(policy.pop(worker), &tasks[first + 3]);
    EXPECT_EQ(policy.pop(worker), nullptr);
    EXPECT_EQ(policy.steal(worker), nullptr);
  }
}

TEST(xqueue_wait, late_answer_is_found_by_pop) {
  idle_workers idle{2};
  xqueue_wait policy{2, idle};
  std::vector<counted_task> tasks(6);
  fill_victim(policy, tasks, 3);
  EXPECT_EQ(policy.steal(kThief), nullptr);  // asks, waits, gives up: nobody answers meanwhile
  EXPECT_EQ(policy.pop(kThief), nullptr);
  EXPECT_FALSE(policy.has_work_guess(kThief) && policy.pop(kThief) != nullptr);
  EXPECT_EQ(policy.pop(kVictim), tasks.data());
  EXPECT_TRUE(policy.has_work_guess(kThief));
  EXPECT_EQ(policy.pop(kThief), &tasks[2]);
  EXPECT_EQ(policy.pop(kVictim), &tasks[4]);  // one request, one answer
  EXPECT_EQ(policy.pop(kThief), nullptr);
}

TEST(xqueue_wait, late_answer_is_found_by_steal_before_it_asks_again) {
  idle_workers idle{2};
  xqueue_wait policy{2, idle};
  std::vector<counted_task> tasks(10);
  fill_victim(policy, tasks, 5);
  EXPECT_EQ(policy.steal(kThief), nullptr);
  EXPECT_EQ(policy.pop(kVictim), tasks.data());
  EXPECT_EQ(policy.steal(kThief), &tasks[2]);
  EXPECT_EQ(policy.pop(kVictim), &tasks[4]);  // it has not asked again
  EXPECT_EQ(policy.pop(kThief), nullptr);
}

TEST(xqueue_wait, thief_has_one_request_only) {
  idle_workers idle{3};
  xqueue_wait policy{3, idle};
  std::vector<counted_task> tasks(12);
  for (std::size_t i = 0; i < 12; ++i) {  // four for each: worker 1, the thief, takes its own
    ASSERT_TRUE(policy.push(0, tasks[i]));
  }
  for (int i = 0; i < 4; ++i) {
    ASSERT_NE(policy.pop(kThief), nullptr);
  }
  for (int i = 0; i < 20; ++i) {  // asks both others in turn, and withdraws
    EXPECT_EQ(policy.steal(kThief), nullptr);
  }
  EXPECT_NE(policy.pop(0), nullptr);
  EXPECT_NE(policy.pop(2), nullptr);
  EXPECT_NE(policy.pop(kThief), nullptr);
  EXPECT_EQ(policy.pop(kThief), nullptr);
  std::size_t left = 0;
  while (policy.pop(0) != nullptr || policy.pop(2) != nullptr) {
    ++left;
  }
  EXPECT_EQ(left, 5U);  // of eight: two taken, one given away
}

TEST(xqueue_wait, idle_worker_refuses) {
  idle_workers idle{2};
  xqueue_wait policy{2, idle};
  std::vector<counted_task> tasks(6);
  EXPECT_EQ(policy.steal(kVictim), nullptr);  // has nothing itself: refuses from now on
  EXPECT_EQ(policy.steal(kThief), nullptr);
  fill_victim(policy, tasks, 3);
  EXPECT_EQ(policy.pop(kVictim), tasks.data());
  EXPECT_EQ(policy.pop(kThief), nullptr);    // had not been able to ask
  EXPECT_EQ(policy.steal(kThief), nullptr);  // now it is
  EXPECT_EQ(policy.pop(kVictim), &tasks[2]);
  EXPECT_EQ(policy.pop(kThief), &tasks[4]);
}

TEST(xqueue_wait, victim_keeps_its_last_task) {
  idle_workers idle{2};
  xqueue_wait policy{2, idle};
  std::vector<counted_task> tasks(3);
  fill_victim(policy, tasks, 1);
  EXPECT_EQ(policy.steal(kThief), nullptr);
  EXPECT_EQ(policy.pop(kVictim), tasks.data());
  EXPECT_EQ(policy.pop(kThief), nullptr);
  ASSERT_TRUE(policy.push(kVictim, tasks[0]));
  ASSERT_TRUE(policy.push(kVictim, tasks[1]));
  ASSERT_TRUE(policy.push(kVictim, tasks[2]));
  EXPECT_EQ(policy.pop(kThief), &tasks[1]);
  EXPECT_EQ(policy.pop(kVictim), tasks.data());
  EXPECT_EQ(policy.pop(kThief), &tasks[2]);  // the request still stood
}

TEST(xqueue_wait, task_from_others_ends_the_refusal) {
  idle_workers idle{2};
  xqueue_wait policy{2, idle};
  std::vector<counted_task> tasks(6);
  EXPECT_EQ(policy.steal(1), nullptr);  // refuses from now on
  for (counted_task& task : tasks) {
    ASSERT_TRUE(policy.push(0, task));  // 0, 1, 0, 1, 0, 1
  }
  EXPECT_EQ(policy.pop(1), &tasks[1]);
  EXPECT_EQ(policy.steal(0), nullptr);
  EXPECT_EQ(policy.pop(1), &tasks[3]);
  EXPECT_EQ(policy.pop(0), &tasks[5]);
}

TEST(xqueue_wait, asks_before_it_sleeps) {
  idle_workers idle{2};
  xqueue_wait policy{2, idle};
  std::vector<counted_task> tasks(4);
  fill_victim(policy, tasks, 2);
  policy.has_work_guess(kThief);
  EXPECT_EQ(policy.pop(kVictim), tasks.data());
  EXPECT_EQ(policy.pop(kThief), &tasks[2]);
}

TEST(xqueue_wait, others_take_the_answer_for_aworker0_that_is_away) {
  idle_workers idle{2};
  xqueue_wait policy{2, idle};
  std::vector<counted_task> tasks(4);
  for (counted_task& task : tasks) {
    ASSERT_TRUE(policy.push(1, task));  // 1, 0, 1, 0
  }
  EXPECT_EQ(policy.pop(0), &tasks[1]);
  EXPECT_EQ(policy.pop(0), &tasks[3]);
  EXPECT_EQ(policy.steal(0), nullptr);  // asks, then leaves
  EXPECT_EQ(policy.pop(1), tasks.data());
  EXPECT_EQ(policy.pop(1), nullptr);  // the other one is in the mailbox
  EXPECT_TRUE(policy.has_work_guess(1));
  pool_task* task = nullptr;
  for (int look = 0; look < 5000 && task == nullptr; ++look) {
    task = policy.steal(1);
  }
  EXPECT_EQ(task, &tasks[2]);
}

TEST(xqueue_nowait, answers_at_pop) {
  for (const std::size_t steal_size : {1U, 2U}) {
    idle_workers idle{2};
    xqueue_nowait policy{2, idle, steal_size};
    std::vector<counted_task> tasks(10);
    fill_victim(policy, tasks, 5);
    EXPECT_EQ(policy.steal(kThief), nullptr);
    EXPECT_EQ(policy.pop(kThief), nullptr);
    EXPECT_EQ(policy.pop(kVictim), tasks.data());
    EXPECT_TRUE(policy.has_work_guess(kThief));  // asks again, too
    for (std::size_t i = 0; i < steal_size; ++i) {
      EXPECT_EQ(policy.pop(kThief), &tasks[2 + 2 * i]);
    }
    EXPECT_EQ(policy.pop(kThief), nullptr);
  }
}

TEST(xqueue_nowait, answers_at_push) {
  for (const std::size_t steal_size : {1U, 2U}) {
    idle_workers idle{2};
    xqueue_nowait policy{2, idle, steal_size};
    std::vector<counted_task> tasks(7);
    fill_victim(policy, tasks, 3);
    EXPECT_EQ(policy.steal(kThief), nullptr);
    ASSERT_TRUE(policy.push(kVictim, tasks[6]));  // else it would be the victim's own turn
    EXPECT_EQ(policy.pop(kThief), &tasks[6]);
    EXPECT_EQ(policy.pop(kThief), steal_size == 2 ? tasks.data() : nullptr);
    EXPECT_EQ(policy.pop(kThief), nullptr);
  }
}

TEST(xqueue_nowait, idle_worker_refuses) {
  idle_workers idle{2};
  xqueue_nowait policy{2, idle};
  std::vector<counted_task> tasks(2);
  EXPECT_EQ(policy.steal(kVictim), nullptr);
  EXPECT_EQ(policy.steal(kThief), nullptr);
  ASSERT_TRUE(policy.push(kVictim, tasks[0]));  // in turn: its own
  EXPECT_EQ(policy.pop(kThief), nullptr);
  EXPECT_EQ(policy.steal(kThief), nullptr);  // the push has opened it
  ASSERT_TRUE(policy.push(kVictim, tasks[1]));
  EXPECT_EQ(policy.pop(kThief), &tasks[1]);
}

TEST(xqueue_nowait, request_stands_while_the_ring_to_the_thief_is_full) {
  idle_workers idle{2};
  xqueue_nowait policy{2, idle, 1, 1};
  std::vector<counted_task> tasks(3);
  ASSERT_TRUE(policy.push(kVictim, tasks[0]));  // its own
  ASSERT_TRUE(policy.push(kVictim, tasks[1]));  // the thief's: full now
  EXPECT_EQ(policy.steal(kThief), nullptr);
  EXPECT_FALSE(policy.push(kVictim, tasks[2]));  // in turn: its own, full too
  EXPECT_EQ(policy.pop(kThief), &tasks[1]);
  EXPECT_TRUE(policy.push(kVictim, tasks[2]));
  EXPECT_EQ(policy.pop(kThief), &tasks[2]);
}

TEST(steal_requests, one_of_two_thieves_and_one_of_claim_and_withdraw) {
  steal_requests requests{3};
  steal_requests::word_type first = 0;
  steal_requests::word_type second = 0;
  EXPECT_TRUE(requests.ask(0, 1, first));
  EXPECT_FALSE(requests.ask(0, 2, second));
  EXPECT_EQ(steal_requests::asker_of(requests.look(0)), 1U);
  EXPECT_TRUE(requests.withdraw(0, first));
  EXPECT_FALSE(requests.claim(0, first));
  EXPECT_TRUE(requests.ask(0, 1, second));
  EXPECT_NE(steal_requests::round_of(first), steal_requests::round_of(second));
  EXPECT_FALSE(requests.claim(0, first));  // of an earlier round
  EXPECT_TRUE(requests.claim(0, requests.look(0)));
  EXPECT_FALSE(requests.withdraw(0, second));
  EXPECT_FALSE(requests.stands(0, second));
}

TEST(steal_requests, close_refuses_and_spares_astanding_request) {
  steal_requests requests{2};
  steal_requests::word_type asked = 0;
  requests.close(0);
  EXPECT_FALSE(requests.ask(0, 1, asked));
  requests.open(0);
  EXPECT_TRUE(requests.ask(0, 1, asked));
  requests.close(0);
  requests.open(0);
  EXPECT_TRUE(requests.stands(0, asked));
}

}  // namespace
}  // namespace fg
