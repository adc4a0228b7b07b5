// The process ends: by exit() anywhere, by terminate, with work pending; and objects that live
// until the end of a thread or of the process.
// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>
#include <sys/mman.h>

#include <chrono>
#include <csignal>
#include <cstddef>
#include <cstdlib>
#include <exception>
#include <memory>
#include <stdexcept>
#include <thread>

#include "finegrain/hybrid/hybrid_pool.hpp"
#include "support/sanitizer.hpp"
#include "unit/lifetime/process_end.hpp"

// What running threads hold is not a leak, but LeakSanitizer does not see all of them when a child
// of ours exits.
// NOLINTNEXTLINE(bugprone-reserved-identifier,readability-identifier-naming): its name
extern "C" const char* __asan_default_options() { return "detect_leaks=0"; }

namespace {

using fg::test::dies_of;
using fg::test::exits_with;
using fg::test::expect_end;
using fg::test::on_other_worker;
using fg::test::workers;
using fg::test::works;

[[noreturn]] void wait_for_the_end() {
  for (;;) {
    pause();
  }
}

// ---- exit() from a task ----

TEST(exit_from_a_task, of_a_static_relic) {
  expect_end(
      [] {
        static fg::relic relic;
        static fg::atomic<bool> submitted{false};
        relic.submit([] {
          submitted.wait(false);
          std::exit(3);
        });
        submitted.store(true);
        submitted.notify_one();
        wait_for_the_end();
      },
      exits_with(3));
}

TEST(exit_from_a_task, of_a_static_relic_that_main_waits_for) {
  if (fg::test::kSanitized) {
    GTEST_SKIP() << "exit() destroys the relic while main looks at it, which sanitizers tell";
  }
  expect_end(
      [] {
        static fg::relic relic;
        relic.submit([] { std::exit(3); });
        relic.wait();
      },
      exits_with(3));
}

TEST(exit_from_a_task, that_main_runs_for_a_sleeping_assistant_of_a_static_relic) {
  expect_end(
      [] {
        static fg::relic relic;
        for (;;) {
          relic.sleep_hint();
          std::this_thread::sleep_for(std::chrono::milliseconds{10});
          relic.submit([] {
            if (relic.called_by_main()) {
              std::exit(3);
            }
          });
          relic.wait();
        }
      },
      exits_with(3));
}

TEST(exit_from_a_task, whose_result_a_static_object_waits_for) {
  expect_end(
      [] {
        static fg::relic relic;
        static const fg::forked<int> result = relic.fork([]() -> int { std::exit(3); });
        wait_for_the_end();
      },
      exits_with(3));
}

TEST(exit_from_a_task, on_another_worker_of_a_static_pool) {
  expect_end(
      [] {
        static fg::pool pool{workers(3)};
        pool.run([] { on_other_worker([] { std::exit(3); }); });
      },
      exits_with(3));
}

TEST(exit_from_a_task, on_the_caller_of_run_of_a_static_pool) {
  expect_end(
      [] {
        static fg::pool pool{workers(3)};
        pool.run([] { std::exit(3); });
      },
      exits_with(3));
}

TEST(exit_from_a_task, posted_to_a_static_pool) {
  expect_end(
      [] {
        static fg::pool pool{workers(3)};
        pool.post([] { std::exit(3); });
        wait_for_the_end();
      },
      exits_with(3));
}

TEST(exit_from_a_task, while_the_workers_of_a_heap_allocated_pool_are_busy) {
  expect_end(
      [] {
        static const auto pool = std::make_unique<fg::pool>(workers(4));
        fg::atomic<int> busy{0};
        fg::broadcast(*pool, [&busy](std::size_t id) {
          if (id == 0) {
            while (busy.load() != 3) {
              std::this_thread::yield();
            }
            std::exit(3);
          }
          busy.fetch_add(1);
          for (;;) {
            fg::test::forked_fib(10);
          }
        });
      },
      exits_with(3));
}

TEST(exit_from_a_task, on_an_assistant_of_a_static_hybrid_pool) {
  expect_end(
      [] {
        const int cpu = fg::usable_cpus().back();
        static fg::hybrid_pool pool{workers(2), {{.assistant_cpu = cpu}, {.assistant_cpu = cpu}}};
        pool.run([] { pool.fork_join_fine([] {}, [] { std::exit(3); }, fg::offload::always); });
      },
      exits_with(3));
}

TEST(exit_from_another_thread, while_a_static_pool_runs) {
  expect_end(
      [] {
        static fg::pool pool{workers(2)};
        fg::atomic<bool> runs{false};
        const std::jthread other{[&runs] {
          runs.wait(false);
          std::exit(3);
        }};
        pool.run([&runs] {
          runs.store(true);
          runs.notify_one();
          wait_for_the_end();
        });
      },
      exits_with(3));
}

// ---- exit() from main with tasks pending ----

// Destroyed after what is made later: exits with what it counted.
struct tells_how_many_ran {
  fg::atomic<int> ran{0};
  ~tells_how_many_ran() { std::_Exit(ran.load()); }
};

TEST(exit_from_main, runs_what_was_submitted_to_a_static_relic) {
  expect_end(
      [] {
        static tells_how_many_ran tasks;
        static fg::relic relic;
        for (int i = 0; i < 50; ++i) {
          relic.submit([] {
            fg::test::busy_for(std::chrono::microseconds{50});
            tasks.ran.fetch_add(1);
          });
        }
        std::exit(3);
      },
      exits_with(50));
}

TEST(exit_from_main, runs_what_was_posted_to_a_static_pool) {
  expect_end(
      [] {
        static tells_how_many_ran tasks;
        static fg::pool pool{workers(2)};
        for (int i = 0; i < 50; ++i) {
          pool.post([] {
            fg::test::busy_for(std::chrono::microseconds{50});
            tasks.ran.fetch_add(1);
          });
        }
        std::exit(3);
      },
      exits_with(50));
}

TEST(exit_from_main, does_not_wait_for_the_tasks_of_what_is_never_destroyed) {
  expect_end(
      [] {
        auto* const relic = new fg::relic;
        auto* const pool = new fg::pool{workers(2)};
        relic->submit([] { wait_for_the_end(); });
        pool->post([] { wait_for_the_end(); });
        std::exit(3);
      },
      exits_with(3));
}

TEST(quick_exit, waits_for_nothing) {
  expect_end(
      [] {
        static fg::relic relic;
        static fg::pool pool{workers(2)};
        pool.post([] { wait_for_the_end(); });
        relic.submit([] { std::quick_exit(3); });
        relic.wait();
      },
      exits_with(3));
}

// ---- static and thread_local objects ----

TEST(static_destruction, of_what_is_older_may_make_new_ones) {
  struct user {
    ~user() {
      fg::pool pool{workers(2)};
      fg::relic relic;
      std::_Exit(works(pool) && works(relic) ? 3 : 4);
    }
  };
  expect_end(
      [] {
        static const user older;
        static fg::relic relic;
        static fg::pool pool{workers(3)};
        std::exit(works(pool) && works(relic) ? 0 : 1);
      },
      exits_with(3));
}

TEST(thread_end, ends_a_thread_local_relic_after_its_tasks) {
  int ran = 0;
  std::thread{[&ran] {
    thread_local fg::relic relic;
    for (int i = 0; i < 50; ++i) {
      relic.submit([&ran] {
        fg::test::busy_for(std::chrono::microseconds{50});
        ++ran;
      });
    }
  }}.join();
  EXPECT_EQ(ran, 50);
}

TEST(thread_end, of_main_ends_a_thread_local_pool_and_relic) {
  expect_end(
      [] {
        static tells_how_many_ran tasks;
        thread_local fg::relic relic;
        thread_local fg::pool pool{workers(2)};
        for (int i = 0; i < 20; ++i) {
          relic.submit([] { tasks.ran.fetch_add(1); });
          pool.post([] { tasks.ran.fetch_add(1); });
        }
        std::exit(3);
      },
      exits_with(40));
}

// ---- SIGABRT ----

void fail() { throw std::runtime_error{"of a task"}; }

TEST(terminate, by_an_exception_out_of_a_noexcept_task) {
  const auto thrower = []() noexcept { fail(); };
  expect_end(
      [&] {
        fg::relic relic;
        relic.submit(thrower);
        relic.wait();
      },
      dies_of(SIGABRT), "of a task");
  expect_end(
      [&] {
        fg::pool pool{workers(3)};
        pool.run([&] { on_other_worker(thrower); });
      },
      dies_of(SIGABRT), "of a task");
}

TEST(terminate, by_an_exception_of_a_posted_task) {
  expect_end(
      [] {
        fg::pool pool{workers(3)};
        pool.post(&fail);
        wait_for_the_end();
      },
      dies_of(SIGABRT), "of a task");
}

TEST(terminate, in_a_task_while_others_are_pending) {
  expect_end(
      [] {
        static fg::relic relic;
        static fg::pool pool{workers(2)};
        pool.post([] { wait_for_the_end(); });
        relic.submit([] { std::terminate(); });
        for (int i = 0; i < 100; ++i) {
          relic.submit([] { fg::test::busy_for(std::chrono::microseconds{50}); });
        }
        relic.wait();
      },
      dies_of(SIGABRT));
}

TEST(abort, in_main_while_tasks_run) {
  expect_end(
      [] {
        static fg::relic relic;
        static fg::pool pool{workers(2)};
        relic.submit([] { wait_for_the_end(); });
        pool.post([] { wait_for_the_end(); });
        std::abort();
      },
      dies_of(SIGABRT));
}

// ---- crash handlers ----

void write_to_a_page_that_may_not_be_written() {
  auto* const page =
      static_cast<volatile char*>(mmap(nullptr, 1, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0));
  *page = 1;
}

void exit_by_a_crash_handler() {
  struct sigaction handler{};
  handler.sa_handler = [](int) { _exit(3); };
  sigaction(SIGSEGV, &handler, nullptr);
}

TEST(a_crash_handler, runs_for_a_task_of_a_relic) {
  expect_end(
      [] {
        exit_by_a_crash_handler();
        fg::relic relic;
        relic.submit([] { write_to_a_page_that_may_not_be_written(); });
        relic.wait();
      },
      exits_with(3));
}

TEST(a_crash_handler, runs_for_a_task_on_another_worker_of_a_pool) {
  expect_end(
      [] {
        exit_by_a_crash_handler();
        fg::pool pool{workers(3)};
        pool.run([] { on_other_worker([] { write_to_a_page_that_may_not_be_written(); }); });
      },
      exits_with(3));
}

}  // namespace
