// SPDX-License-Identifier: Apache-2.0
#include "finegrain/algorithm/relic/parallel_for.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <limits>
#include <stdexcept>
#include <thread>
#include <utility>
#include <vector>

#include "loop_setting.hpp"
#include "support/busy.hpp"

namespace {

using fg::test::all_loop_settings;
using fg::test::busy_for;
using fg::test::name_of_loop_setting;
class parallel_for : public fg::test::in_loop_settings {};
INSTANTIATE_TEST_SUITE_P(settings, parallel_for, all_loop_settings(), name_of_loop_setting);

// How often each index was visited. Atomic: a body that wrongly runs twice would run concurrently.
class visits {
 public:
  explicit visits(std::size_t size) : counts_(size) {}
  void at(std::size_t index) { counts_.at(index).fetch_add(1); }
  [[nodiscard]] bool are_all(int count) const {
    return std::ranges::all_of(counts_,
                               [count](const auto& visited) { return visited.load() == count; });
  }
  [[nodiscard]] int most() const {
    return std::ranges::max_element(
               counts_, [](const auto& a, const auto& b) { return a.load() < b.load(); })
        ->load();
  }
  [[nodiscard]] int total() const {
    int sum = 0;
    for (const auto& visited : counts_) {
      sum += visited.load();
    }
    return sum;
  }

