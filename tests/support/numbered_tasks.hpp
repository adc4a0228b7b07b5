// Tasks for tests that only check which one they get.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <gtest/gtest.h>

#include <cstddef>
#include <deque>

#include "finegrain/task/pool_task.hpp"

namespace fg::test {

/// A fixture with any number of tasks, each identified by its number.
class numbered_tasks : public testing::Test {
 protected:
  /// The same task for the same number, at a fixed address.
  pool_task& task(std::size_t number) {
    while (tasks_.size() <= number) {
      tasks_.emplace_back();
    }
    return tasks_[number];
  }

 private:
  std::deque<pool_task> tasks_;
};

}  // namespace fg::test
