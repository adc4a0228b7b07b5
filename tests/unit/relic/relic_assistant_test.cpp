// Tests that need an assistant: another thread runs the tasks, all of them.
// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>
#include <pthread.h>
#include <unistd.h>

#include <array>
#include <chrono>
#include <csignal>
#include <fstream>
#include <memory>
#include <string>
#include <system_error>
#include <thread>
#include <utility>
#include <vector>

#include "finegrain/core/atomic.hpp"
#include "finegrain/relic/relic.hpp"

namespace {

// Blocks the assistant's current task until `open`.
class gate {
 public:
  void pass() { open_.wait(false); }
  void open() {
    open_ = true;
    open_.notify_all();
  }

 private:
  fg::atomic<bool> open_{false};
};

// Linux's one-letter state of a thread of this process: R runs, S sleeps.
char thread_state(pid_t thread) {
  std::ifstream stat{"/proc/self/task/" + std::to_string(thread) + "/stat"};
  std::string text;
  std::getline(stat, text);
  return text.at(text.rfind(')') + 2);
}

bool falls_asleep(pid_t thread) {
  const auto until = std::chrono::steady_clock::now() + std::chrono::seconds{60};
  while (thread_state(thread) != 'S') {
    if (std::chrono::steady_clock::now() > until) {
      return false;
    }
    std::this_thread::yield();
  }
  return true;
}

pid_t assistant_id(fg::relic& relic) {
  pid_t id = 0;
  relic.submit([&id] { id = gettid(); });
  relic.wait();
  return id;
}

TEST(relic, runs_tasks_on_one_other_thread) {
  fg::relic relic{{.main_helps = false}};
  ASSERT_FALSE(relic.inline_mode()) << relic.inline_reason();
  EXPECT_TRUE(relic.inline_reason().empty());
  const pid_t first = assistant_id(relic);
  EXPECT_NE(first, gettid());
  EXPECT_EQ(assistant_id(relic), first);
}

TEST(relic, runs_a_task_while_the_main_thread_goes_on) {
  fg::relic relic{{.main_helps = false}};
  gate from_main;
  fg::atomic<bool> seen{false};
  relic.submit([&] {
    from_main.pass();  // an inline relic would block here forever
    seen = true;
  });
  EXPECT_FALSE(seen);
  from_main.open();
  relic.wait();
  EXPECT_TRUE(seen);
}

TEST(relic, try_submit_refuses_the_129th_unfinished_task) {
  fg::relic relic{{.main_helps = false}};
  gate hold;
  int ran = 0;
  relic.submit([&hold] { hold.pass(); });
  for (std::size_t i = 1; i < fg::relic::kQueueCapacity; ++i) {
    ASSERT_TRUE(relic.try_submit([&ran] { ++ran; })) << i;
  }
  auto left = std::make_unique<int>(1);
  EXPECT_FALSE(relic.try_submit([&ran, left = std::move(left)] { ++ran; }));
  EXPECT_FALSE(relic.try_submit([](void* counter) { ++*static_cast<int*>(counter); }, &ran));
  hold.open();
  relic.wait();
  EXPECT_EQ(ran, 127);
  EXPECT_TRUE(relic.try_submit([&ran] { ++ran; }));
  relic.wait();
  EXPECT_EQ(ran, 128);
}

TEST(relic, try_submit_leaves_a_refused_closure_untouched) {
  fg::relic relic{{.main_helps = false}};
  gate hold;
  relic.submit([&hold] { hold.pass(); });
  for (std::size_t i = 1; i < fg::relic::kQueueCapacity; ++i) {
    ASSERT_TRUE(relic.try_submit([] {}));
  }
  auto closure = [value = std::make_unique<int>(9)] { static_cast<void>(value); };
  EXPECT_FALSE(relic.try_submit(std::move(closure)));
  hold.open();
  relic.wait();
  EXPECT_TRUE(relic.try_submit(std::move(closure)));  // NOLINT(bugprone-use-after-move): the claim
}

TEST(relic, submit_waits_for_space_and_loses_nothing) {
  fg::relic relic{{.main_helps = false}};
  gate hold;
  int ran = 0;
  relic.submit([&hold] { hold.pass(); });
  std::thread opener{[&hold] {
    std::this_thread::sleep_for(std::chrono::milliseconds{20});
    hold.open();
  }};
  for (int i = 0; i < 1000; ++i) {
    relic.submit([&ran] { ++ran; });
  }
  opener.join();
  relic.wait();
  EXPECT_EQ(ran, 1000);
}

TEST(relic, sleeps_after_the_hint_and_wakes_for_a_task) {
  fg::relic relic{{.main_helps = false}};
  const pid_t assistant = assistant_id(relic);
  for (int round = 0; round < 5; ++round) {
    relic.sleep_hint();
    ASSERT_TRUE(falls_asleep(assistant));
    EXPECT_EQ(assistant_id(relic), assistant);
  }
}

TEST(relic, finishes_its_tasks_before_it_sleeps) {
  fg::relic relic{{.main_helps = false}};
  const pid_t assistant = assistant_id(relic);
  gate hold;
  int ran = 0;
  relic.submit([&hold] { hold.pass(); });
  for (int i = 0; i < 50; ++i) {
    relic.submit([&ran] { ++ran; });
  }
  relic.sleep_hint();
  hold.open();
  relic.wait();
  EXPECT_EQ(ran, 50);
  EXPECT_TRUE(falls_asleep(assistant));
}

TEST(relic, wait_without_tasks_lets_it_sleep) {
  fg::relic relic{{.main_helps = false}};
  const pid_t assistant = assistant_id(relic);
  relic.sleep_hint();
  ASSERT_TRUE(falls_asleep(assistant));
  relic.wait();
  EXPECT_EQ(thread_state(assistant), 'S');
}

TEST(relic, wakes_for_the_hint) {
  fg::relic relic{{.main_helps = false}};
  const pid_t assistant = assistant_id(relic);
  relic.sleep_hint();
  ASSERT_TRUE(falls_asleep(assistant));
  relic.wake_up_hint();
  const auto until = std::chrono::steady_clock::now() + std::chrono::seconds{60};
  while (thread_state(assistant) != 'R' && std::chrono::steady_clock::now() < until) {
  }
  EXPECT_EQ(thread_state(assistant), 'R');
}

TEST(relic, can_be_destroyed_while_it_sleeps) {
  for (int round = 0; round < 20; ++round) {
    fg::relic relic{{.main_helps = false}};
    const pid_t assistant = assistant_id(relic);
    relic.sleep_hint();
    if (round % 2 == 0) {  // otherwise destroyed on its way to sleep
      ASSERT_TRUE(falls_asleep(assistant));
    }
  }
}

TEST(relic, ties_the_assistant_to_the_cpu_of_the_options) {
  for (const int cpu : fg::usable_cpus()) {
    fg::relic relic{{.assistant_cpu = cpu, .main_helps = false}};
    int seen = -1;
    relic.submit([&seen] { seen = fg::current_cpu(); });
    relic.wait();
    EXPECT_EQ(seen, cpu);
  }
}

TEST(relic, leaves_the_main_threads_affinity_alone) {
  const std::vector<int> before = fg::usable_cpus();
  const fg::relic relic{{.assistant_cpu = before.back()}};
  EXPECT_EQ(fg::usable_cpus(), before);
}

TEST(relic, refuses_a_cpu_that_does_not_exist) {
  try {
    const fg::relic relic{{.assistant_cpu = 5000}};
    FAIL() << "no exception";
  } catch (const std::system_error& error) {
    EXPECT_EQ(error.code(), std::errc::invalid_argument);
    EXPECT_NE(std::string{error.what()}.find("CPU 5000"), std::string::npos) << error.what();
  }
}

TEST(relic, gives_the_assistant_a_name_and_no_signals) {
  fg::relic relic{{.main_helps = false}};
  std::array<char, 16> name{};
  bool all_blocked = true;
  relic.submit([&] {
    pthread_getname_np(pthread_self(), name.data(), name.size());
    sigset_t blocked;
    pthread_sigmask(SIG_SETMASK, nullptr, &blocked);
    for (const int signal : {SIGINT, SIGTERM, SIGUSR1, SIGALRM, SIGCHLD}) {
      all_blocked = all_blocked && sigismember(&blocked, signal) == 1;
    }
  });
  relic.wait();
  EXPECT_STREQ(name.data(), "fg-relic");
  EXPECT_TRUE(all_blocked);
  sigset_t own;
  pthread_sigmask(SIG_SETMASK, nullptr, &own);
  EXPECT_EQ(sigismember(&own, SIGINT), 0) << "the main thread's mask is as before";
}

TEST(relic, several_relics_work_side_by_side) {
  std::array<fg::relic, 4> relics;
  std::array<int, 4> ran{};
  for (int i = 0; i < 500; ++i) {
    for (std::size_t r = 0; r < relics.size(); ++r) {
      relics[r].submit([&ran, r] { ++ran[r]; });
    }
  }
  for (fg::relic& relic : relics) {
    relic.wait();
  }
  EXPECT_EQ(ran, (std::array{500, 500, 500, 500}));
}

}  // namespace
