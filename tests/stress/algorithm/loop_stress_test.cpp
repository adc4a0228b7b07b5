// Very many small loops; checks that each index runs exactly once and each sum is right.
// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <random>
#include <stdexcept>
#include <thread>
#include <vector>

#include "finegrain/algorithm/relic/parallel_for.hpp"
#include "finegrain/algorithm/relic/parallel_reduce.hpp"
#include "finegrain/algorithm/relic/shared_range.hpp"
#include "finegrain/core/pause.hpp"
#include "finegrain/relic/relic.hpp"
#include "finegrain/wait/wait.hpp"
#include "support/one_cpu.hpp"
#include "support/sanitizer.hpp"

namespace {

constexpr std::uint64_t kLoopSeed = 20240603;

void pause_for(std::uint64_t pauses) {
  for (; pauses != 0; --pauses) {
    fg::pause();
  }
}

void wait_for(const std::atomic<std::uint32_t>& word, std::uint32_t value) {
  for (fg::spin_wait<> wait; word.load(std::memory_order_acquire) != value;) {
    wait();
  }
}

// In the tests below a fresh site does not know that a loop is short, so it is split into chunks
// that can be stolen.

// The body writes without synchronization, so ThreadSanitizer detects two threads at one index, and
// a loop that returns before its last call.
TEST(loop_stress, small_loops) {
  fg::relic relic;
  ASSERT_FALSE(relic.inline_mode()) << relic.inline_reason();
  fg::loop_site learning;
  std::vector<std::uint32_t> visited(64);
  const std::uint32_t loops = fg::test::kSlow ? 100'000 : 1'000'000;
  for (std::uint32_t loop = 1; loop <= loops; ++loop) {
    fg::loop_site fresh;
    fg::parallel_for(relic, loop % 2 == 0 ? fresh : learning, std::size_t{0}, visited.size(),
                     [&visited](std::size_t i) { ++visited[i]; },
                     {.grain = 1 + loop % 5, .mode = fg::offload::always});
    ASSERT_EQ(visited[loop % visited.size()], loop);
  }
  EXPECT_EQ(std::count(visited.begin(), visited.end(), loops), 64);
}

// Every hand-off and every steal needs the scheduler here.
TEST(loop_stress, small_loops_with_both_threads_on_one_cpu) {
  fg::test::with_relic_on_one_cpu([](fg::relic& relic) {
    std::vector<std::uint32_t> visited(64);
    const std::uint32_t loops = fg::test::kSlow ? 2'000 : 20'000;
    for (std::uint32_t loop = 0; loop != loops; ++loop) {
      fg::loop_site fresh;
      fg::parallel_for(relic, fresh, std::size_t{0}, visited.size(),
                       [&visited](std::size_t i) { ++visited[i]; },
                       {.grain = 1, .mode = fg::offload::always});
    }
    EXPECT_EQ(std::count(visited.begin(), visited.end(), loops), 64);
  });
}

// Costs that vary by orders of magnitude make both threads steal in turn.
TEST(loop_stress, uneven_loops_of_all_sizes_and_modes) {
  fg::relic relic{{.spin_budget = std::chrono::microseconds{30}}};
  ASSERT_FALSE(relic.inline_mode()) << relic.inline_reason();
  std::mt19937_64 random{kLoopSeed};
  std::vector<std::uint32_t> visited(3000);
  const int loops = fg::test::kSlow ? 2'000 : 20'000;
  for (int loop = 0; loop != loops; ++loop) {
    const std::size_t size = random() % (random() % 8 == 0 ? visited.size() : 100);
    const std::uint64_t shape = random();
    const auto visit = [&visited, shape](std::size_t i) {
      ++visited[i];
      pause_for((i * 2'654'435'761U ^ shape) % 97 < 4 ? shape % 300 : 0);
    };
    std::fill_n(visited.begin(), size, 0);
    const auto mode = random() % 2 == 0 ? fg::offload::always : fg::offload::adaptive;
    fg::parallel_for(relic, std::size_t{0}, size, visit, {.grain = random() % 4, .mode = mode});
    ASSERT_EQ(std::count(visited.begin(), visited.begin() + static_cast<std::ptrdiff_t>(size), 1U),
              static_cast<std::ptrdiff_t>(size));
  }
}

// Loops that either thread abandons in the middle, each followed by one that finds nothing left.
TEST(loop_stress, loops_that_throw) {
  fg::relic relic;
  ASSERT_FALSE(relic.inline_mode()) << relic.inline_reason();
  std::mt19937_64 random{kLoopSeed};
  constexpr std::size_t kSize = 64;
  std::vector<std::uint32_t> visited(kSize);
  const int loops = fg::test::kSlow ? 10'000 : 200'000;
  for (int loop = 0; loop != loops; ++loop) {
    const std::size_t thrower = random() % (2 * kSize);  // every other loop has none
    std::ranges::fill(visited, 0U);
    const auto visit = [&visited, thrower](std::size_t i) {
      ++visited[i];
      if (i == thrower) {
        throw std::runtime_error{"thrown"};
      }
    };
    const auto run = [&] {
      fg::loop_site fresh;
      fg::parallel_for(relic, fresh, std::size_t{0}, kSize, visit,
                       {.grain = 1, .mode = fg::offload::always});
    };
    if (thrower < kSize) {
      ASSERT_THROW(run(), std::runtime_error);
      ASSERT_LE(std::ranges::max(visited), 1U);
    } else {
      run();
      ASSERT_EQ(std::count(visited.begin(), visited.end(), 1U), static_cast<std::ptrdiff_t>(kSize));
    }
  }
}

// Not commutative: any other order, or a gap, gives another number.
TEST(loop_stress, reductions) {
  struct span {
    std::uint64_t begin;
    std::uint64_t end;
  };
  fg::relic relic;
  ASSERT_FALSE(relic.inline_mode()) << relic.inline_reason();
  constexpr std::uint64_t kBroken = ~std::uint64_t{0};
  const auto join = [](const span& a, const span& b) {
    return a.begin == a.end   ? b
           : b.begin == b.end ? a
           : a.end == b.begin ? span{a.begin, b.end}
                              : span{kBroken, kBroken - 1};
  };
  std::mt19937_64 random{kLoopSeed};
  const int loops = fg::test::kSlow ? 20'000 : 300'000;
  for (int loop = 0; loop != loops; ++loop) {
    const std::uint64_t shape = random();
    const std::uint64_t size = 2 + shape % 80;
    const auto map = [shape](std::uint64_t i) {
      pause_for((i * 2'654'435'761U ^ shape) % 97 < 3 ? shape % 50 : 0);
      return span{i, i + 1};
    };
    fg::loop_site fresh;
    const span all = fg::parallel_reduce(
        relic, fresh, std::uint64_t{0}, size, span{0, 0}, map, join,
        {.grain = shape % 3, .mode = fg::offload::always, .deterministic = loop % 2 == 0});
    ASSERT_EQ(all.begin, 0U);
    ASSERT_EQ(all.end, size);
  }
}

// The assistant steals all the time; once it has seen that main has closed the range it gets
// nothing.
TEST(loop_stress, a_closed_range_gives_nothing) {
  fg::detail::shared_range range;
  std::atomic<std::uint32_t> round{0};
  std::atomic<std::uint32_t> closed{0};
  std::atomic<std::uint32_t> left{0};
  const std::uint32_t rounds = fg::test::kSlow ? 50'000 : 300'000;
  std::uint32_t too_late = 0;  // the assistant's
  std::thread assistant{[&] {
    for (std::uint32_t at = 1; at <= rounds; ++at) {
      wait_for(round, at);
      for (;;) {
        const bool must_be_empty = closed.load(std::memory_order_acquire) == at;
        if (range.take(fg::detail::range_side::assistant)) {
          too_late += must_be_empty ? 1 : 0;
        } else if (must_be_empty) {
          break;
        }
      }
      left.store(at, std::memory_order_release);
    }
  }};
  for (std::uint32_t at = 1; at <= rounds; ++at) {
    range.open({0, 1U << 20}, {1U << 20, 1U << 20}, {});
    round.store(at, std::memory_order_release);
    pause_for(at % 16);
    range.close();
    closed.store(at, std::memory_order_release);
    wait_for(left, at);
    range.reset();
  }
  assistant.join();
  EXPECT_EQ(too_late, 0U);
}

// The range alone, without a relic's hand-off in between, opened while the other thread already
// takes.
TEST(loop_stress, a_range_gives_each_chunk_once) {
  fg::detail::shared_range range;
  std::atomic<std::uint32_t> round{0};
  std::atomic<std::uint32_t> left{0};
  constexpr std::uint32_t kChunks = 40;
  std::vector<std::uint32_t> taken(kChunks);
  const std::uint32_t rounds = fg::test::kSlow ? 50'000 : 300'000;
  const auto take_all = [&](fg::detail::range_side side) {
    while (const auto chunk = range.take(side)) {
      ++taken[*chunk];
    }
  };
  std::thread assistant{[&] {
    for (std::uint32_t at = 1; at <= rounds; ++at) {
      wait_for(round, at);
      take_all(fg::detail::range_side::assistant);
      left.store(at, std::memory_order_release);
    }
  }};
  std::uint32_t wrong = 0;
  for (std::uint32_t at = 1; at <= rounds; ++at) {
    round.store(at, std::memory_order_release);
    pause_for(at % 3);
    const std::uint32_t split = at % (kChunks + 1);
    range.open({0, split}, {split, kChunks}, {});
    take_all(fg::detail::range_side::main);
    wait_for(left, at);
    wrong += std::count(taken.begin(), taken.end(), at) == kChunks ? 0U : 1U;
  }
  assistant.join();
  EXPECT_EQ(wrong, 0U);
}

}  // namespace
