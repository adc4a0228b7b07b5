// What OpenMP requires of every policy: every task stays reachable.
// SPDX-License-Identifier: Apache-2.0
#include "omp/policies.hpp"

#include <gtest/gtest.h>

#include <cstddef>
#include <memory>
#include <set>
#include <string>
#include <vector>

#include "finegrain/balance/idle_workers.hpp"
#include "finegrain/pool/policies.hpp"
#include "finegrain/queue/private_deque.hpp"
#include "finegrain/task/pool_task.hpp"
#include "support/balancer_run.hpp"
#include "support/sanitizer.hpp"

namespace {

using fg::omp::conforming_policy;
using fg::omp::kConformingPolicies;

TEST(conforming_policies, are_those_of_the_pool_by_the_same_names) {
  ASSERT_EQ(kConformingPolicies.size(), fg::detail::kBalancingPolicies.size());
  for (std::size_t i = 0; i < kConformingPolicies.size(); ++i) {
    EXPECT_EQ(kConformingPolicies[i].name, fg::detail::kBalancingPolicies[i].name);
    EXPECT_EQ(kConformingPolicies[i].uses_own_deques,
              fg::detail::kBalancingPolicies[i].uses_own_deques);
  }
}

TEST(conforming_policies, are_found_by_their_names) {
  for (const conforming_policy& each : kConformingPolicies) {
    EXPECT_EQ(fg::omp::find_conforming(each.name), &each);
  }
  for (const char* const none : {"", "xqueue", "xqueue_nowait:3", "private_deque ", "Chase_Lev"}) {
    EXPECT_EQ(fg::omp::find_conforming(none), nullptr) << none;
  }
}

// A policy with everything that a team provides.
class made_policy {
 public:
  made_policy(const conforming_policy& which, std::size_t workers)
      : idle_{workers},
        deques_{which.uses_own_deques ? new fg::detail::deputised_deque[workers] : nullptr} {
    std::vector<fg::detail::deputised_deque*> all(workers);
    for (std::size_t worker = 0; worker < workers && deques_ != nullptr; ++worker) {
      all[worker] = &deques_[worker];
    }
    policy_ = which.make(all, idle_);
  }
  fg::detail::balancer* operator->() const noexcept { return policy_.get(); }
  [[nodiscard]] fg::detail::balancer& get() const noexcept { return *policy_; }
  [[nodiscard]] fg::detail::idle_workers& idle() noexcept { return idle_; }

 private:
  fg::detail::idle_workers idle_;
  std::unique_ptr<fg::detail::deputised_deque[]> deques_;
  std::unique_ptr<fg::detail::balancer> policy_;
};

class every_conforming_policy : public testing::TestWithParam<conforming_policy> {};

// Worker 0 makes tasks and then spins on a flag, as worker 1 has done all the time.
TEST_P(every_conforming_policy, lets_one_worker_have_all_that_busy_ones_have) {
  constexpr std::size_t kLooks = 50'000;
  const made_policy policy{GetParam(), 3};
  std::vector<fg::pool_task> tasks(21);  // as many as the smallest queue holds
  for (fg::pool_task& each : tasks) {
    ASSERT_TRUE(policy->push(0, each));
  }
  std::set<const fg::pool_task*> got;
  for (std::size_t look = 0; look < kLooks && got.size() < tasks.size(); ++look) {
    EXPECT_TRUE(policy->has_work_guess(2)) << "it would sleep";
    for (const fg::pool_task* const found : {policy->pop(2), policy->steal(2)}) {
      if (found != nullptr) {
        EXPECT_TRUE(got.insert(found).second) << "twice";
      }
    }
  }
  EXPECT_EQ(got.size(), tasks.size());
  EXPECT_FALSE(policy->has_work_guess(2));
}

TEST_P(every_conforming_policy, wakes_one_for_what_abusy_worker_has) {
  made_policy policy{GetParam(), 2};
  EXPECT_TRUE(fg::test::push_wakes_sleeper(policy.get(), policy.idle()));
}

TEST_P(every_conforming_policy, runs_every_task_once) {
  for (const std::size_t workers : {1U, 2U, 4U}) {
    made_policy policy{GetParam(), workers};
    const std::size_t each = (fg::test::kSlow ? 4000 : 20'000) / workers;
    fg::test::balancer_run run{policy.get(), policy.idle(), workers};
    run.run_flat(0, workers, each);
    run.run(1, each);
  }
}

INSTANTIATE_TEST_SUITE_P(all, every_conforming_policy, testing::ValuesIn(kConformingPolicies),
                         [](const auto& param_info) {
                           std::string name{param_info.param.name};
                           for (char& each : name) {
                             each = each == ':' ? '_' : each;
                           }
                           return name;
                         });

}  // namespace
