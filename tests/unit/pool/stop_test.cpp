// Stop requests: for calls of `run`, groups and loops.
// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <chrono>
#include <functional>
#include <optional>
#include <stdexcept>
#include <thread>
#include <vector>

#include "finegrain/algorithm/pool/parallel_for.hpp"
#include "finegrain/algorithm/pool/parallel_reduce.hpp"
#include "finegrain/algorithm/pool/parallel_scan.hpp"
#include "finegrain/core/atomic.hpp"
#include "finegrain/core/stop_token.hpp"
#include "finegrain/pool/pool.hpp"
#include "finegrain/pool/task_group.hpp"

namespace {

constexpr long kIterations = 1'000'000;

TEST(stop_loops, of_every_partition_begin_no_piece_after_the_request) {
  fg::pool pool{{.workers = 3}};
  for (const fg::partition how :
       {fg::partition::lazy, fg::partition::dynamic, fg::partition::fixed}) {
    fg::stop_source source;
    fg::atomic<long> calls{0};
    fg::parallel_for(pool, 0L, kIterations,
                     [&](long begin, long end) {
                       calls += end - begin;
                       source.request_stop();
                     },
                     {.how = how, .grain = 10, .stop = source.get_token()});
    const long running = how == fg::partition::fixed ? kIterations : 10L * 3;
    EXPECT_LE(calls.load(), running);
    EXPECT_GT(calls.load(), 0);
    EXPECT_TRUE(source.stop_requested());
  }
}

TEST(stop_loops, that_were_asked_before_run_nothing) {
  fg::pool pool{{.workers = 2}};
  const fg::stop_source source;
  source.request_stop();
  fg::atomic<long> calls{0};
  fg::parallel_for(pool, 0L, kIterations, [&](long) { ++calls; }, {.stop = source.get_token()});
  EXPECT_EQ(calls.load(), 0);
}

TEST(stop_loops, reductions_count_what_was_left_out_as_the_identity) {
  fg::pool pool{{.workers = 2}};
  for (const bool deterministic : {false, true}) {
    fg::stop_source source;
    const auto sum = [&] {
      return fg::parallel_reduce(
          pool, 0L, kIterations, 0L,
          [&](long i) {
            if (i == 0) {
              source.request_stop();
            }
            return 1L;
          },
          [](long a, long b) { return a + b; },
          {.deterministic = deterministic, .stop = source.get_token()});
    };
    const long first = sum();
    EXPECT_GT(first, 0);
    EXPECT_LT(first, kIterations);
    EXPECT_EQ(sum(), 0);
  }
}

TEST(stop_loops, scans_return) {
  fg::pool pool{{.workers = 2}};
  std::vector<long> numbers(1000, 1);
  const fg::stop_source source;
  fg::parallel_scan(pool, numbers.begin(), numbers.size(), numbers.begin(), std::plus<>{},
                    {.stop = source.get_token()});
  EXPECT_EQ(numbers.back(), 1000);
  source.request_stop();
  fg::parallel_scan(pool, numbers.begin(), numbers.size(), numbers.begin(), std::plus<>{},
                    {.stop = source.get_token()});
  EXPECT_EQ(numbers.back(), 1000) << "nothing was written";
}

TEST(stop_groups, drop_what_has_not_begun_and_stay_cancelled) {
  fg::pool pool{{.workers = 2}};
  pool.run([] {
    fg::stop_source source;
    fg::task_group group{source.get_token()};
    int ran = 0;
    fg::atomic<int> more{0};
    group.spawn([&ran] { ++ran; });
    group.wait();
    EXPECT_EQ(ran, 1);
    group.spawn([&source] { source.request_stop(); });
    group.wait();
    EXPECT_TRUE(group.is_cancelled());
    for (int i = 0; i < 100; ++i) {
      group.spawn([&more] { ++more; });
    }
    group.wait();
    EXPECT_EQ(more.load(), 0);
    EXPECT_TRUE(group.is_cancelled());
  });
}

TEST(stop_groups, are_new_after_an_exception_where_nobody_has_asked) {
  fg::pool pool{{.workers = 2}};
  pool.run([] {
    const fg::stop_source source;
    fg::task_group group{source.get_token()};
    group.spawn([] { throw std::runtime_error{"once"}; });
    EXPECT_THROW(group.wait(), std::runtime_error);
    EXPECT_FALSE(group.is_cancelled());
    int ran = 0;
    group.spawn([&ran] { ++ran; });
    group.wait();
    EXPECT_EQ(ran, 1);
  });
}

TEST(stop_groups, a_request_of_another_thread_is_never_forgotten) {
  fg::pool pool{{.workers = 2}};
  for (int round = 0; round < 200; ++round) {
    fg::stop_source source;
    fg::atomic<bool> go{false};
    std::thread asker{[&] {
      while (!go.load()) {
      }
      source.request_stop();
    }};
    pool.run([&] {
      fg::task_group group{source.get_token()};
      go = true;
      while (!source.stop_requested()) {
        group.wait();
      }
      asker.join();
      EXPECT_TRUE(group.is_cancelled());
    });
  }
}

TEST(stop_run, calls_what_nobody_has_stopped) {
  fg::pool pool{{.workers = 2}};
  const fg::stop_source source;
  EXPECT_EQ(pool.run(source.get_token(), [] { return 3; }), std::optional<int>{3});
  EXPECT_TRUE(pool.run(source.get_token(), [] {}));
  EXPECT_THROW(pool.run(source.get_token(), [] { throw std::runtime_error{"f"}; }),
               std::runtime_error);
  source.request_stop();
  EXPECT_EQ(pool.run(source.get_token(), [] { return 3; }), std::nullopt);
  EXPECT_FALSE(pool.run(source.get_token(), [] {}));
}

TEST(stop_run, gives_up_while_it_waits_for_a_place) {
  fg::pool pool{{.workers = 1, .callers = 1}};
  fg::stop_source source;
  fg::atomic<bool> is_inside{false};
  fg::atomic<bool> may_leave{false};
  std::thread inside{[&] {
    pool.run([&] {
      // The spare thread is busy, too: so no thread takes the other caller's task.
      fg::atomic<bool> spare_is_busy{false};
      pool.post([&] {
        spare_is_busy = true;
        spare_is_busy.notify_one();
        may_leave.wait(false);
      });
      spare_is_busy.wait(false);
      is_inside = true;
      is_inside.notify_one();
      may_leave.wait(false);
    });
  }};
  is_inside.wait(false);
  fg::atomic<bool> ran{false};
  std::thread asker{[&source] {
    std::this_thread::sleep_for(std::chrono::milliseconds{20});
    source.request_stop();
  }};
  EXPECT_FALSE(pool.run(source.get_token(), [&ran] { ran = true; }));
  may_leave = true;
  may_leave.notify_all();
  inside.join();
  asker.join();
  EXPECT_FALSE(ran.load());
}

}  // namespace
