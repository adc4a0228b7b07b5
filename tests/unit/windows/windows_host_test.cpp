// What finegrain takes from Windows: CPUs, threads, priorities, quotas; and that work is shared there.
// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <thread>
#include <vector>

#include "finegrain/algorithm/pool/broadcast.hpp"
#include "finegrain/core/clock.hpp"
#include "finegrain/host/affinity.hpp"
#include "finegrain/host/host_view.hpp"
#include "finegrain/pool/pool.hpp"
#include "finegrain/relic/relic.hpp"
#include "finegrain/thread/service_thread.hpp"
// After ours, whose declarations Windows's repeats.
#include <windows.h>

namespace {

using namespace std::chrono_literals;
using fg::detail::windows::job_cpu_rate;

// Computes for so long.
void work(std::chrono::nanoseconds time) {
  const std::uint64_t end = fg::ticks() + fg::to_ticks(time);
  while (fg::ticks() < end) {
  }
}

bool has_one_cpu() { return fg::usable_cpus().size() < 2; }

// ---- CPUs ----

TEST(windows_host, knows_each_usable_cpu_and_its_core) {
  const fg::topology cpus = fg::system_topology();
  EXPECT_EQ(cpus.source, "Windows");
  for (const int id : fg::usable_cpus()) {
    const fg::logical_cpu* const found = cpus.find(id);
    ASSERT_NE(found, nullptr) << id;
    EXPECT_GE(found->core, 0);
    EXPECT_GE(found->package, 0);
    EXPECT_GE(found->numa_node, 0);
  }
}

TEST(windows_host, refuses_a_cpu_that_is_not_there) {
  const int none = fg::system_topology().cpus.back().id + 1;
  std::thread{[none] {
    const std::error_code error = fg::pin_this_thread(none);
    EXPECT_TRUE(error);
    EXPECT_EQ(error.category(), std::system_category());
  }}.join();
}

TEST(windows_host, moves_a_thread_to_the_group_of_a_cpu) {
  fg::detail::cpu_mask mask;
  EXPECT_EQ(mask.first_group().cpus, 0U);
  mask.add(64 + 3);
  mask.add(64 + 5);
  mask.add(128);
  EXPECT_EQ(mask.first_group().group, 1);
  EXPECT_EQ(mask.first_group().cpus, 0b101'000U);
  EXPECT_EQ(mask.count(), 3);
}

// ---- quotas ----

TEST(windows_job, limits_the_time_of_all_cpus) {
  constexpr std::uint32_t kHard = job_cpu_rate::kEnabled | job_cpu_rate::kHardCap;
  EXPECT_EQ((job_cpu_rate{.flags = kHard, .rate = 2'500}.limit(8)), 2.0);
  EXPECT_EQ((job_cpu_rate{.flags = kHard, .rate = 10'000}.limit(8)), std::nullopt);
  EXPECT_EQ((job_cpu_rate{.flags = job_cpu_rate::kHardCap, .rate = 2'500}.limit(8)), std::nullopt);
  constexpr std::uint32_t kRange = job_cpu_rate::kEnabled | job_cpu_rate::kMinAndMax;
  EXPECT_EQ((job_cpu_rate{.flags = kRange, .rate = 5'000U << 16U | 100U}.limit(4)), 2.0);
}

TEST(windows_job, that_gives_a_weight_limits_nothing) {
  constexpr std::uint32_t kWeighted = job_cpu_rate::kEnabled | 2;
  EXPECT_EQ((job_cpu_rate{.flags = kWeighted, .rate = 5}.limit(8)), std::nullopt);
}

TEST(windows_job, of_this_process_has_no_limit) { EXPECT_EQ(fg::quota_cpus(), std::nullopt); }

// ---- threads ----

// Starts a thread in a class, and returns the priority that it has there.
int priority_as(const fg::scheduling& wanted, const std::string& refusal = "") {
  fg::atomic<bool> over{false};
  fg::detail::service_thread thread = fg::detail::start_service_thread(
      {"sleeper", wanted}, +[](fg::atomic<bool>* end) { end->wait(false); }, &over);
  EXPECT_EQ(fg::detail::try_schedule(thread, wanted), refusal);
  const int found = GetThreadPriority(fg::detail::windows::thread_handle(thread.native_handle()));
  over.store(true);
  over.notify_one();
  thread.join();
  return found;
}

TEST(windows_thread, has_the_priority_of_its_class) {
  using fg::scheduling_class;
  EXPECT_EQ(priority_as({.kind = scheduling_class::inherit}), THREAD_PRIORITY_NORMAL);
  EXPECT_EQ(priority_as({.kind = scheduling_class::normal}), THREAD_PRIORITY_NORMAL);
  EXPECT_EQ(priority_as({.kind = scheduling_class::batch}), THREAD_PRIORITY_BELOW_NORMAL);
  EXPECT_EQ(priority_as({.kind = scheduling_class::idle}), THREAD_PRIORITY_IDLE);
  EXPECT_EQ(priority_as({.kind = scheduling_class::fifo}), THREAD_PRIORITY_TIME_CRITICAL);
  EXPECT_EQ(priority_as({.kind = scheduling_class::round_robin}), THREAD_PRIORITY_TIME_CRITICAL);
  EXPECT_EQ(priority_as({.kind = scheduling_class::fifo, .priority = 2},
                        "this system has one priority for real-time threads"),
            THREAD_PRIORITY_NORMAL);
}

// Wine takes every thread, whatever the task is called.
TEST(windows_thread, joins_the_multimedia_class_scheduler) {
  using fg::detail::windows::multimedia_task_for;
  EXPECT_STREQ(multimedia_task_for(fg::scheduling_class::fifo), L"Pro Audio");
  EXPECT_STREQ(multimedia_task_for(fg::scheduling_class::round_robin), L"Games");
  EXPECT_EQ(multimedia_task_for(fg::scheduling_class::batch), nullptr);
  EXPECT_EQ(priority_as({.kind = fg::scheduling_class::fifo}), THREAD_PRIORITY_TIME_CRITICAL);
  EXPECT_NE(GetModuleHandleW(L"avrt.dll"), nullptr);
}

TEST(windows_thread, says_what_refused_its_class) {
  constexpr unsigned long kAccessDenied = 5;
  using fg::detail::windows::class_refusals;
  EXPECT_EQ(class_refusals{}.message(), "");
  EXPECT_TRUE((class_refusals{.priority = kAccessDenied})
                  .message()
                  .starts_with("the system refused the scheduling class: "));
  EXPECT_TRUE((class_refusals{.multimedia = kAccessDenied})
                  .message()
                  .starts_with("time critical without the multimedia class scheduler: "));
}

TEST(windows_thread, has_used_the_time_that_it_worked) {
  fg::atomic<bool> worked{false};
  fg::atomic<bool> over{false};
  std::thread thread{[&] {
    work(200ms);
    worked.store(true);
    worked.notify_one();
    over.wait(false);
  }};
  worked.wait(false);
  const std::uint64_t used = fg::detail::thread_cpu_ns(thread);
  over.store(true);
  over.notify_one();
  thread.join();
  EXPECT_GT(used, 10'000'000U);  // another program may have had the CPU
  EXPECT_LT(used, 1'000'000'000U);
}

// ---- work is shared ----

TEST(windows_relic, hands_its_tasks_over) {
  if (has_one_cpu()) {
    GTEST_SKIP() << "one usable CPU: the relic has no assistant";
  }
  fg::relic relic;
  ASSERT_FALSE(relic.inline_mode()) << relic.inline_reason();
  EXPECT_NE(relic.placement().assistant_cpu, relic.placement().main_cpu);
  const std::thread::id main = std::this_thread::get_id();
  constexpr int kTasks = 40;
  int handed_over = 0;
  for (int i = 0; i < kTasks; ++i) {
    auto task = relic.fork([main] {
      work(5ms);
      return std::this_thread::get_id() != main;
    });
    work(5ms);
    handed_over += task.get() ? 1 : 0;
  }
  EXPECT_GE(handed_over, kTasks * 9 / 10);
}

// Its destructor has a lock of winpthreads, without which the assistant cannot begin or end.
TEST(windows_relic, may_be_thread_local) {
  for (int round = 0; round < 10; ++round) {
    int ran = 0;
    std::thread{[&ran] {
      thread_local fg::relic relic;
      relic.submit([&ran] { ++ran; });
    }}.join();
    EXPECT_EQ(ran, 1);
  }
}

TEST(windows_pool, has_a_worker_on_each_cpu) {
  fg::pool pool{{.placement = fg::worker_placement::every_cpu}};
  EXPECT_EQ(pool.size(), fg::usable_cpus().size());
  std::vector<int> seen(pool.size(), -1);
  fg::broadcast(pool, [&seen](std::size_t id) { seen[id] = fg::current_cpu(); });
  for (std::size_t id = 1; id < seen.size(); ++id) {  // worker 0 is the caller
    EXPECT_EQ(seen[id], pool.cpus()[id]);
  }
}

}  // namespace
