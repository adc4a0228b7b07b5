// A relic and the life of its process: fork(), many relics, static ones.
// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>
#include <pthread.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <chrono>
#include <memory>
#include <mutex>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

#include "finegrain/core/atomic.hpp"
#include "finegrain/relic/relic.hpp"
#include "support/on_thread.hpp"
#include "support/sanitizer.hpp"

namespace {

// Runs `body` in a fork of this process. Returns its result, or 100 plus the signal that ended it:
// an alarm ends a child that hangs.
template <class Body>
int in_child(Body&& body) {
  const pid_t child = fork();
  if (child == 0) {
    alarm(20);
    _exit(body() ? 0 : 1);
  }
  int status = 0;
  waitpid(child, &status, 0);
  return WIFEXITED(status) ? WEXITSTATUS(status) : 100 + WTERMSIG(status);
}

bool works(fg::relic& relic) {
  int ran = 0;
  for (int i = 0; i < 200; ++i) {
    relic.submit([&ran] { ++ran; });
  }
  relic.wait();
  return ran == 200;
}

TEST(relic_process, works_on_in_both_after_a_fork) {
  fg::relic relic;
  ASSERT_FALSE(relic.inline_mode()) << relic.inline_reason();
  EXPECT_TRUE(works(relic));
  for (int round = 0; round < 10; ++round) {
    EXPECT_EQ(in_child([&relic] {
                return relic.inline_mode() &&
                       relic.inline_reason() ==
                           "the process was forked, and the assistant stayed in the parent" &&
                       works(relic);
              }),
              0);
    EXPECT_FALSE(relic.inline_mode());
    EXPECT_TRUE(works(relic));
  }
}

TEST(relic_process, a_fork_waits_for_the_submitted_tasks) {
  fg::relic relic;
  int ran = 0;
  for (int i = 0; i < 100; ++i) {
    relic.submit([&ran] {
      const std::uint64_t until = fg::ticks() + fg::to_ticks(std::chrono::microseconds{50});
      while (fg::ticks() < until) {
      }
      ++ran;
    });
  }
  EXPECT_EQ(in_child([&] {
              relic.wait();
              return ran == 100 && works(relic);
            }),
            0);
  relic.wait();
  EXPECT_EQ(ran, 100);
}

// A lock that a library's handlers hold around fork(), and that a task needs. Requires: there is a
// relic, so that its handler is called while the lock is held.
struct held_around_forks {
  std::mutex lock;
  bool is_used = false;
  fg::atomic<bool> is_held{false};

