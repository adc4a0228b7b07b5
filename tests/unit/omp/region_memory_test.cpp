// SPDX-License-Identifier: Apache-2.0
#include "omp/region_memory.hpp"

#include <gtest/gtest.h>

#include <cstddef>
#include <memory>
#include <vector>

namespace {

constexpr bool kMadeTasks = true;
constexpr bool kMadeNone = false;

class region_memory : public testing::Test {
 protected:
  // Consecutive addresses of functions, as a linker lays them out.
  [[nodiscard]] const void* code(std::size_t number) const { return &text_[number * kCodeBytes]; }

  static constexpr std::size_t kCodes = 5000;  // more than there are entries
  static constexpr std::size_t kCodeBytes = 16;
  std::vector<char> text_ = std::vector<char>(kCodes * kCodeBytes);
  std::unique_ptr<fg::omp::region_memory> memory_ = std::make_unique<fg::omp::region_memory>();
};

TEST_F(region_memory, expects_tasks_of_what_it_does_not_know) {
  EXPECT_TRUE(memory_->expects_tasks(code(0)));
  EXPECT_TRUE(memory_->expects_tasks(nullptr));
}

TEST_F(region_memory, expects_none_of_those_that_made_none) {
  memory_->remember(code(0), kMadeNone);
  EXPECT_FALSE(memory_->expects_tasks(code(0)));
  EXPECT_TRUE(memory_->expects_tasks(code(1)));
}

TEST_F(region_memory, expects_tasks_for_ever_of_those_that_made_some) {
  memory_->remember(code(0), kMadeNone);
  memory_->remember(code(0), kMadeTasks);
  EXPECT_TRUE(memory_->expects_tasks(code(0)));
  memory_->remember(code(0), kMadeNone);
  EXPECT_TRUE(memory_->expects_tasks(code(0)));
}

TEST_F(region_memory, knows_regions_apart) {
  constexpr std::size_t kFew = 20;
  for (std::size_t i = 0; i < kFew; ++i) {
    memory_->remember(code(i), i % 2 == 0 ? kMadeTasks : kMadeNone);
  }
  std::size_t right = 0;
  for (std::size_t i = 0; i < kFew; ++i) {
    right += memory_->expects_tasks(code(i)) == (i % 2 == 0) ? 1U : 0U;
  }
  EXPECT_GE(right, kFew - 2) << "two regions or so may share an entry";
}

// Whichever regions share entries.
TEST_F(region_memory, expects_tasks_of_those_that_it_has_forgotten) {
  for (std::size_t i = 0; i < kCodes; ++i) {
    memory_->remember(code(i), kMadeNone);
    ASSERT_FALSE(memory_->expects_tasks(code(i)));
  }
  std::size_t known = 0;
  for (std::size_t i = 0; i < kCodes; ++i) {
    known += memory_->expects_tasks(code(i)) ? 0U : 1U;
  }
  EXPECT_LE(known, 1024U) << "as many as there are entries";
  EXPECT_GE(known, 512U) << "most of the entries are used";
}

TEST_F(region_memory, others_do_not_hide_that_one_made_tasks) {
  for (std::size_t i = 0; i < kCodes; ++i) {
    memory_->remember(code(i), i % 2 == 0 ? kMadeTasks : kMadeNone);
  }
  for (std::size_t i = 0; i < kCodes; i += 2) {
    ASSERT_TRUE(memory_->expects_tasks(code(i))) << i;
  }
}

}  // namespace
