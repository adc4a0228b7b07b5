// Tests of the checker: what it tells of memory that is not atomic, how it runs threads, waits and
// choices, and their numbers of executions.
// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <cstdint>
#include <string>
#include <thread>

#include "checker/scenario.hpp"
#include "exploring.hpp"
#include "finegrain/core/atomic.hpp"

namespace {

using fg::memory_order;
using fg::memory_order_acquire;
using fg::memory_order_relaxed;
using fg::memory_order_release;
using fg::memory_order_seq_cst;
using number = fg::atomic<int>;
using strings = model::exploring::strings;

class checker : public model::exploring {};

// ---- memory that is not atomic ----

void publish(memory_order store, memory_order load) {
  int data = 0;
  number flag{0};
  model::run_threads(
      [&] {
        data = 1;
        flag.store(1, store);
      },
      [&] {
        if (flag.load(load) == 1) {
          model::require(data == 1, "the data are there");
        }
      });
}

TEST_F(checker, data_behind_release_and_acquire_are_no_race) {
  EXPECT_EQ(explore([] { publish(memory_order_release, memory_order_acquire); }).violation, "");
}

TEST_F(checker, data_behind_a_relaxed_store_are_a_race) {
  const std::string found =
      explore([] { publish(memory_order_relaxed, memory_order_acquire); }).violation;
  EXPECT_EQ(found.substr(0, found.find('\n')), "data race");
}

TEST_F(checker, data_behind_a_relaxed_load_are_a_race) {
  const std::string found =
      explore([] { publish(memory_order_release, memory_order_relaxed); }).violation;
  EXPECT_EQ(found.substr(0, found.find('\n')), "data race");
}

// Dekker: the load that would let both in is added, and its thread continues, before the order of
// all seq_cst operations is checked.
TEST_F(checker, data_behind_sequentially_consistent_stores_and_loads_are_no_race) {
  const auto enter = [](number& own, const number& other, int& data) {
    own.store(1, memory_order_seq_cst);
    if (other.load(memory_order_seq_cst) == 0) {
      ++data;
    }
  };
  EXPECT_EQ(explore([&] {
              number x{0};
              number y{0};
              int data = 0;
              model::run_threads([&] { enter(x, y, data); }, [&] { enter(y, x, data); });
            }).violation,
            "");
}

TEST_F(checker, memory_that_another_thread_freed_is_told) {
  const std::string found = explore([] {
                              int* const block = new int{1};
                              number flag{0};
                              model::run_threads(
                                  [&] {
                                    delete block;
                                    flag.store(1, memory_order_release);
                                  },
                                  [&] {
                                    if (flag.load(memory_order_acquire) == 1) {
                                      *block = 2;
                                    }
                                  });
                            }).violation;
  EXPECT_EQ(found.substr(0, found.find('\n')), "use of memory that was freed");
}

TEST_F(checker, memory_that_nobody_freed_is_told) {
  int* kept = nullptr;
  const std::string found = explore([&] { kept = new int{1}; }).violation;
  EXPECT_EQ(found.substr(0, found.find('\n')), "memory was not freed: 1 blocks");
}

TEST_F(checker, an_object_whose_construction_is_not_known_is_told) {
  const std::string found =
      explore([] {
        fg::atomic<number*> published{nullptr};
        model::run_threads(
            [&] {
              number own{1};
              published.store(&own, memory_order_relaxed);
              model::await([&] { return own.load(memory_order_acquire) == 2; });
            },
            [&] {
              if (number* const found = published.load(memory_order_acquire)) {
                found->store(2, memory_order_release);
              }
            });
      }).violation;
  EXPECT_EQ(found.substr(0, found.find('\n')), "data race");
}

// ---- threads of the system ----

TEST_F(checker, a_thread_runs_beside_the_one_that_started_it) {
  const model::outcome result = explore([this] {
    number x{0};
    int before = 1;
    int behind = 0;
    int seen = 0;
    std::thread other{[&] {
      seen = x.load(memory_order_relaxed);
      behind = before;
    }};
    x.store(1, memory_order_relaxed);
    other.join();
    seen_.add({seen, behind});
  });
  EXPECT_EQ(result.violation, "");
  EXPECT_EQ(seen_.all(), (strings{"01", "11"}));
  EXPECT_EQ(result.executions, 2U);
}

TEST_F(checker, data_are_a_race_before_their_thread_is_joined) {
  const std::string found = explore([] {
                              int data = 0;
                              std::thread other{[&] { data = 1; }};
                              data = 2;
                              other.join();
                            }).violation;
  EXPECT_EQ(found.substr(0, found.find('\n')), "data race");
}

// ---- waiting ----

TEST_F(checker, a_loop_that_looks_ends_when_there_is_something) {
  const model::outcome result = explore([this] {
    number flag{0};
    int data = 0;
    model::run_threads(
        [&] {
          data = 1;
          flag.store(1, memory_order_release);
        },
        [&] {
          model::await([&] { return flag.load(memory_order_acquire) == 1; });
          seen_.add({data});
        });
  });
  EXPECT_EQ(result.violation, "");
  EXPECT_EQ(seen_.all(), (strings{"1"}));
  EXPECT_EQ(result.executions, 1U);
}

TEST_F(checker, a_loop_that_writes_ends_when_there_is_something) {
  const model::outcome result = explore([] {
    number flag{0};
    number turns{0};
    model::run_threads(
        [&] {
          model::await([&] {
            turns.fetch_add(1, memory_order_relaxed);
            return flag.load(memory_order_relaxed) == 1;
          });
        },
        [&] { flag.store(1, memory_order_relaxed); });
  });
  EXPECT_EQ(result.violation, "");
  EXPECT_EQ(result.executions, 4U);  // after 0, 1, 2 and 3 unsuccessful turns
  EXPECT_EQ(result.cut, 1U);
}

TEST_F(checker, two_threads_that_wait_for_each_other_are_told) {
  const std::string found = explore([] {
                              number x{0};
                              number y{0};
                              model::run_threads(
                                  [&] {
                                    model::await([&] { return y.load(memory_order_acquire) == 1; });
                                    x.store(1, memory_order_release);
                                  },
                                  [&] {
                                    model::await([&] { return x.load(memory_order_acquire) == 1; });
                                    y.store(1, memory_order_release);
                                  });
                            }).violation;
  EXPECT_EQ(found.substr(0, found.find('\n')), "a thread waits for ever");
}

using sleepy = fg::atomic<std::uint32_t>;

TEST_F(checker, a_sleeper_is_woken_or_sees_the_value) {
  const model::outcome result = explore([] {
    sleepy x{0};
    model::run_threads([&] { x.wait(0, memory_order_relaxed); },
                       [&] {
                         x.store(1, memory_order_relaxed);
                         x.notify_one();
                       });
  });
  EXPECT_EQ(result.violation, "");
  EXPECT_GE(result.executions, 2U);
}

TEST_F(checker, a_sleeper_that_nobody_wakes_is_told) {
  const std::string found = explore([] {
                              sleepy x{0};
                              model::run_threads([&] { x.wait(0, memory_order_relaxed); },
                                                 [&] { x.store(1, memory_order_relaxed); });
                            }).violation;
  EXPECT_EQ(found.substr(0, found.find('\n')), "a thread waits for ever");
}

TEST_F(checker, one_notification_wakes_one_of_two) {
  const auto wake_two = [](bool all) {
    return [all] {
      sleepy x{0};
      const auto sleep = [&] { x.wait(0, memory_order_relaxed); };
      model::run_threads(sleep, sleep, [&] {
        x.store(1, memory_order_relaxed);
        all ? x.notify_all() : x.notify_one();
      });
    };
  };
  EXPECT_EQ(explore(wake_two(true)).violation, "");
  const std::string found = explore(wake_two(false)).violation;
  EXPECT_EQ(found.substr(0, found.find('\n')), "a thread waits for ever");
}

TEST_F(checker, a_notification_is_not_lost_on_one_that_does_not_sleep) {
  const model::outcome result = explore([] {
    sleepy x{0};
    const auto sleep = [&] {
      x.wait(0, memory_order_relaxed);
      x.notify_one();
    };
    model::run_threads(sleep, sleep, [&] {
      x.store(1, memory_order_relaxed);
      x.notify_one();
    });
  });
  EXPECT_EQ(result.violation, "");
}

TEST_F(checker, a_wake_up_ahead_of_the_store_is_told) {
  const std::string found = explore([] {
                              sleepy x{0};
                              model::run_threads([&] { x.wait(0, memory_order_relaxed); },
                                                 [&] {
                                                   x.notify_one();
                                                   x.store(1, memory_order_relaxed);
                                                 });
                            }).violation;
  EXPECT_EQ(found.substr(0, found.find('\n')), "a thread waits for ever");
}

TEST_F(checker, a_wake_up_orders_nothing_but_the_word) {
  const std::string found = explore([] {
                              sleepy x{0};
                              int data = 0;
                              model::run_threads(
                                  [&] {
                                    x.wait(0, memory_order_relaxed);
                                    model::require(data == 1, "the data are there");
                                  },
                                  [&] {
                                    data = 1;
                                    x.store(1, memory_order_release);
                                    x.notify_one();
                                  });
                            }).violation;
  EXPECT_EQ(found.substr(0, found.find('\n')), "data race");
}

TEST_F(checker, a_compare_exchange_that_succeeds_leaves_what_it_expected_alone) {
  const model::outcome result = explore([] {
    number x{0};
    int expected = 0;
    model::run_threads(
        [&] { x.compare_exchange_strong(expected, 1, memory_order_release, memory_order_relaxed); },
        [&] {
          model::await([&] { return x.load(memory_order_acquire) == 1; });
          expected = 2;
        });
  });
  EXPECT_EQ(result.violation, "");
}

// ---- loops that choose ----

TEST_F(checker, a_loop_that_gives_up_at_any_time_is_no_loop_that_writes) {
  const model::outcome result = explore([this] {
    number x{0};
    int turns = 0;
    model::run_threads([&] { x.store(1, memory_order_relaxed); },
                       [&] {
                         while (x.load(memory_order_relaxed) == 0 && model::choose(2) == 0) {
                           ++turns;
                           model::explorer::current()->look_again();
                         }
                       });
    seen_.add({turns});
  });
  EXPECT_EQ(result.violation, "");
  EXPECT_EQ(result.cut, 0U);
  EXPECT_EQ(seen_.all(), (strings{"0"}));
}

// ---- thread_local variables ----

int& of_this_thread() {
  constinit static thread_local int number = 7;
  return number;
}

TEST_F(checker, each_thread_has_its_own_locals_anew_in_each_execution) {
  const model::outcome result = explore([] {
    number x{0};
    const auto once = [&] {
      model::require(of_this_thread() == 7, "it begins with its initial value");
      of_this_thread() = x.load(memory_order_relaxed);
      x.store(1, memory_order_relaxed);
    };
    model::run_threads(once, once);
  });
  EXPECT_EQ(result.violation, "");
  EXPECT_GE(result.executions, 2U);
}

}  // namespace
