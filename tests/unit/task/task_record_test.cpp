// SPDX-License-Identifier: Apache-2.0
#include "finegrain/task/task_record.hpp"

#include <gtest/gtest.h>

#include <array>
#include <cstdint>
#include <memory>
#include <stdexcept>
#include <utility>

namespace {

TEST(task_record, runs_the_closure_and_destroys_it) {
  fg::detail::task_record record;
  const auto shared = std::make_shared<int>(0);
  record.emplace([shared] { ++*shared; });
  EXPECT_EQ(shared.use_count(), 2);
  EXPECT_EQ(*shared, 0);
  record.run();
  EXPECT_EQ(*shared, 1);
  EXPECT_EQ(shared.use_count(), 1);
}

TEST(task_record, passes_an_exception_on_and_still_destroys_the_closure) {
  fg::detail::task_record record;
  const auto shared = std::make_shared<int>(0);
  record.emplace([shared] { throw std::runtime_error("from the task"); });
  EXPECT_THROW(record.run(), std::runtime_error);
  EXPECT_EQ(shared.use_count(), 1);
}

TEST(task_record, moves_what_can_only_be_moved) {
  struct only_moves {
    explicit only_moves(int number) : value{number} {}
    only_moves(only_moves&&) = default;
    only_moves& operator=(only_moves&&) = delete;
    only_moves(const only_moves&) = delete;
    only_moves& operator=(const only_moves&) = delete;
    ~only_moves() = default;
    int value;
  };
  fg::detail::task_record record;
  int seen = 0;
  auto closure = [&seen, number = only_moves{7}] { seen = number.value; };
  record.emplace(std::move(closure));
  record.run();
  EXPECT_EQ(seen, 7);
}

// Counts its copies that exist.
struct counted_copies {
  explicit counted_copies(int& alive) : count{&alive} { ++*count; }
  counted_copies(counted_copies&& other) noexcept : count{other.count} { ++*count; }
  counted_copies(const counted_copies& other) : count{other.count} { ++*count; }
  counted_copies& operator=(const counted_copies&) = delete;
  ~counted_copies() { --*count; }
  int* count;
};

TEST(task_record, runs_a_closure_on_the_stack_and_destroys_each_of_its_copies) {
  fg::detail::task_record record;
  int alive = 0;
  int alive_in_call = 0;
  bool is_in_record = true;
  record.emplace([&, captured = counted_copies{alive}] {
    alive_in_call = *captured.count;
    const auto at = reinterpret_cast<std::uintptr_t>(&captured);
    const auto begin = reinterpret_cast<std::uintptr_t>(&record);
    is_in_record = at >= begin && at < begin + sizeof(record);
  });
  EXPECT_EQ(alive, 1);
  record.run();
  EXPECT_EQ(alive_in_call, 1);
  EXPECT_EQ(alive, 0);
  EXPECT_FALSE(is_in_record);
}

TEST(task_record, runs_a_closure_whose_move_may_throw_where_it_is) {
  struct throws_on_move : counted_copies {
    using counted_copies::counted_copies;
    throws_on_move(const throws_on_move&) = default;
    throws_on_move(throws_on_move&& other) noexcept(false) : counted_copies{std::move(other)} {
      throw std::runtime_error("moved");
    }
    throws_on_move& operator=(const throws_on_move&) = delete;
    ~throws_on_move() = default;
    void operator()() const {}
  };
  fg::detail::task_record record;
  int alive = 0;
  {
    const throws_on_move closure{alive};
    record.emplace(closure);
  }
  EXPECT_EQ(alive, 1);
  EXPECT_NO_THROW(record.run());
  EXPECT_EQ(alive, 0);
}

TEST(task_record, holds_a_closure_of_the_whole_limit) {
  fg::detail::task_record record;
  static std::array<unsigned char, fg::kTaskClosureBytes> seen;
  std::array<unsigned char, fg::kTaskClosureBytes> data{};
  data.front() = 1;
  data.back() = 2;
  record.emplace([data] { seen = data; });
  record.run();
  EXPECT_EQ(seen, data);
}

TEST(task_record, is_as_before_when_the_copy_throws) {
  struct throws_on_copy {
    throws_on_copy() = default;
    throws_on_copy(const throws_on_copy&) { throw std::runtime_error("no copy"); }
    throws_on_copy& operator=(const throws_on_copy&) = default;
    ~throws_on_copy() = default;
    void operator()() const {}
  };
  fg::detail::task_record record;
  const throws_on_copy closure;
  EXPECT_THROW(record.emplace(closure), std::runtime_error);
  bool ran = false;
  record.emplace([&ran] { ran = true; });
  record.run();
  EXPECT_TRUE(ran);
}

TEST(task_record, can_be_filled_again) {
  fg::detail::task_record record;
  int sum = 0;
  for (int i = 1; i <= 3; ++i) {
    record.emplace([&sum, i] { sum += i; });
    record.run();
  }
  EXPECT_EQ(sum, 6);
}

}  // namespace
