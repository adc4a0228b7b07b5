// Tests of the checker: small programs whose outcomes under RC11 are known, and their numbers of
// executions.
// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <functional>

#include "checker/scenario.hpp"
#include "exploring.hpp"
#include "finegrain/core/atomic.hpp"
#include "finegrain/wait/asymmetric_fence.hpp"

namespace {

using fg::memory_order;
using fg::memory_order_acq_rel;
using fg::memory_order_acquire;
using fg::memory_order_relaxed;
using fg::memory_order_release;
using fg::memory_order_seq_cst;
using number = fg::atomic<int>;
using model::outcomes;
using strings = model::exploring::strings;

class litmus : public model::exploring {};

// ---- store buffering ----

TEST_F(litmus, stores_are_buffered_under_release_and_acquire) {
  const model::outcome result = explore([this] {
    number x{0};
    number y{0};
    int a = 0;
    int b = 0;
    model::run_threads(
        [&] {
          x.store(1, memory_order_release);
          a = y.load(memory_order_acquire);
        },
        [&] {
          y.store(1, memory_order_release);
          b = x.load(memory_order_acquire);
        });
    seen_.add({a, b});
  });
  EXPECT_EQ(result.violation, "");
  EXPECT_EQ(seen_.all(), (strings{"00", "01", "10", "11"}));
  EXPECT_EQ(result.executions, 4U);
}

void store_buffering_with(outcomes& seen, const std::function<void()>& first_fence,
                          const std::function<void()>& second_fence) {
  number x{0};
  number y{0};
  int a = 0;
  int b = 0;
  model::run_threads(
      [&] {
        x.store(1, memory_order_relaxed);
        first_fence();
        a = y.load(memory_order_relaxed);
      },
      [&] {
        y.store(1, memory_order_relaxed);
        second_fence();
        b = x.load(memory_order_relaxed);
      });
  seen.add({a, b});
}

TEST_F(litmus, stores_are_not_buffered_over_two_full_fences) {
  explore([this] {
    store_buffering_with(
        seen_, [] { fg::thread_fence(memory_order_seq_cst); },
        [] { fg::thread_fence(memory_order_seq_cst); });
  });
  EXPECT_EQ(seen_.all(), (strings{"01", "10", "11"}));
}

TEST_F(litmus, one_full_fence_of_two_is_not_enough) {
  explore([this] {
    store_buffering_with(
        seen_, [] { fg::thread_fence(memory_order_seq_cst); },
        [] { fg::thread_fence(memory_order_acq_rel); });
  });
  EXPECT_TRUE(seen_.has("00"));
}

TEST_F(litmus, a_light_and_a_heavy_fence_are_two_full_ones) {
  explore([this] {
    store_buffering_with(
        seen_, [] { fg::detail::asymmetric_fence::light_fence(); },
        [] { fg::detail::asymmetric_fence::heavy_fence(); });
  });
  EXPECT_EQ(seen_.all(), (strings{"01", "10", "11"}));
}

TEST_F(litmus, two_light_fences_order_nothing) {
  explore([this] {
    store_buffering_with(
        seen_, [] { fg::detail::asymmetric_fence::light_fence(); },
        [] { fg::detail::asymmetric_fence::light_fence(); });
  });
  EXPECT_TRUE(seen_.has("00"));
}

TEST_F(litmus, a_light_fence_and_a_full_one_order_nothing) {
  explore([this] {
    store_buffering_with(
        seen_, [] { fg::detail::asymmetric_fence::light_fence(); },
        [] { fg::thread_fence(memory_order_seq_cst); });
  });
  EXPECT_TRUE(seen_.has("00"));
}

TEST_F(litmus, stores_are_not_buffered_if_all_is_sequentially_consistent) {
  const model::outcome result = explore([this] {
    number x{0};
    number y{0};
    int a = 0;
    int b = 0;
    model::run_threads(
        [&] {
          x.store(1);
          a = y.load();
        },
        [&] {
          y.store(1);
          b = x.load();
        });
    seen_.add({a, b});
  });
  EXPECT_EQ(seen_.all(), (strings{"01", "10", "11"}));
  EXPECT_EQ(result.executions, 3U);
}

// The order of the store before that of z is through y, which is in no single order.
TEST_F(litmus, the_single_order_reaches_through_a_release_and_an_acquire) {
  const model::outcome result = explore([this] {
    number x{0};
    number y{0};
    number z{0};
    int a = 0;
    int b = 0;
    int c = 0;
    model::run_threads(
        [&] {
          x.store(1, memory_order_seq_cst);
          y.store(1, memory_order_release);
        },
        [&] {
          a = y.load(memory_order_acquire);
          b = z.load(memory_order_seq_cst);
        },
        [&] {
          z.store(1, memory_order_seq_cst);
          c = x.load(memory_order_seq_cst);
        });
    seen_.add({a, b, c});
  });
  EXPECT_EQ(result.violation, "");
  EXPECT_EQ(seen_.all(), (strings{"000", "001", "010", "011", "101", "110", "111"}));
}

// ---- message passing ----

void message_passing(outcomes& seen, memory_order store, memory_order load) {
  number data{0};
  number flag{0};
  int a = 0;
  int b = 0;
  model::run_threads(
      [&] {
        data.store(1, memory_order_relaxed);
        flag.store(1, store);
      },
      [&] {
        a = flag.load(load);
        b = data.load(memory_order_relaxed);
      });
  seen.add({a, b});
}

TEST_F(litmus, a_message_is_passed_by_release_and_acquire) {
  const model::outcome result =
      explore([this] { message_passing(seen_, memory_order_release, memory_order_acquire); });
  EXPECT_EQ(seen_.all(), (strings{"00", "01", "11"}));
  EXPECT_EQ(result.executions, 3U);
}

TEST_F(litmus, a_message_is_not_passed_by_a_relaxed_store) {
  explore([this] { message_passing(seen_, memory_order_relaxed, memory_order_acquire); });
  EXPECT_TRUE(seen_.has("10"));
}

TEST_F(litmus, a_message_is_not_passed_to_a_relaxed_load) {
  explore([this] { message_passing(seen_, memory_order_release, memory_order_relaxed); });
  EXPECT_TRUE(seen_.has("10"));
}

TEST_F(litmus, a_message_is_passed_by_fences) {
  explore([this] {
    number data{0};
    number flag{0};
    int a = 0;
    int b = 0;
    model::run_threads(
        [&] {
          data.store(1, memory_order_relaxed);
          fg::thread_fence(memory_order_release);
          flag.store(1, memory_order_relaxed);
        },
        [&] {
          a = flag.load(memory_order_relaxed);
          fg::thread_fence(memory_order_acquire);
          b = data.load(memory_order_relaxed);
        });
    seen_.add({a, b});
  });
  EXPECT_EQ(seen_.all(), (strings{"00", "01", "11"}));
}

// A release sequence continues through other threads' read-modify-writes, and since C++20 not
// through a store of the same thread.
TEST_F(litmus, a_release_sequence_goes_on_through_a_relaxed_exchange) {
  explore([this] {
    number data{0};
    number flag{0};
    int a = 0;
    int b = 0;
    model::run_threads(
        [&] {
          data.store(1, memory_order_relaxed);
          flag.store(1, memory_order_release);
        },
        [&] { flag.fetch_add(1, memory_order_relaxed); },
        [&] {
          a = flag.load(memory_order_acquire);
          b = data.load(memory_order_relaxed);
        });
    seen_.add({a, b});
  });
  EXPECT_TRUE(seen_.has("21"));
  EXPECT_FALSE(seen_.has("20"));
  EXPECT_TRUE(seen_.has("10"));  // the addition came first
}

TEST_F(litmus, a_release_sequence_ends_at_a_store_of_the_same_thread) {
  explore([this] {
    number data{0};
    number flag{0};
    int a = 0;
    int b = 0;
    model::run_threads(
        [&] {
          data.store(1, memory_order_relaxed);
          flag.store(1, memory_order_release);
          flag.store(2, memory_order_relaxed);
        },
        [&] {
          a = flag.load(memory_order_acquire);
          b = data.load(memory_order_relaxed);
        });
    seen_.add({a, b});
  });
  EXPECT_TRUE(seen_.has("20"));
}

// ---- load buffering: forbidden by RC11, the limit of the model ----

TEST_F(litmus, loads_are_not_buffered) {
  const model::outcome result = explore([this] {
    number x{0};
    number y{0};
    int a = 0;
    int b = 0;
    model::run_threads(
        [&] {
          a = y.load(memory_order_relaxed);
          x.store(1, memory_order_relaxed);
        },
        [&] {
          b = x.load(memory_order_relaxed);
          y.store(1, memory_order_relaxed);
        });
    seen_.add({a, b});
  });
  EXPECT_EQ(seen_.all(), (strings{"00", "01", "10"}));
  EXPECT_EQ(result.executions, 3U);
}

// ---- independent reads of independent writes ----

void independent_reads(outcomes& seen, memory_order store, memory_order load) {
  number x{0};
  number y{0};
  int a = 0;
  int b = 0;
  int c = 0;
  int d = 0;
  model::run_threads([&] { x.store(1, store); }, [&] { y.store(1, store); },
                     [&] {
                       a = x.load(load);
                       b = y.load(load);
                     },
                     [&] {
                       c = y.load(load);
                       d = x.load(load);
                     });
  seen.add({a, b, c, d});
}

TEST_F(litmus, readers_disagree_under_release_and_acquire) {
  const model::outcome result =
      explore([this] { independent_reads(seen_, memory_order_release, memory_order_acquire); });
  EXPECT_TRUE(seen_.has("1010"));
  EXPECT_EQ(seen_.all().size(), 16U);
  EXPECT_EQ(result.executions, 16U);
}

TEST_F(litmus, readers_agree_if_all_is_sequentially_consistent) {
  const model::outcome result =
      explore([this] { independent_reads(seen_, memory_order_seq_cst, memory_order_seq_cst); });
  EXPECT_FALSE(seen_.has("1010"));
  EXPECT_EQ(result.executions, 15U);
}

TEST_F(litmus, readers_agree_behind_full_fences) {
  explore([this] {
    number x{0};
    number y{0};
    int a = 0;
    int b = 0;
    int c = 0;
    int d = 0;
    model::run_threads([&] { x.store(1, memory_order_relaxed); },
                       [&] { y.store(1, memory_order_relaxed); },
                       [&] {
                         a = x.load(memory_order_relaxed);
                         fg::thread_fence(memory_order_seq_cst);
                         b = y.load(memory_order_relaxed);
                       },
                       [&] {
                         c = y.load(memory_order_relaxed);
                         fg::thread_fence(memory_order_seq_cst);
                         d = x.load(memory_order_relaxed);
                       });
    seen_.add({a, b, c, d});
  });
  EXPECT_FALSE(seen_.has("1010"));
}

// ---- coherence ----

TEST_F(litmus, reads_of_one_object_do_not_go_back) {
  const model::outcome result = explore([this] {
    number x{0};
    int a = 0;
    int b = 0;
    model::run_threads([&] { x.store(1, memory_order_relaxed); },
                       [&] {
                         a = x.load(memory_order_relaxed);
                         b = x.load(memory_order_relaxed);
                       });
    seen_.add({a, b});
  });
  EXPECT_EQ(seen_.all(), (strings{"00", "01", "11"}));
  EXPECT_EQ(result.executions, 3U);
}

TEST_F(litmus, two_readers_see_two_writes_in_one_order) {
  explore([this] {
    number x{0};
    int a = 0;
    int b = 0;
    int c = 0;
    int d = 0;
    model::run_threads([&] { x.store(1, memory_order_relaxed); },
                       [&] { x.store(2, memory_order_relaxed); },
                       [&] {
                         a = x.load(memory_order_relaxed);
                         b = x.load(memory_order_relaxed);
                       },
                       [&] {
                         c = x.load(memory_order_relaxed);
                         d = x.load(memory_order_relaxed);
                       });
    seen_.add({a, b, c, d});
  });
  EXPECT_TRUE(seen_.has("1212"));
  EXPECT_FALSE(seen_.has("1221"));
}

TEST_F(litmus, a_write_is_behind_what_its_thread_has_read) {
  explore([this] {
    number x{0};
    int a = 0;
    model::run_threads([&] { x.store(1, memory_order_relaxed); },
                       [&] {
                         a = x.load(memory_order_relaxed);
                         x.store(2, memory_order_relaxed);
                       });
    seen_.add({a, x.load(memory_order_relaxed)});
  });
  EXPECT_EQ(seen_.all(), (strings{"01", "02", "12"}));
}

// ---- two and two writes ----

void two_and_two_writes(outcomes& seen, memory_order order, const std::function<void()>& fence) {
  number x{0};
  number y{0};
  model::run_threads(
      [&] {
        x.store(1, order);
        fence();
        y.store(2, order);
      },
      [&] {
        y.store(1, order);
        fence();
        x.store(2, order);
      });
  seen.add({x.load(memory_order_relaxed), y.load(memory_order_relaxed)});
}

TEST_F(litmus, writes_to_two_objects_go_both_ways) {
  const model::outcome result =
      explore([this] { two_and_two_writes(seen_, memory_order_release, [] {}); });
  EXPECT_EQ(seen_.all(), (strings{"11", "12", "21", "22"}));
  EXPECT_EQ(result.executions, 4U);
}

TEST_F(litmus, writes_to_two_objects_have_an_order_between_full_fences) {
  explore([this] {
    two_and_two_writes(seen_, memory_order_relaxed, [] { fg::thread_fence(memory_order_seq_cst); });
  });
  EXPECT_FALSE(seen_.has("11"));
  EXPECT_EQ(seen_.all().size(), 3U);
}

TEST_F(litmus, writes_to_two_objects_have_an_order_if_sequentially_consistent) {
  explore([this] { two_and_two_writes(seen_, memory_order_seq_cst, [] {}); });
  EXPECT_FALSE(seen_.has("11"));
}

// ---- read-modify-writes ----

TEST_F(litmus, additions_are_not_lost) {
  const model::outcome result = explore([this] {
    number x{0};
    const auto add = [&] { x.fetch_add(1, memory_order_relaxed); };
    model::run_threads(add, add, add);
    seen_.add({x.load(memory_order_relaxed)});
  });
  EXPECT_EQ(seen_.all(), (strings{"3"}));
  EXPECT_EQ(result.executions, 6U);
}

TEST_F(litmus, one_of_three_compare_exchanges_succeeds) {
  const model::outcome result = explore([this] {
    number x{0};
    number successes{0};
    const auto attempt = [&] {
      int expected = 0;
      if (x.compare_exchange_strong(expected, 1, memory_order_relaxed)) {
        successes.fetch_add(1, memory_order_relaxed);
      }
    };
    model::run_threads(attempt, attempt, attempt);
    seen_.add({successes.load(memory_order_relaxed)});
  });
  EXPECT_EQ(seen_.all(), (strings{"1"}));
  EXPECT_EQ(result.executions, 3U);
}

// The algorithm's guarantee: every execution exactly once. n writers of one object and one reader:
// n! orders, in each of which the reader sees any of n + 1 values.
TEST_F(litmus, each_execution_comes_once) {
  const model::outcome result = explore([] {
    number x{0};
    const auto write = [&](int value) {
      return [&x, value] { x.store(value, memory_order_relaxed); };
    };
    int seen = 0;
    model::run_threads(write(1), write(2), write(3), [&] { seen = x.load(memory_order_relaxed); });
  });
  EXPECT_EQ(result.executions, 24U);
}

TEST_F(litmus, each_choice_comes_with_each_value_read) {
  const model::outcome result = explore([this] {
    number x{0};
    int a = 0;
    int b = 0;
    model::run_threads([&] { x.store(1, memory_order_relaxed); },
                       [&] {
                         a = static_cast<int>(model::choose(3));
                         b = x.load(memory_order_relaxed);
                       });
    seen_.add({a, b});
  });
  EXPECT_EQ(seen_.all(), (strings{"00", "01", "10", "11", "20", "21"}));
  EXPECT_EQ(result.executions, 6U);
}

}  // namespace