 private:
  std::vector<std::atomic<int>> counts_;
};

constexpr std::size_t kLoopSizes[] = {0, 1, 2, 3, 63, 64, 65, 127, 128, 129, 1000, 100'000};
constexpr std::size_t kLoopGrains[] = {
    0, 1, 2, 7, 64, 1000, 1'000'000, std::numeric_limits<std::size_t>::max()};

TEST_P(parallel_for, visits_each_index_once) {
  with_relic([](fg::relic& relic) {
    for (const std::size_t size : kLoopSizes) {
      for (const std::size_t grain : kLoopGrains) {
        visits seen{size};
        fg::loop_site site;
        for (int call = 1; call <= 10; ++call) {  // the later ones know the cost
          fg::parallel_for(relic, site, 0, size, [&seen](std::size_t i) { seen.at(i); },
                           {.grain = grain, .mode = mode()});
          ASSERT_TRUE(seen.are_all(call)) << size << " by " << grain;
        }
      }
    }
  });
}

TEST_P(parallel_for, gives_pieces_to_a_body_that_takes_two_indices) {
  with_relic([](fg::relic& relic) {
    for (const std::size_t size : kLoopSizes) {
      for (const std::size_t grain : kLoopGrains) {
        visits seen{size};
        std::atomic<int> empty{0};
        fg::parallel_for(relic, std::size_t{0}, size,
                         [&](std::size_t begin, std::size_t end) {
                           empty += begin < end ? 0 : 1;
                           for (; begin < end; ++begin) {
                             seen.at(begin);
                           }
                         },
                         {.grain = grain, .mode = mode()});
        ASSERT_TRUE(seen.are_all(1)) << size << " by " << grain;
        ASSERT_EQ(empty, 0);
      }
    }
  });
}

// Each index of [first, last), whose distance fits an int.
template <class I>
void expect_each_once(fg::relic& relic, I first, I last, fg::offload mode) {
  const std::size_t size = first < last
                               ? static_cast<std::size_t>(static_cast<std::uint64_t>(last) -
                                                          static_cast<std::uint64_t>(first))
                               : 0;
  for (const std::size_t grain : {0U, 1U, 5U}) {
    visits seen{size};
    fg::parallel_for(relic, first, last,
                     [&](I i) {
                       static_assert(std::is_same_v<decltype(i), I>);
                       seen.at(static_cast<std::size_t>(static_cast<std::uint64_t>(i) -
                                                        static_cast<std::uint64_t>(first)));
                     },
                     {.grain = grain, .mode = mode});
    ASSERT_TRUE(seen.are_all(1)) << size;
  }
}

template <class I>
using limits = std::numeric_limits<I>;

TEST_P(parallel_for, counts_with_every_integral_type_up_to_its_limits) {
  with_relic([](fg::relic& relic) {
    expect_each_once<int>(relic, -500, 500, mode());
    expect_each_once<int>(relic, 5, -5, mode());
    expect_each_once<int>(relic, limits<int>::min(), limits<int>::min() + 77, mode());
    expect_each_once<std::uint8_t>(relic, 0, 255, mode());
    expect_each_once<std::uint8_t>(relic, 250, 255, mode());
    expect_each_once<std::int8_t>(relic, -128, 127, mode());
    expect_each_once<char>(relic, 'a', 'z', mode());
    expect_each_once<std::int16_t>(relic, limits<std::int16_t>::min(), limits<std::int16_t>::max(),
                                   mode());
    expect_each_once<std::int64_t>(relic, limits<std::int64_t>::min(),
                                   limits<std::int64_t>::min() + 300, mode());
    expect_each_once<std::int64_t>(relic, limits<std::int64_t>::max() - 300,
                                   limits<std::int64_t>::max(), mode());
    expect_each_once<std::uint64_t>(relic, limits<std::uint64_t>::max() - 300,
                                    limits<std::uint64_t>::max(), mode());
  });
}

// More iterations than there are chunk numbers, and more than a signed 64-bit number holds.
TEST_P(parallel_for, cuts_ranges_of_any_length) {
  with_relic([](fg::relic& relic) {
    std::atomic<std::uint64_t> sum{0};
    const auto add = [&sum](auto begin, auto end) {
      sum += static_cast<std::uint64_t>(end) - static_cast<std::uint64_t>(begin);
    };
    const std::uint64_t many = std::uint64_t{1} << 40;
    fg::parallel_for(relic, std::uint64_t{0}, many, add, {.grain = many >> 12, .mode = mode()});
    EXPECT_EQ(sum.exchange(0), many);
    fg::parallel_for(relic, limits<std::int64_t>::min(), limits<std::int64_t>::max(), add,
                     {.mode = mode()});
    EXPECT_EQ(sum.exchange(0), limits<std::uint64_t>::max());
  });
}

TEST_P(parallel_for, uses_one_body_and_does_not_copy_what_is_not_trivial) {
  struct counting_body {
    std::atomic<int>& sum;
    int calls_here = 0;
    std::thread::id here = std::this_thread::get_id();

    counting_body(std::atomic<int>& total) : sum{total} {}
    counting_body(const counting_body&) = delete;
    counting_body& operator=(const counting_body&) = delete;
    ~counting_body() = default;
    void operator()(int) {
      ++sum;
      if (std::this_thread::get_id() == here) {
        ++calls_here;
      }
    }
  };
  with_relic([](fg::relic& relic) {
    std::atomic<int> sum{0};
    counting_body body{sum};
    fg::parallel_for(relic, 0, 100, body, {.mode = mode()});
    EXPECT_EQ(sum, 100);
    EXPECT_GE(body.calls_here, 1);
  });
}

TEST_P(parallel_for, calls_a_body_that_is_not_const_as_such) {
  struct counts {
    std::atomic<int>* calls;
    std::atomic<int>* const_calls;
    // NOLINTNEXTLINE(readability-make-member-function-const): which of the two is called is the test
    void operator()(int /*index*/) { ++*calls; }
    void operator()(int /*index*/) const { ++*const_calls; }
  };
  with_relic([](fg::relic& relic) {
    std::atomic<int> calls{0};
    std::atomic<int> const_calls{0};
    counts body{&calls, &const_calls};
    fg::parallel_for(relic, 0, 1000, body, {.mode = mode()});
    EXPECT_EQ(calls.load(), 1000);
    fg::parallel_for(relic, 0, 1000, std::as_const(body), {.mode = mode()});
    EXPECT_EQ(const_calls.load(), 1000);
  });
}

TEST_P(parallel_for, makes_writes_visible_both_ways) {
  with_relic([](fg::relic& relic) {
    std::vector<int> in(1000);
    std::vector<int> out(1000);
    for (int round = 1; round <= 300; ++round) {
      std::ranges::fill(in, round);
      fg::parallel_for(relic, std::size_t{0}, in.size(), [&](std::size_t i) { out[i] = in[i] * 3; },
                       {.mode = mode()});
      ASSERT_EQ(std::count(out.begin(), out.end(), round * 3), 1000);
    }
  });
}

TEST_P(parallel_for, passes_on_an_exception_and_visits_nothing_twice) {
  with_relic([](fg::relic& relic) {
    for (const std::size_t thrower : {0U, 1U, 40U, 500U, 501U, 998U, 999U}) {
      for (const std::size_t grain : {0U, 1U, 16U}) {
        visits seen{1000};
        fg::loop_site fresh;
        const auto body = [&](std::size_t i) {
          seen.at(i);
          if (i == thrower) {
            throw std::runtime_error{"thrown"};
          }
        };
        ASSERT_THROW(fg::parallel_for(relic, fresh, 0, std::size_t{1000}, body,
                                      {.grain = grain, .mode = mode()}),
                     std::runtime_error);
        ASSERT_EQ(seen.most(), 1);
      }
    }
    visits after{1000};
    fg::parallel_for(relic, 0, std::size_t{1000}, [&](std::size_t i) { after.at(i); },
                     {.grain = 1, .mode = mode()});
    EXPECT_TRUE(after.are_all(1)) << "nothing is left of the loops before";
    relic.wait();  // nor for it
  });
}

TEST_P(parallel_for, survives_calls_that_all_throw) {
  with_relic([](fg::relic& relic) {
    for (int call = 0; call < 300; ++call) {
      ASSERT_THROW(fg::parallel_for(relic, 0, 100, [](int) { throw std::runtime_error{"each"}; },
                                    {.grain = 1, .mode = mode()}),
                   std::runtime_error);
    }
  });
}

TEST_P(parallel_for, leaves_the_exceptions_of_earlier_tasks_to_wait) {
  with_relic([](fg::relic& relic) {
    relic.submit([] { throw std::runtime_error{"earlier"}; });
    std::atomic<int> ran{0};
    fg::parallel_for(relic, 0, 100, [&](int) { ++ran; }, {.mode = mode()});
    EXPECT_EQ(ran, 100);
    EXPECT_THROW(relic.wait(), std::runtime_error);
  });
}

TEST_P(parallel_for, nests_on_both_threads) {
  with_relic([](fg::relic& relic) {
    constexpr std::size_t kSide = 50;
    visits seen{kSide * kSide * 3};
    fg::parallel_for(relic, std::size_t{0}, kSide,
                     [&](std::size_t row) {
                       fg::parallel_for(
                           relic, std::size_t{0}, kSide,
                           [&](std::size_t column) {
                             fg::parallel_for(
                                 relic, std::size_t{0}, std::size_t{3},
                                 [&](std::size_t i) { seen.at((row * kSide + column) * 3 + i); },
                                 {.grain = 1, .mode = mode()});
                           },
                           {.grain = 1, .mode = mode()});
                     },
                     {.grain = 1, .mode = mode()});
    EXPECT_TRUE(seen.are_all(1));
  });
}

TEST_P(parallel_for, passes_on_an_exception_from_an_inner_loop) {
  with_relic([](fg::relic& relic) {
    for (int call = 0; call < 50; ++call) {
      EXPECT_THROW(fg::parallel_for(relic, 0, 20,
                                    [&](int i) {
                                      fg::parallel_for(relic, 0, 20,
                                                       [&](int j) {
                                                         if (i == call % 20 && j == 13) {
                                                           throw std::runtime_error{"inner"};
                                                         }
                                                       },
                                                       {.grain = 1, .mode = mode()});
                                    },
                                    {.grain = 1, .mode = mode()}),
                   std::runtime_error);
    }
  });
}

TEST_P(parallel_for, runs_in_order_on_a_foreign_thread_and_inside_a_task) {
  with_relic([](fg::relic& relic) {
    const auto expect_in_order = [&relic] {
      int next = 0;
      std::thread::id ran_on;
      for (int call = 0; call < 200; ++call) {
        next = 0;
        fg::parallel_for(relic, 0, 100,
                         [&](int i) {
                           next = i == next ? i + 1 : -1000;
                           ran_on = std::this_thread::get_id();
                         },
                         {.mode = mode()});
        ASSERT_EQ(next, 100);
        ASSERT_EQ(ran_on, std::this_thread::get_id());
      }
    };
    fg::test::on_thread(expect_in_order);
    relic.submit([&] { expect_in_order(); });
    relic.wait();
  });
}

// ---- certainly with an assistant ----

// A relic that has its assistant.
class on_two_threads : public testing::Test {
 protected:
  void SetUp() override { ASSERT_FALSE(relic_.inline_mode()) << relic_.inline_reason(); }
  [[nodiscard]] bool on_main() const { return std::this_thread::get_id() == main_; }

  fg::relic relic_;

 private:
  const std::thread::id main_ = std::this_thread::get_id();
};
class parallel_for_stealing : public on_two_threads {};
class parallel_for_exceptions : public on_two_threads {};

constexpr fg::loop_options kShareEachIndex{.grain = 1, .mode = fg::offload::always};

// Waits long, but not forever: a broken build fails instead of hanging.
template <class Condition>
bool comes_true(Condition condition) {
  const auto until = std::chrono::steady_clock::now() + std::chrono::seconds{60};
  while (!condition()) {
    if (std::chrono::steady_clock::now() > until) {
      return false;
    }
    std::this_thread::yield();
  }
  return true;
}

// The first call on one side waits until all others have finished, including its own side's: the
// other thread must have stolen them.
template <class IsSlowSide>
void expect_rest_is_stolen(fg::relic& relic, IsSlowSide is_slow_side) {
  constexpr int kSize = 64;
  std::atomic<int> done{0};
  std::atomic<bool> waiting{false};
  std::atomic<bool> stolen{false};
  const auto body = [&](int) {
    if (is_slow_side() && !waiting.exchange(true)) {
      stolen = comes_true([&] { return done == kSize - 1; });
    } else if (!waiting && !is_slow_side()) {
      comes_true([&] { return waiting.load(); });  // otherwise nothing would be left to steal
    }
    ++done;
  };
  fg::loop_site fresh;  // which does not know that the loop is short
  fg::parallel_for(relic, fresh, 0, kSize, body, kShareEachIndex);
  EXPECT_TRUE(stolen);
  EXPECT_EQ(done, kSize);
}

TEST_F(parallel_for_stealing, main_takes_what_a_slow_assistant_has_left) {
  for (int call = 0; call < 100; ++call) {
    expect_rest_is_stolen(relic_, [this] { return !on_main(); });
  }
}

TEST_F(parallel_for_stealing, the_assistant_takes_what_a_slow_main_has_left) {
  for (int call = 0; call < 100; ++call) {
    expect_rest_is_stolen(relic_, [this] { return on_main(); });
  }
}

TEST_F(parallel_for_exceptions, mains_wins) {
  for (int call = 0; call < 100; ++call) {
    std::atomic<int> begun{0};
    const auto body = [&](int) {
      ++begun;
      ASSERT_TRUE(comes_true([&] { return begun == 2; }));  // both have begun, so both throw
      if (on_main()) {
        throw std::logic_error{"main"};
      }
      throw std::runtime_error{"assistant"};
    };
    ASSERT_THROW(fg::parallel_for(relic_, 0, 2, body, kShareEachIndex), std::logic_error);
    ASSERT_EQ(begun, 2);
  }
}

TEST_F(parallel_for_exceptions, the_assistants_is_passed_on) {
  for (int call = 0; call < 100; ++call) {
    std::atomic<bool> thrown{false};
    const auto body = [&](int) {
      if (!on_main()) {
        thrown = true;
        throw std::runtime_error{"assistant"};
      }
      ASSERT_TRUE(comes_true([&] { return thrown.load(); }));
    };
    ASSERT_THROW(fg::parallel_for(relic_, 0, 100, body, kShareEachIndex), std::runtime_error);
  }
}

// The other thread continues for a while after the throw, at 1 ms per call, and must not reach its
// end. A machine that stalls for a second in between may let it, but not ten times.
template <class IsThrower>
void expect_rest_is_left_out(fg::relic& relic, IsThrower is_thrower) {
  constexpr int kSize = 2000;
  int attempts = 10;
  for (; attempts != 0; --attempts) {
    std::atomic<int> begun{0};
    std::atomic<bool> thrown{false};
    const auto body = [&](int) {
      ++begun;
      if (is_thrower()) {
        thrown = true;
        throw std::runtime_error{"thrown"};
      }
      ASSERT_TRUE(comes_true([&] { return thrown.load(); }));
      std::this_thread::sleep_for(std::chrono::milliseconds{1});
    };
    fg::loop_site fresh;
    ASSERT_THROW(fg::parallel_for(relic, fresh, 0, kSize, body, kShareEachIndex),
                 std::runtime_error);
    if (begun < kSize / 4) {
      break;
    }
  }
  EXPECT_GT(attempts, 0);
}

TEST_F(parallel_for_exceptions, what_is_not_begun_is_left_out_when_main_throws) {
  expect_rest_is_left_out(relic_, [this] { return on_main(); });
}

TEST_F(parallel_for_exceptions, what_is_not_begun_is_left_out_when_the_assistant_throws) {
  expect_rest_is_left_out(relic_, [this] { return !on_main(); });
}

// A site that knows the loop as short, so that each thread has a fixed part.
TEST_F(parallel_for_exceptions, a_fixed_part_is_waited_for) {
  fg::loop_site site;
  for (int call = 0; call < 100; ++call) {
    fg::parallel_for(relic_, site, 0, 8, [](int) {}, {.mode = fg::offload::always});
  }
  std::atomic<int> begun{0};
  std::atomic<int> finished{0};
  const auto body = [&](int) {
    if (on_main()) {
      ASSERT_TRUE(comes_true([&] { return begun == 1; }));
      throw std::runtime_error{"main"};
    }
    ++begun;
    std::this_thread::sleep_for(std::chrono::milliseconds{20});
    ++finished;
  };
  ASSERT_THROW(fg::parallel_for(relic_, site, 0, 8, body, {.mode = fg::offload::always}),
               std::runtime_error);
  EXPECT_EQ(begun, finished);
}

TEST(parallel_for_modes, always_uses_the_assistant_and_never_does_not) {
  fg::relic relic{{.main_helps = false}};
  ASSERT_FALSE(relic.inline_mode()) << relic.inline_reason();
  const auto main = std::this_thread::get_id();
  for (int call = 0; call < 100; ++call) {
    std::atomic<int> elsewhere{0};
    const auto body = [&](int) { elsewhere += std::this_thread::get_id() == main ? 0 : 1; };
    fg::parallel_for(relic, 0, 64, body, {.mode = fg::offload::always});
    ASSERT_GE(elsewhere.exchange(0), 1);
    fg::parallel_for(relic, 0, 64, body, {.mode = fg::offload::never});
    ASSERT_EQ(elsewhere, 0);
  }
  EXPECT_EQ(relic.counters().tasks_inlined, 100U);
}

TEST(parallel_for_modes, one_index_or_one_grain_runs_here) {
  fg::relic relic;
  const auto main = std::this_thread::get_id();
  const auto here = [main](int) { ASSERT_EQ(std::this_thread::get_id(), main); };
  fg::parallel_for(relic, 0, 1, here, {.mode = fg::offload::always});
  fg::parallel_for(relic, 0, 50, here, {.grain = 50, .mode = fg::offload::always});
  EXPECT_EQ(relic.counters().tasks, 0U);
}

// Loops that are certainly short, and ones that are certainly long. On a busy machine the latter
// may fail a trial, and the next one comes later; hence the loop until 20 in a row were shared.
TEST(parallel_for_modes, adaptive_shares_long_loops_and_keeps_short_ones) {
  fg::relic relic{{.main_helps = false}};
  ASSERT_FALSE(relic.inline_mode()) << relic.inline_reason();
  relic.wake_up_hint();
  const auto main = std::this_thread::get_id();
  int sum = 0;
  for (int call = 0; call < 100'000; ++call) {
    fg::parallel_for(relic, 0, 2, [&](int) {  // a race, reported by ThreadSanitizer, if shared
      ++sum;
    });
  }
  EXPECT_EQ(sum, 200'000);
  EXPECT_GT(relic.counters().tasks_inlined, 0U);
  EXPECT_LE(relic.counters().tasks_inlined, 100'000U) << "the last ones are counted later";
  const auto until = std::chrono::steady_clock::now() + std::chrono::seconds{60};
  int in_a_row = 0;
  while (in_a_row < 20 && std::chrono::steady_clock::now() < until) {
    std::atomic<int> elsewhere{0};
    fg::parallel_for(relic, 0, 8, [&](int) {
      busy_for(std::chrono::microseconds{100});
      elsewhere += std::this_thread::get_id() == main ? 0 : 1;
    });
    in_a_row = elsewhere != 0 ? in_a_row + 1 : 0;
  }
  EXPECT_EQ(in_a_row, 20);
}

// The first loops of the test above; their calls report the thread on which they ran.
TEST(parallel_for_modes, adaptive_never_shares_a_handful_of_additions) {
  fg::relic relic;
  relic.wake_up_hint();
  const auto main = std::this_thread::get_id();
  std::atomic<int> elsewhere{0};
  for (int call = 0; call < 20'000; ++call) {
    fg::parallel_for(relic, 0, 2, [&](int) {
      if (std::this_thread::get_id() != main) {
        ++elsewhere;
      }
    });
  }
  EXPECT_EQ(elsewhere, 0);
}

TEST(parallel_for_modes, adaptive_wakes_a_sleeper_for_a_long_loop) {
  fg::relic relic{{.spin_budget = std::chrono::microseconds{0}, .main_helps = false}};
  ASSERT_FALSE(relic.inline_mode()) << relic.inline_reason();
  const auto main = std::this_thread::get_id();
  EXPECT_TRUE(comes_true([&] {
    std::atomic<int> elsewhere{0};
    const bool slept = comes_true([&relic] { return relic.is_asleep(); });
    fg::parallel_for(relic, 0, 8, [&](int) {
      busy_for(std::chrono::microseconds{200});
      elsewhere += std::this_thread::get_id() == main ? 0 : 1;
    });
    return slept && elsewhere != 0;
  }));
}

TEST(parallel_for_modes, takes_a_named_site_for_type_erased_bodies) {
  fg::relic relic;
  fg::loop_site site;
  std::atomic<int> ran{0};
  const std::function<void(int)> body = [&ran](int) { ++ran; };
  fg::parallel_for(relic, site, 0, 10, body);
  fg::parallel_for(relic, site, 0, 10, body, {.mode = fg::offload::always});
  EXPECT_EQ(ran, 20);
}

}  // namespace
