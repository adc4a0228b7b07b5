// The process is forked, and children execute other programs. What the thread that owns a relic may
// do in a child: relic_process_test.cpp.
// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>
#include <pthread.h>
#include <sched.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <chrono>
#include <csignal>
#include <cstddef>
#include <cstdio>
#include <cstdlib>
#include <memory>
#include <string>
#include <thread>

#include "finegrain/host/affinity.hpp"
#include "support/on_thread.hpp"
#include "unit/lifetime/process_end.hpp"

namespace {

using fg::test::exits_with;
using fg::test::expect_end;
using fg::test::on_other_worker;
using fg::test::workers;
using fg::test::works;

// The exit code of a child that runs `body`, or 100 plus the signal that ended it.
template <class Body>
int in_child(Body body) {
  const pid_t child = fork();
  if (child == 0) {
    alarm(20);
    body();
    _exit(0);
  }
  int status = 0;
  waitpid(child, &status, 0);
  return WIFEXITED(status) ? WEXITSTATUS(status) : 100 + WTERMSIG(status);
}

bool everything_works_in_a_child(fg::pool& inherited) {
  bool posted = false;
  inherited.post([&posted] { posted = true; });
  int calls = 0;
  fg::broadcast(inherited, [&calls](std::size_t) { ++calls; });
  fg::pool pool{workers(2)};
  fg::relic relic;
  return works(inherited) && posted && calls == 1 && works(pool) && works(relic);
}

TEST(fork_beside_a_busy_pool, leaves_the_child_the_pool_and_new_ones) {
  fg::pool pool{workers(3)};
  fg::atomic<bool> over{false};
  fg::atomic<bool> runs{false};
  std::thread user{[&] {
    pool.run([&] {
      while (!over.load()) {
        fg::test::forked_fib(12);
        runs.store(true);
      }
    });
  }};
  while (!runs.load()) {
    std::this_thread::yield();
  }
  for (int round = 0; round < 5; ++round) {
    EXPECT_EQ(in_child([&pool] { _exit(everything_works_in_a_child(pool) ? 3 : 4); }), 3);
  }
  over.store(true);
  user.join();
  EXPECT_TRUE(works(pool));
}

TEST(fork_beside_static_ones, lets_the_child_of_any_thread_exit) {
  expect_end(
      [] {
        static fg::relic relic;
        static fg::pool pool{workers(3)};
        relic.submit([] { fg::test::busy_for(std::chrono::milliseconds{5}); });
        pool.post([] { fg::test::busy_for(std::chrono::milliseconds{5}); });
        fg::test::on_thread([] {
          if (in_child([] { std::exit(3); }) != 3) {
            _exit(1);
          }
        });
        std::exit(works(relic) && works(pool) ? 3 : 4);
      },
      exits_with(3));
}

TEST(fork_in_a_task, lets_the_child_exit) {
  expect_end(
      [] {
        static fg::relic relic;
        static fg::pool pool{workers(3)};
        int of_relic = 0;
        int of_pool = 0;
        int of_caller = 0;
        relic.submit([&] { of_relic = in_child([] { std::exit(3); }); });
        relic.wait();
        pool.run([&] {
          on_other_worker([&] { of_pool = in_child([] { std::exit(3); }); });
          of_caller = in_child([] { std::exit(3); });
        });
        std::exit(of_relic == 3 && of_pool == 3 && of_caller == 3 ? 3 : 4);
      },
      exits_with(3));
}

// ---- programs ----

// The output of `command`, run as system() does it: by posix_spawn.
std::string output_of(const char* command) {
  const std::unique_ptr<std::FILE, int (*)(std::FILE*)> pipe{popen(command, "r"), &pclose};
  std::array<char, 256> line{};
  std::string text;
  while (std::fgets(line.data(), line.size(), pipe.get()) != nullptr) {
    text += line.data();
  }
  return text;
}

// Whether a program started here can be ended by SIGTERM. No shell: some clear the signal mask.
bool sigterm_ends_a_program() {
  std::string name = "sleep";
  std::string seconds = "0.2";
  const std::array<char*, 3> arguments{name.data(), seconds.data(), nullptr};
  pid_t program = -1;
  EXPECT_EQ(posix_spawnp(&program, name.c_str(), nullptr, nullptr, arguments.data(), environ), 0);
  kill(program, SIGTERM);
  int status = 0;
  waitpid(program, &status, 0);
  return WIFSIGNALED(status);
}

// The CPUs that a program started here may use.
std::string cpus_of_a_program() { return output_of("grep Cpus_allowed: /proc/self/status"); }

// Our thread, which runs the task, has all signals blocked except faults, and is pinned to one CPU.
TEST(a_program, started_by_a_task_is_as_its_thread_until_the_task_says_otherwise) {
  const std::string all_cpus = cpus_of_a_program();
  sigset_t signals;
  pthread_sigmask(SIG_SETMASK, nullptr, &signals);
  cpu_set_t cpus;
  sched_getaffinity(0, sizeof cpus, &cpus);
  // On that CPU in any case: otherwise it follows a main thread that is moved meanwhile.
  fg::relic relic{{.assistant_cpu = fg::usable_cpus().back(), .main_helps = false}};
  relic.submit([&] {
    EXPECT_FALSE(sigterm_ends_a_program());
    EXPECT_NE(cpus_of_a_program(), all_cpus);
    pthread_sigmask(SIG_SETMASK, &signals, nullptr);
    sched_setaffinity(0, sizeof cpus, &cpus);
    EXPECT_TRUE(sigterm_ends_a_program());
    EXPECT_EQ(cpus_of_a_program(), all_cpus);
  });
  relic.wait();
}

TEST(a_program, started_beside_tasks_inherits_nothing_of_ours) {
  const std::string all_cpus = cpus_of_a_program();
  fg::atomic<bool> over{false};
  fg::relic relic;
  fg::pool pool{workers(3)};
  const auto until_over = [&over] {
    while (!over.load()) {
      std::this_thread::yield();
    }
  };
  relic.submit(until_over);
  pool.post(until_over);
  EXPECT_TRUE(sigterm_ends_a_program());
  EXPECT_EQ(cpus_of_a_program(), all_cpus);
  over.store(true);
}

}  // namespace