  void before() {
    if (is_used) {
      lock.lock();
      is_held = true;
      is_held.notify_one();
    }
  }
  void after() {
    if (is_used) {
      lock.unlock();
    }
  }
};
held_around_forks library;

void hold_the_librarys_lock_around_forks() {
  static const int once =
      pthread_atfork([] { library.before(); }, [] { library.after(); }, [] { library.after(); });
  ASSERT_EQ(once, 0);
  library.is_held = false;
  library.is_used = true;
}

TEST(relic_process, a_fork_does_not_wait_for_ever_for_a_task_that_wants_a_lock_held_around_it) {
  fg::relic relic;
  ASSERT_FALSE(relic.inline_mode()) << relic.inline_reason();
  hold_the_librarys_lock_around_forks();
  int ran = 0;
  relic.submit([&ran] {
    library.is_held.wait(false);
    const std::lock_guard lock{library.lock};
    ++ran;
  });
  for (int i = 0; i < 10; ++i) {
    relic.submit([&ran] { ++ran; });
  }
  auto small = relic.fork([] { return 1; });
  auto large = relic.fork([] { return std::array<int, 50>{1, 2, 3}; });
  int into = 0;
  relic.submit_into(into, [] { return 4; });
  alarm(60);
  EXPECT_EQ(in_child([&] {
              const auto throws = [](auto&& call) {
                try {
                  static_cast<void>(call());
                } catch (const std::runtime_error&) {
                  return true;
                }
                return false;
              };
              return throws([&] { return small.get(); }) && throws([&] { return large.get(); }) &&
                     throws([&] { return relic.wait(), 0; }) && into == 0 && ran == 0 &&
                     works(relic);
            }),
            0);
  relic.wait();
  EXPECT_EQ(ran, 11);
  EXPECT_EQ(small.get(), 1);
  EXPECT_EQ(large.get()[2], 3);
  EXPECT_EQ(into, 4);
  EXPECT_TRUE(works(relic));
  alarm(0);
  library.is_used = false;
}

// The main thread holds the lock itself while the handlers are called, so it must not help.
TEST(relic_process, a_fork_runs_no_task_of_a_sleeping_assistant) {
  fg::relic relic{{.spin_budget = std::chrono::microseconds{0}}};
  ASSERT_FALSE(relic.inline_mode()) << relic.inline_reason();
  hold_the_librarys_lock_around_forks();
  alarm(60);
  for (int i = 0; i != 10; ++i) {  // a waking assistant may be faster
    std::this_thread::sleep_for(std::chrono::milliseconds{10});
    library.is_held = false;
    bool within = false;
    relic.submit([&within] {
      library.is_held.wait(false);
      const std::lock_guard lock{library.lock};
      within = true;
    });
    EXPECT_EQ(in_child([] { return true; }), 0);
    relic.wait();
    EXPECT_TRUE(within);
  }
  library.is_used = false;
}

TEST(relic_process, a_fork_while_the_assistant_sleeps) {
  fg::relic relic;
  relic.sleep_hint();
  while (!relic.is_asleep()) {
    std::this_thread::yield();
  }
  EXPECT_EQ(in_child([&relic] { return works(relic) && !relic.is_asleep(); }), 0);
  EXPECT_TRUE(works(relic));
}

TEST(relic_process, hints_counters_and_destruction_in_the_child) {
  auto relic = std::make_unique<fg::relic>();
  EXPECT_EQ(in_child([&relic] {
              relic->sleep_hint();
              relic->wake_up_hint();
              const bool counted = works(*relic) && relic->counters().tasks_inlined == 200;
              relic.reset();
              return counted;
            }),
            0);
}

TEST(relic_process, a_new_relic_in_the_child_has_an_assistant) {
  fg::relic in_parent;
  // A starting thread may hold a lock of AddressSanitizer's, which a fork then copies.
  EXPECT_TRUE(works(in_parent));
  EXPECT_EQ(in_child([] {
              fg::relic relic;
              return !relic.inline_mode() && works(relic);
            }),
            0);
}

TEST(relic_process, another_threads_relic_can_be_destroyed_in_the_child) {
  std::unique_ptr<fg::relic> relic;
  fg::atomic<bool> done{false};
  fg::atomic<bool> made{false};
  std::thread owner{[&] {
    relic = std::make_unique<fg::relic>();
    made = true;
    made.notify_one();
    done.wait(false);
    relic.reset();
  }};
  made.wait(false);
  EXPECT_EQ(in_child([&relic] {
              relic.reset();
              return true;
            }),
            0);
  done = true;
  done.notify_one();
  owner.join();
}

TEST(relic_process, two_hundred_relics_at_once) {
  std::vector<std::unique_ptr<fg::relic>> relics;
  relics.reserve(200);
  for (int i = 0; i < 200; ++i) {
    relics.push_back(std::make_unique<fg::relic>());
  }
  for (auto& relic : relics) {
    ASSERT_TRUE(works(*relic));
  }
  EXPECT_FALSE(relics.front()->inline_mode()) << relics.front()->inline_reason();
  EXPECT_TRUE(relics.back()->inline_mode());
  EXPECT_EQ(relics.back()->inline_reason(), "every usable CPU already serves a relic");
  relics.clear();
  const fg::relic after;
  EXPECT_FALSE(after.inline_mode()) << after.inline_reason();
}

TEST(relic_process, two_hundred_assistants_at_once) {
  const int cpu = fg::usable_cpus().back();
  std::vector<std::unique_ptr<fg::relic>> relics;
  relics.reserve(200);
  for (int i = 0; i < (fg::test::kSlow ? 50 : 200); ++i) {
    relics.push_back(std::make_unique<fg::relic>(fg::relic_options{.assistant_cpu = cpu}));
    ASSERT_FALSE(relics.back()->inline_mode()) << relics.back()->inline_reason();
  }
  for (auto& relic : relics) {
    ASSERT_TRUE(works(*relic));
  }
}

// The main thread moves to the assistant's CPU: the assistant moves away.
TEST(relic_process, the_assistant_follows_the_main_thread) {
  fg::test::on_thread([] {
    const std::vector<int> cpus = fg::usable_cpus();
    ASSERT_GE(cpus.size(), 2U);
    ASSERT_FALSE(fg::pin_this_thread(cpus.front()));
    fg::relic relic{{.main_helps = false}};
    ASSERT_FALSE(relic.inline_mode()) << relic.inline_reason();
    const int assistant_cpu = relic.placement().assistant_cpu.value();
    ASSERT_NE(assistant_cpu, cpus.front());
    ASSERT_FALSE(fg::pin_this_thread(assistant_cpu));
    relic.wake_up_hint();
    EXPECT_NE(relic.placement().assistant_cpu.value(), assistant_cpu);
    int seen = -1;
    relic.submit([&seen] { seen = fg::current_cpu(); });
    relic.wait();
    EXPECT_EQ(seen, relic.placement().assistant_cpu.value());
  });
}

TEST(relic_process, threads_made_later_do_not_inherit_the_placement) {
  const std::vector<int> before = fg::usable_cpus();
  const fg::relic relic;
  std::vector<int> inherited;
  fg::test::on_thread([&inherited] { inherited = fg::usable_cpus(); });
  EXPECT_EQ(inherited, before);
}

TEST(relic_process, a_pinned_main_thread_still_gets_an_assistant_elsewhere) {
  fg::test::on_thread([] {
    const int cpu = fg::usable_cpus().front();
    ASSERT_FALSE(fg::pin_this_thread(cpu));
    fg::relic relic;
    ASSERT_FALSE(relic.inline_mode()) << relic.inline_reason();
    EXPECT_NE(relic.placement().assistant_cpu.value(), cpu);
    EXPECT_TRUE(works(relic));
  });
}

}  // namespace
