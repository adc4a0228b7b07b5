// How the threads of a region share the iterations of a loop (omp/runtime/worksharing.hpp).
// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <cstdint>
#include <cstdlib>
#include <limits>
#include <memory>
#include <numeric>
#include <string_view>
#include <thread>
#include <vector>

#include "omp/runtime/worksharing.hpp"
#include "omp/settings.hpp"

// Not reached: the tests have memory.
void fg::omp::end_without_memory(std::string_view /*what*/) noexcept { std::abort(); }

namespace {

using fg::omp::runtime::iterations;
using fg::omp::runtime::loop_counts;
using fg::omp::runtime::loop_part;
using fg::omp::runtime::loop_share;
using fg::omp::runtime::loop_wish;
using fg::omp::runtime::schedule_kind;
using fg::omp::runtime::worksharing;

// Of a team whose threads have had `before` loops with shares.
struct team : worksharing {
  explicit team(std::uint32_t size, loop_share::loop_number before = 0) {
    shares = std::make_unique<loop_share[]>(size);
    for (std::uint32_t i = 0; i < size; ++i) {
      shares[i].reset(before);
    }
  }
};

// The pieces that each of `size` threads takes, one thread after the other in turns.
std::vector<std::vector<iterations>> take_in_turns(const loop_wish& wish, std::uint32_t size) {
  team shared{size};
  std::vector<loop_part> parts(size);
  std::vector<loop_counts> counts(size);
  for (std::uint32_t number = 0; number < size; ++number) {
    parts[number].enter(wish, size > 1 ? &shared : nullptr, counts[number], number, size);
  }
  std::vector<std::vector<iterations>> taken(size);
  for (bool any = true; any;) {
    any = false;
    for (std::uint32_t number = 0; number < size; ++number) {
      iterations piece{};
      if (parts[number].next(piece)) {
        taken[number].push_back(piece);
        any = true;
      }
    }
  }
  for (loop_part& part : parts) {
    part.leave();
  }
  return taken;
}

std::vector<int> times_taken(const std::vector<std::vector<iterations>>& taken,
                             std::uint64_t count) {
  std::vector<int> times(count, 0);
  for (const auto& pieces : taken) {
    for (const iterations& piece : pieces) {
      for (std::uint64_t i = piece.first; i < piece.end; ++i) {
        ++times.at(i);
      }
    }
  }
  return times;
}

TEST(LoopPart, EachIterationIsTakenOnce) {
  for (const schedule_kind schedule : {schedule_kind::statically, schedule_kind::dynamic,
                                       schedule_kind::guided, schedule_kind::automatic}) {
    for (const std::uint64_t count : {0U, 1U, 2U, 3U, 7U, 8U, 100U}) {
      for (const std::uint64_t chunk : {0U, 1U, 2U, 7U, 200U}) {
        for (const std::uint32_t size : {1U, 2U, 3U, 8U}) {
          for (const bool is_nonmonotonic : {false, true}) {
            const auto taken = take_in_turns({.count = count,
                                              .schedule = schedule,
                                              .chunk = chunk,
                                              .is_nonmonotonic = is_nonmonotonic},
                                             size);
            EXPECT_EQ(times_taken(taken, count), std::vector<int>(count, 1))
                << static_cast<int>(schedule) << ' ' << count << ' ' << chunk << ' ' << size << ' '
                << is_nonmonotonic;
          }
        }
      }
    }
  }
}

TEST(LoopPart, StaticChunksGoRound) {
  const auto taken =
      take_in_turns({.count = 10, .schedule = schedule_kind::statically, .chunk = 2}, 2);
  ASSERT_EQ(taken[0].size(), 3U);
  ASSERT_EQ(taken[1].size(), 2U);
  EXPECT_EQ(taken[0][1].first, 4U);
  EXPECT_EQ(taken[1][1].end, 8U);
}

TEST(LoopPart, AloneSectionsComeOneByOne) {
  const auto taken = take_in_turns(
      {.count = 3, .schedule = schedule_kind::dynamic, .chunk = 1, .one_by_one = true}, 1);
  EXPECT_EQ(taken[0].size(), 3U);
}

// Each thread begins with an equal part, and steals the back half of what another one has. The last
// iteration comes last.
TEST(LoopPart, NonmonotonicLoopsAreStolenFromTheBack) {
  team shared{2};
  loop_counts counts;
  loop_part second;
  second.enter({.count = 8, .schedule = schedule_kind::dynamic, .is_nonmonotonic = true}, &shared,
               counts, 1, 2);
  std::vector<std::uint64_t> taken;
  for (iterations piece{}; second.next(piece);) {
    EXPECT_EQ(piece.end - piece.first, 1U);
    taken.push_back(piece.first);
  }
  EXPECT_EQ(taken, (std::vector<std::uint64_t>{4, 5, 6, 2, 3, 1, 0, 7}));
}

TEST(LoopPart, MonotonicLoopsAreNot) {
  for (const bool is_ordered : {false, true}) {
    team shared{2};
    loop_counts counts;
    loop_part second;
    second.enter({.count = 3,
                  .schedule = schedule_kind::dynamic,
                  .is_ordered = is_ordered,
                  .is_nonmonotonic = is_ordered},
                 &shared, counts, 1, 2);
    for (std::uint64_t expected = 0; expected < 3; ++expected) {
      iterations piece{};
      ASSERT_TRUE(second.next(piece));
      EXPECT_EQ(piece.first, expected);
    }
  }
}

// More chunks than a share counts: two of them are a unit, and still come one by one.
TEST(LoopPart, ManyChunksComeOneByOne) {
  constexpr std::uint64_t kChunks = std::uint64_t{loop_share::kMostUnits} + 1;
  team shared{2};
  loop_counts counts;
  loop_part second;
  second.enter({.count = 3 * kChunks,
                .schedule = schedule_kind::dynamic,
                .chunk = 3,
                .is_nonmonotonic = true},
               &shared, counts, 1, 2);
  for (std::uint64_t i = 0; i < 5; ++i) {
    iterations piece{};
    ASSERT_TRUE(second.next(piece));
    EXPECT_EQ(piece.first, 3 * (kChunks / 2 + i));
    EXPECT_EQ(piece.end, piece.first + 3);
  }
}

TEST(LoopPart, GuidedPiecesShrinkToTheChunk) {
  const auto taken =
      take_in_turns({.count = 100, .schedule = schedule_kind::guided, .chunk = 5}, 2);
  EXPECT_EQ(taken[0].front().end, 50U);
  for (const auto& pieces : taken) {
    for (const iterations& piece : pieces) {
      EXPECT_TRUE(piece.end - piece.first >= 5 || piece.end == 100U);
    }
  }
}

// Where adding a chunk for each thread would overflow.
TEST(LoopPart, CountsUpToTheLargestNumber) {
  constexpr std::uint64_t kMost = std::numeric_limits<std::uint64_t>::max();
  for (const schedule_kind schedule :
       {schedule_kind::statically, schedule_kind::dynamic, schedule_kind::guided}) {
    for (const bool is_nonmonotonic : {false, true}) {
      const auto taken = take_in_turns({.count = kMost,
                                        .schedule = schedule,
                                        .chunk = kMost / 3 - 1,
                                        .is_nonmonotonic = is_nonmonotonic},
                                       2);
      std::uint64_t sum = 0;
      for (const auto& pieces : taken) {
        for (const iterations& piece : pieces) {
          sum += piece.end - piece.first;
        }
      }
      EXPECT_EQ(sum, kMost);
    }
  }
}

// Threads that run ahead of each other, and ordered parts.
TEST(LoopPart, ManyLoopsWithoutBarriers) {
  constexpr std::uint32_t kThreads = 3;
  constexpr std::uint64_t kCount = 50;
  constexpr int kLoops = 3000;
  team shared{kThreads, 0xfff0};     // numbers of loops begin anew
  std::vector<std::uint64_t> order;  // only the ordered part writes it
  std::vector<std::uint64_t> sums(kThreads, 0);
  const auto run = [&](std::uint32_t number) {
    loop_part part;
    loop_counts counts{.stealing = 0xfff0};
    for (int i = 0; i < kLoops; ++i) {
      const bool is_ordered = i % 2 == 0;
      part.enter({.count = kCount,
                  .schedule = i % 3 == 0 ? schedule_kind::guided : schedule_kind::dynamic,
                  .chunk = 1,
                  .is_ordered = is_ordered,
                  .is_nonmonotonic = true},
                 &shared, counts, number, kThreads);
      for (iterations piece{}; part.next(piece);) {
        sums[number] += piece.end - piece.first;
        if (is_ordered && i == 0) {
          part.wait_for_order();
          for (std::uint64_t each = piece.first; each < piece.end; ++each) {
            order.push_back(each);
          }
        }
      }
      part.leave();
    }
  };
  {
    std::vector<std::jthread> threads;
    for (std::uint32_t number = 0; number < kThreads; ++number) {
      threads.emplace_back(run, number);
    }
  }
  EXPECT_EQ(std::accumulate(sums.begin(), sums.end(), std::uint64_t{0}), kLoops * kCount);
  std::vector<std::uint64_t> expected(kCount);
  std::iota(expected.begin(), expected.end(), std::uint64_t{0});
  EXPECT_EQ(order, expected);
}

TEST(LoopPart, MemoryIsOnePerConstruct) {
  worksharing shared;
  loop_part first;
  loop_part second;
  loop_counts counts[2];
  const loop_wish wish{.count = 2, .is_shared = true};
  first.enter(wish, &shared, counts[0], 0, 2);
  second.enter(wish, &shared, counts[1], 1, 2);
  void* const memory = first.memory(16);
  EXPECT_EQ(second.memory(16), memory);
  first.leave();
  second.leave();
  loop_part alone;
  loop_counts unused;
  alone.enter(wish, nullptr, unused, 0, 1);
  EXPECT_EQ(alone.memory(8), alone.memory(8));
  alone.leave();
}

}  // namespace
