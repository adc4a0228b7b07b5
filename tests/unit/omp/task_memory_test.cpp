// Blocks, their size classes, and how they are returned.
// SPDX-License-Identifier: Apache-2.0
#include "omp/task_memory.hpp"

#include <gtest/gtest.h>

#include <array>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <functional>
#include <mutex>
#include <set>
#include <thread>
#include <vector>

#include "finegrain/core/atomic.hpp"
#include "finegrain/core/cache_line.hpp"
#include "support/sanitizer.hpp"

namespace {

using memory = fg::omp::task_memory;

// A task that a block of this class holds to the last byte.
constexpr std::array<std::size_t, memory::kClasses> kSizes{192, 256, 384, 512, 1024, 4096};

// Of the smallest class, which are allocated from the system together.
constexpr std::size_t kBlocksAChunk = 85;

class task_memory : public testing::Test {
 protected:
  void TearDown() override { EXPECT_EQ(memory_->pending(), 0U); }

  void* take(std::size_t bytes) { return memory_->take(memory::class_for(bytes), bytes); }
  std::vector<void*> take_many(std::size_t count, std::size_t bytes) {
    std::vector<void*> taken(count);
    for (void*& each : taken) {
      each = take(bytes);
    }
    return taken;
  }
  void give_back(const std::vector<void*>& blocks, std::size_t bytes) {
    for (void* const each : blocks) {
      memory_->give_back(each, memory::class_for(bytes));
    }
  }
  // By another thread.
  void return_from_afar(const std::vector<void*>& blocks, std::size_t bytes) {
    std::thread other{[&] {
      fg::omp::returned_tasks returned;
      for (void* const each : blocks) {
        std::memset(each, 0xff, bytes);
        returned.add(*memory_, each, memory::class_for(bytes));
      }
      returned.flush();
    }};
    other.join();
  }

