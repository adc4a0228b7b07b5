// Tasks for tests that only look at which one comes out.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <gtest/gtest.h>

#include <cstddef>
#include <deque>

#include "finegrain/task/pool_task.hpp"

namespace fg::test {

/// A fixture with as many tasks as are asked for, each known by its number.
class numbered_tasks : public testing::Test {
 protected:
  /// The same one for the same number; it stays where it is.
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
