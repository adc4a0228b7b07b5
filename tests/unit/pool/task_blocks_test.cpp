// The blocks of one worker, and how others return them.
// SPDX-License-Identifier: Apache-2.0
#include "finegrain/pool/task_blocks.hpp"

#include <gtest/gtest.h>

#include <cstddef>
#include <cstdint>
#include <functional>
#include <set>
#include <thread>
#include <vector>

namespace {

constexpr std::size_t kAll = fg::detail::task_blocks::kMostBlocks;

std::vector<void*> take_all(fg::detail::task_blocks& blocks) {
  std::vector<void*> taken;
  while (void* const block = blocks.take()) {
    taken.push_back(block);
  }
  return taken;
}

TEST(task_blocks, are_so_many_and_each_one_another_line) {
  fg::detail::task_blocks blocks;
  const std::vector<void*> taken = take_all(blocks);
  EXPECT_EQ(taken.size(), kAll);
  EXPECT_EQ((std::set<void*>{taken.begin(), taken.end()}).size(), kAll);
  for (const void* const block : taken) {
    EXPECT_EQ(reinterpret_cast<std::uintptr_t>(block) % fg::detail::task_blocks::kBlockBytes, 0U);
  }
}

TEST(task_blocks, come_back_from_their_owner) {
  fg::detail::task_blocks blocks;
  void* const block = blocks.take();
  blocks.give_back(block);
  EXPECT_EQ(take_all(blocks).size(), kAll);
}

// However many are returned together, and in whichever order.
TEST(task_blocks, come_back_from_afar_exactly_once) {
  for (const std::size_t away : {std::size_t{1}, std::size_t{2}, std::size_t{27}, std::size_t{28},
                                 std::size_t{29}, std::size_t{57}, kAll}) {
    fg::detail::task_blocks blocks;
    const std::vector<void*> taken = take_all(blocks);
    fg::detail::returned_blocks returned;
    for (std::size_t i = 0; i < away; ++i) {
      returned.add(blocks, taken[i]);
    }
    returned.flush();
    const std::vector<void*> back = take_all(blocks);
    EXPECT_EQ((std::set<void*>{back.begin(), back.end()}),
              (std::set<void*>{taken.begin(), taken.begin() + static_cast<std::ptrdiff_t>(away)}));
    EXPECT_EQ(back.size(), away);
  }
}

TEST(task_blocks, go_back_to_whom_they_belong) {
  fg::detail::task_blocks ones;
  fg::detail::task_blocks others;
  const std::vector<void*> of_one = take_all(ones);
  const std::vector<void*> of_other = take_all(others);
  fg::detail::returned_blocks returned;
  for (std::size_t i = 0; i < kAll; ++i) {
    returned.add(ones, of_one[i]);
    if (i % 3 == 0) {
      returned.add(others, of_other[i]);
    }
  }
  returned.flush();
  const std::vector<void*> back = take_all(ones);
  EXPECT_EQ((std::set<void*>{back.begin(), back.end()}),
            (std::set<void*>{of_one.begin(), of_one.end()}));
  EXPECT_EQ(take_all(others).size(), (kAll + 2) / 3);
}

TEST(task_blocks, come_back_from_several_threads_while_the_owner_takes) {
  fg::detail::task_blocks blocks;
  std::vector<void*> taken = take_all(blocks);
  for (int round = 0; round < 200; ++round) {
    const auto give_back = [&taken](fg::detail::task_blocks& owner, std::size_t first) {
      fg::detail::returned_blocks returned;
      for (std::size_t i = first; i < kAll; i += 2) {
        *static_cast<std::size_t*>(taken[i]) = i;  // its last use here
        returned.add(owner, taken[i]);
      }
      returned.flush();
    };
    std::thread one{give_back, std::ref(blocks), 0};
    std::thread other{give_back, std::ref(blocks), 1};
    std::set<void*> back;
    while (back.size() < kAll) {
      if (void* const block = blocks.take()) {
        *static_cast<std::size_t*>(block) = 0;
        ASSERT_TRUE(back.insert(block).second);
      } else {
        std::this_thread::yield();
      }
    }
    one.join();
    other.join();
    taken.assign(back.begin(), back.end());
  }
}

}  // namespace
