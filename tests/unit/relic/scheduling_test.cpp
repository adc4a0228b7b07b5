// SPDX-License-Identifier: Apache-2.0
#include "finegrain/thread/scheduling.hpp"

#include <gtest/gtest.h>
#include <sched.h>

#include <set>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "finegrain/algorithm/pool/broadcast.hpp"
#include "finegrain/core/atomic.hpp"
#include "finegrain/host/affinity.hpp"
#include "finegrain/pool/pool.hpp"
#include "finegrain/relic/relic.hpp"
#include "support/on_thread.hpp"

namespace {

using fg::scheduling_class;

// For the assistant.
int policy_within(fg::relic& relic) {
  int policy = -1;
  relic.submit([&policy] { policy = sched_getscheduler(0); });
  relic.wait();
  return policy;
}

// For all workers except the caller.
std::set<int> policies_within(fg::pool& pool) {
  std::vector<int> found(pool.size(), -1);
  fg::broadcast(pool, [&found](std::size_t id) { found[id] = sched_getscheduler(0); });
  return {found.begin() + 1, found.end()};
}

TEST(scheduling, is_inherited_unless_asked_for) {
  fg::relic relic{{.main_helps = false}};
  fg::pool pool{{.workers = 3}};
  EXPECT_EQ(policy_within(relic), sched_getscheduler(0));
  EXPECT_EQ(policies_within(pool), std::set{sched_getscheduler(0)});
  EXPECT_EQ(relic.scheduling_refusal() + pool.scheduling_refusal(), "");
}

TEST(scheduling, batch_is_for_everybody) {
  fg::relic relic{{.main_helps = false, .scheduling = {.kind = scheduling_class::batch}}};
  fg::pool pool{{.workers = 3, .scheduling = {.kind = scheduling_class::batch}}};
  if (!relic.inline_mode()) {
    EXPECT_EQ(policy_within(relic), SCHED_BATCH);
  }
  EXPECT_EQ(policies_within(pool), std::set{SCHED_BATCH});
  EXPECT_EQ(relic.scheduling_refusal() + pool.scheduling_refusal(), "");
  EXPECT_EQ(sched_getscheduler(0), SCHED_OTHER);  // the caller's own class is unchanged
}

// On a busy machine a thread of this class may wait for long: so none runs here.
TEST(scheduling, idle_is_for_everybody) {
  fg::atomic<bool> over{false};
  std::thread thread{[&over] { over.wait(false); }};
  EXPECT_EQ(fg::detail::try_schedule(thread, {.kind = scheduling_class::idle}), "");
  int policy = -1;
  sched_param parameters{};
  pthread_getschedparam(thread.native_handle(), &policy, &parameters);
  EXPECT_EQ(policy, SCHED_IDLE);
  EXPECT_EQ(fg::detail::try_schedule(thread, {.kind = scheduling_class::normal}), "");
  over.store(true);
  over.notify_one();
  thread.join();
}

// If the system permits it; else there is a reason, and everything works.
TEST(scheduling, real_time_classes_or_why_not) {
  for (const auto& [kind, policy] : {std::pair{scheduling_class::fifo, SCHED_FIFO},
                                     std::pair{scheduling_class::round_robin, SCHED_RR}}) {
    fg::relic relic{{.main_helps = false, .scheduling = {.kind = kind}}};
    if (!relic.inline_mode()) {
      EXPECT_EQ(policy_within(relic), relic.scheduling_refusal().empty() ? policy : SCHED_OTHER)
          << relic.scheduling_refusal();
    }
  }
}

TEST(scheduling, says_what_the_system_refuses) {
  constexpr fg::scheduling kNoSuchPriority{.kind = scheduling_class::fifo, .priority = 1000};
  fg::relic relic{{.main_helps = false, .scheduling = kNoSuchPriority}};
  fg::pool pool{{.workers = 2, .scheduling = kNoSuchPriority}};
  const std::string why = "the system refused the scheduling class: ";
  EXPECT_TRUE(pool.scheduling_refusal().starts_with(why)) << pool.scheduling_refusal();
  EXPECT_EQ(policies_within(pool), std::set{SCHED_OTHER});
  if (!relic.inline_mode()) {
    EXPECT_TRUE(relic.scheduling_refusal().starts_with(why)) << relic.scheduling_refusal();
    EXPECT_EQ(policy_within(relic), SCHED_OTHER);
  }
}

TEST(scheduling, no_real_time_on_the_cpu_of_the_main_thread) {
  const int cpu = fg::usable_cpus().front();
  fg::test::on_thread([cpu] {
    ASSERT_FALSE(fg::pin_this_thread(cpu));
    fg::relic relic{{.assistant_cpu = cpu,
                     .main_helps = false,
                     .scheduling = {.kind = scheduling_class::fifo}}};
    if (!relic.inline_mode()) {
      EXPECT_EQ(relic.scheduling_refusal(),
                "a real-time assistant would keep the main thread from their CPU");
      EXPECT_EQ(policy_within(relic), SCHED_OTHER);
    }
  });
}

}  // namespace
