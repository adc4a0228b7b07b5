// Threads that end by pthread_cancel and pthread_exit. A cancelled thread unwinds, as by an
// exception that may not be swallowed.
// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>
#include <pthread.h>

#include <csignal>
#include <thread>

#include "finegrain/pool/task_group.hpp"
#include "unit/lifetime/process_end.hpp"

namespace {

using fg::test::dies_of;
using fg::test::expect_end;
using fg::test::on_other_worker;
using fg::test::workers;
using fg::test::works;

// Cancels the calling thread: nothing happens until it reaches a cancellation point.
class cancels_its_maker {
 public:
  void now() {
    pthread_cancel(maker_);
    cancelled_.store(true);
  }
  void wait() const {
    while (!cancelled_.load()) {
    }
  }

 private:
  pthread_t maker_ = pthread_self();
  fg::atomic<bool> cancelled_{false};
};

// How a thread that runs `body` has ended.
template <class Body>
void* end_of(Body body) {
  pthread_t thread{};
  pthread_create(
      &thread, nullptr,
      [](void* argument) -> void* {
        (*static_cast<Body*>(argument))();
        return nullptr;
      },
      &body);
  void* end = nullptr;
  pthread_join(thread, &end);
  return end;
}

TEST(cancelled, the_main_thread_of_a_relic_in_wait) {
  int ran = 0;
  EXPECT_EQ(end_of([&ran] {
              cancels_its_maker cancel;
              fg::relic relic;
              relic.submit([&cancel] { cancel.now(); });
              for (int i = 0; i < 1000; ++i) {  // submit has to wait, too
                relic.submit([&ran] { ++ran; });
              }
              relic.wait();
              EXPECT_EQ(ran, 1000);
              pthread_testcancel();
              ADD_FAILURE() << "not cancelled";
            }),
            PTHREAD_CANCELED);
}

// The join in the destructor is a cancellation point, and nothing may unwind from a destructor.
TEST(cancelled, the_main_thread_of_a_relic_in_its_destructor) {
  EXPECT_EQ(end_of([] {
              int ran = 0;
              {
                cancels_its_maker cancel;
                fg::relic relic;
                relic.submit([&] {
                  cancel.now();
                  ++ran;
                });
              }
              EXPECT_EQ(ran, 1);
              pthread_testcancel();
              ADD_FAILURE() << "not cancelled";
            }),
            PTHREAD_CANCELED);
}

TEST(cancelled, the_caller_of_run) {
  fg::pool pool{workers(3)};
  int ran = 0;
  EXPECT_EQ(end_of([&] {
              cancels_its_maker cancel;
              pool.run([&] {
                fg::task_group group;
                group.spawn([&ran] { ++ran; });
                on_other_worker([&cancel] { cancel.now(); });
                pthread_testcancel();
              });
            }),
            PTHREAD_CANCELED);
  EXPECT_EQ(ran, 1);
  EXPECT_TRUE(works(pool));
}

TEST(cancelled, the_owner_of_a_pool_in_its_destructor) {
  EXPECT_EQ(end_of([] {
              cancels_its_maker cancel;
              {
                fg::pool pool{workers(3)};
                pool.post([&cancel] { cancel.now(); });
              }
              cancel.wait();
              pthread_testcancel();
              ADD_FAILURE() << "not cancelled";
            }),
            PTHREAD_CANCELED);
}

TEST(cancelled, before_it_makes_a_relic_and_a_pool) {
  bool worked = false;
  EXPECT_EQ(end_of([&worked] {
              pthread_cancel(pthread_self());
              fg::relic relic;
              fg::pool pool{workers(3)};
              worked = works(relic) && works(pool);
              pthread_testcancel();
            }),
            PTHREAD_CANCELED);
  EXPECT_TRUE(worked);
}

// ---- a task ends its thread ----

TEST(a_task_that_ends_its_thread, ends_the_process_on_an_assistant) {
  expect_end(
      [] {
        fg::relic relic;
        relic.submit([] { pthread_exit(nullptr); });
        relic.wait();
      },
      dies_of(SIGABRT));
}

TEST(a_task_that_ends_its_thread, ends_the_process_on_another_worker) {
  expect_end(
      [] {
        fg::pool pool{workers(3)};
        pool.run([] {
          on_other_worker([] {
            pthread_cancel(pthread_self());
            pthread_testcancel();
          });
        });
      },
      dies_of(SIGABRT));
  expect_end(
      [] {
        fg::pool pool{workers(3)};
        pool.post([] { pthread_exit(nullptr); });
        for (;;) {
          pause();
        }
      },
      dies_of(SIGABRT));
}

}  // namespace