  // It keeps its blocks forever and is never freed: so a leak checker finds them.
  static memory& make_kept() {
    static auto& kept = *new std::vector<memory*>;
    return *kept.emplace_back(new memory);
  }
  memory* memory_ = &make_kept();
};

std::set<void*> as_set(const std::vector<void*>& blocks) { return {blocks.begin(), blocks.end()}; }

TEST_F(task_memory, has_aclass_for_every_size) {
  EXPECT_EQ(memory::class_for(1), 0);
  std::uint8_t expected = 0;
  for (const std::size_t size : kSizes) {
    EXPECT_EQ(memory::class_for(size), expected);
    ++expected;
    EXPECT_EQ(memory::class_for(size + 1), expected);
  }
  EXPECT_EQ(expected, memory::kAlone);
  EXPECT_EQ(memory::class_for(std::size_t{1} << 40U), memory::kAlone);
}

TEST_F(task_memory, blocks_are_whole_lines_and_do_not_overlap) {
  struct block {
    void* at;
    std::size_t bytes;
  };
  std::vector<block> blocks;
  for (int round = 0; round < 100; ++round) {
    for (const std::size_t bytes :
         {kSizes[0], kSizes[1], kSizes[2], kSizes[3], kSizes[4], kSizes[5], kSizes[5] + 100}) {
      blocks.push_back({take(bytes), bytes});
      ASSERT_NE(blocks.back().at, nullptr);
      EXPECT_EQ(reinterpret_cast<std::uintptr_t>(blocks.back().at) % fg::kCacheLineBytes, 0U);
      std::memset(blocks.back().at, static_cast<int>(blocks.size() % 251), bytes);
    }
  }
  EXPECT_EQ(memory_->pending(), blocks.size());
  for (std::size_t i = 0; i < blocks.size(); ++i) {
    const std::vector<unsigned char> expected(blocks[i].bytes,
                                              static_cast<unsigned char>((i + 1) % 251));
    EXPECT_EQ(std::memcmp(blocks[i].at, expected.data(), expected.size()), 0) << i;
  }
  for (const block& each : blocks) {
    memory_->give_back(each.at, memory::class_for(each.bytes));
  }
}

TEST_F(task_memory, gives_out_again_what_came_back_last) {
  for (const std::size_t bytes : kSizes) {
    void* const first = take(bytes);
    void* const second = take(bytes);
    give_back({second, first}, bytes);
    EXPECT_EQ(take(bytes), first);
    EXPECT_EQ(take(bytes), second);
    give_back({second, first}, bytes);
  }
}

TEST_F(task_memory, keeps_classes_apart) {
  void* const small = take(kSizes[0]);
  give_back({small}, kSizes[0]);
  const std::vector<void*> large = take_many(100, kSizes[5]);
  EXPECT_EQ(as_set(large).count(small), 0U);
  give_back(large, kSizes[5]);
  EXPECT_EQ(take(kSizes[0]), small);
  give_back({small}, kSizes[0]);
}

TEST_F(task_memory, counts_what_is_in_use) {
  const std::vector<void*> blocks = take_many(5, 1);
  const std::vector<void*> alone = take_many(2, 10'000);
  EXPECT_EQ(memory_->pending(), 7U);
  give_back(alone, 10'000);
  EXPECT_EQ(memory_->pending(), 5U);
  give_back(blocks, 1);
  EXPECT_EQ(memory_->pending(), 0U);
}

TEST_F(task_memory, does_not_count_what_runs) {
  void* const first = take(1);
  void* const second = take(1);
  memory_->begin_running();
  EXPECT_EQ(memory_->pending(), 1U);
  memory_->stop_running();
  EXPECT_EQ(memory_->pending(), 2U);
  memory_->begin_running();
  memory_->give_back_running(first, memory::class_for(1));
  EXPECT_EQ(memory_->pending(), 1U) << "it was not counted any more";
  memory_->give_back(second, memory::class_for(1));
  void* const alone = take(10'000);
  memory_->begin_running();
  memory_->give_back_running(alone, memory::kAlone);
}

TEST_F(task_memory, has_at_hand_what_came_back) {
  const std::uint8_t size_class = memory::class_for(1);
  EXPECT_EQ(memory_->take_at_hand(size_class), nullptr) << "the first ones have to be made";
  EXPECT_EQ(memory_->pending(), 0U);
  void* const block = take(1);
  memory_->give_back(block, size_class);
  EXPECT_EQ(memory_->take_at_hand(size_class), block);
  EXPECT_EQ(memory_->pending(), 1U);
  memory_->give_back(block, size_class);
}

TEST_F(task_memory, never_has_large_ones_at_hand) {
  void* const alone = take(10'000);
  memory_->give_back(alone, memory::kAlone);
  EXPECT_EQ(memory_->take_at_hand(memory::kAlone), nullptr);
}

// However many are returned together.
TEST_F(task_memory, takes_back_from_afar_exactly_once) {
  for (const std::size_t bytes : kSizes) {
    for (const std::size_t count : {1U, 2U, 14U, 15U, 16U, 30U, 31U, 200U}) {
      const std::vector<void*> blocks = take_many(count, bytes);
      return_from_afar(blocks, bytes);
      EXPECT_EQ(memory_->pending(), count) << "not known before it is asked for";
      memory_->collect();
      EXPECT_EQ(memory_->pending(), 0U);
      const std::vector<void*> again = take_many(count, bytes);
      EXPECT_EQ(as_set(again), as_set(blocks));
      give_back(again, bytes);
    }
  }
}

TEST_F(task_memory, takes_back_from_afar_by_itself_before_it_asks_the_system) {
  std::vector<void*> blocks = take_many(200, kSizes[0]);
  std::set<void*> known = as_set(blocks);
  for (int round = 0; round < 20; ++round) {
    return_from_afar(blocks, kSizes[0]);
    blocks = take_many(200, kSizes[0]);
    known.insert(blocks.begin(), blocks.end());
  }
  EXPECT_LE(known.size(), 200 + kBlocksAChunk);
  give_back(blocks, kSizes[0]);
}

TEST_F(task_memory, batch_has_blocks_of_all_classes) {
  std::array<std::vector<void*>, memory::kClasses> blocks;
  fg::omp::returned_tasks returned;
  for (std::size_t each = 0; each < memory::kClasses; ++each) {
    blocks.at(each) = take_many(7, kSizes.at(each));
  }
  for (std::size_t i = 0; i < 7; ++i) {
    for (std::size_t each = 0; each < memory::kClasses; ++each) {
      returned.add(*memory_, blocks.at(each)[i], static_cast<std::uint8_t>(each));
    }
  }
  returned.flush();
  memory_->collect();
  for (std::size_t each = 0; each < memory::kClasses; ++each) {
    const std::vector<void*> again = take_many(7, kSizes.at(each));
    EXPECT_EQ(as_set(again), as_set(blocks.at(each)));
    give_back(again, kSizes.at(each));
  }
}

TEST_F(task_memory, blocks_go_back_to_whom_they_belong) {
  memory& other = make_kept();
  const std::vector<void*> ones = take_many(40, 1);
  std::vector<void*> others(40);
  for (void*& each : others) {
    each = other.take(0, 1);
  }
  fg::omp::returned_tasks returned;
  for (std::size_t i = 0; i < ones.size(); ++i) {
    returned.add(*memory_, ones[i], 0);
    if (i % 3 == 0) {
      returned.add(other, others[i], 0);
    }
  }
  returned.flush();
  memory_->collect();
  other.collect();
  EXPECT_EQ(memory_->pending(), 0U);
  EXPECT_EQ(other.pending(), 26U);
  const std::vector<void*> again = take_many(40, 1);
  EXPECT_EQ(as_set(again), as_set(ones));
  give_back(again, 1);
}

TEST_F(task_memory, flush_shows_what_was_kept) {
  const std::vector<void*> blocks = take_many(3, 1);
  fg::omp::returned_tasks returned;
  for (void* const each : blocks) {
    returned.add(*memory_, each, 0);
  }
  memory_->collect();
  EXPECT_EQ(memory_->pending(), 3U) << "in a batch that is not full";
  returned.flush();
  returned.flush();  // nothing kept
  memory_->collect();
  EXPECT_EQ(memory_->pending(), 0U);
}

TEST_F(task_memory, large_ones_come_back_from_afar_as_anumber) {
  const std::vector<void*> blocks = take_many(5, 10'000);
  return_from_afar(blocks, 10'000);
  EXPECT_EQ(memory_->pending(), 5U);
  memory_->collect();
  EXPECT_EQ(memory_->pending(), 0U);
  memory_->collect();
  EXPECT_EQ(memory_->pending(), 0U);
}

// An owner that takes, two others that write and return, concurrently.
TEST_F(task_memory, hammered_no_block_is_given_out_twice) {
  constexpr std::size_t kBlocks = fg::test::kSlow ? 10'000 : 60'000;
  constexpr std::size_t kMostAway = 256;
  std::mutex mutex;
  std::vector<std::size_t*> away;
  fg::atomic<bool> all_taken{false};
  std::set<void*> known;
  std::vector<std::thread> others;
  others.reserve(2);
  for (int i = 0; i < 2; ++i) {
    others.emplace_back([&] {
      fg::omp::returned_tasks returned;
      for (bool last_round = false; !last_round;) {
        last_round = all_taken.load();
        std::vector<std::size_t*> mine;
        {
          const std::lock_guard hold{mutex};
          mine.swap(away);
        }
        for (std::size_t* const each : mine) {
          EXPECT_EQ(*each, reinterpret_cast<std::uintptr_t>(each)) << "another thread has it, too";
          *each = 0;  // plain: ThreadSanitizer sees which thread writes next
          returned.add(*memory_, each, static_cast<std::uint8_t>(each[1]));
        }
        returned.flush();
      }
    });
  }
  for (std::size_t i = 0; i < kBlocks; ++i) {
    const std::size_t which = i % 2;
    auto* const block = static_cast<std::size_t*>(take(kSizes.at(which)));
    block[0] = reinterpret_cast<std::uintptr_t>(block);
    block[1] = which;
    known.insert(block);
    {
      const std::lock_guard hold{mutex};
      away.push_back(block);
    }
    while (memory_->pending() >= kMostAway) {
      std::this_thread::yield();
      memory_->collect();
    }
  }
  all_taken = true;
  for (std::thread& each : others) {
    each.join();
  }
  memory_->collect();
  EXPECT_LE(known.size(), 2 * (kMostAway + kBlocksAChunk))
      << "recycled: no more than were away, and a chunk";
}

}  // namespace
