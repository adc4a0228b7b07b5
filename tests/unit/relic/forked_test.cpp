// Results of tasks: in their slots, moved out of them, too large for them, and exceptions.
// SPDX-License-Identifier: Apache-2.0
#include "finegrain/relic/forked.hpp"

#include <gtest/gtest.h>

#include <array>
#include <cstddef>
#include <memory>
#include <optional>
#include <stdexcept>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include "finegrain/relic/relic.hpp"
#include "support/relic_modes.hpp"

namespace {

template <std::size_t Bytes>
using bytes = std::array<unsigned char, Bytes>;

using fg::test::with_relics_of_both_modes;

// Counts the objects that exist.
class counted {
 public:
  static inline fg::atomic<int> alive{0};
  explicit counted(int number) : number_{number} { ++alive; }
  counted(counted&& other) noexcept : number_{std::exchange(other.number_, -1)} { ++alive; }
  counted& operator=(counted&&) = default;
  counted(const counted&) = delete;
  counted& operator=(const counted&) = delete;
  ~counted() { --alive; }
  [[nodiscard]] int number() const { return number_; }

 private:
  int number_;
};

struct large_counted {
  counted value;
  bytes<100> padding{};
};

template <std::size_t Bytes>
void returns_all_bytes(fg::relic& relic) {
  bytes<Bytes> expected;
  expected.fill(static_cast<unsigned char>(Bytes));
  auto task = relic.fork([] {
    bytes<Bytes> made;
    made.fill(static_cast<unsigned char>(Bytes));
    return made;
  });
  static_assert(decltype(task)::kInTaskLine == (Bytes <= 48));
  EXPECT_EQ(task.get(), expected) << Bytes;
}

TEST(forked, returns_results_of_any_size) {
  with_relics_of_both_modes([](fg::relic& relic) {
    returns_all_bytes<1>(relic);
    returns_all_bytes<8>(relic);
    returns_all_bytes<47>(relic);
    returns_all_bytes<48>(relic);
    returns_all_bytes<49>(relic);
    returns_all_bytes<64>(relic);
    returns_all_bytes<512>(relic);
  });
}

TEST(forked, returns_what_can_only_be_moved_and_what_needs_its_destructor) {
  with_relics_of_both_modes([](fg::relic& relic) {
    EXPECT_EQ(*relic.fork([] { return std::make_unique<int>(7); }).get(), 7);
    const std::string text(100, 'x');
    EXPECT_EQ(relic.fork([&] { return text + 'y'; }).get(), text + 'y');
    EXPECT_EQ(relic.fork([] { return counted{3}; }).get().number(), 3);
    EXPECT_EQ(relic.fork([] { return large_counted{counted{4}}; }).get().value.number(), 4);
    EXPECT_EQ(counted::alive, 0);
  });
}

// The closure is destroyed before its result takes its bytes.
TEST(forked, returns_a_copy_of_what_the_closure_refers_to_in_itself) {
  with_relics_of_both_modes([](fg::relic& relic) {
    auto task = relic.fork([text = std::string(30, 'y')]() -> const std::string& { return text; });
    EXPECT_EQ(task.get(), std::string(30, 'y'));
  });
}

TEST(forked, may_return_nothing) {
  with_relics_of_both_modes([](fg::relic& relic) {
    int ran = 0;
    auto task = relic.fork([&ran] { ++ran; });
    static_assert(std::is_void_v<decltype(task.get())>);
    task.get();
    EXPECT_EQ(ran, 1);
  });
}

TEST(forked, throws_what_the_task_threw_and_wait_does_not) {
  with_relics_of_both_modes([](fg::relic& relic) {
    auto small = relic.fork([]() -> int { throw std::runtime_error{"small"}; });
    auto large = relic.fork([]() -> bytes<100> { throw std::runtime_error{"large"}; });
    auto none = relic.fork([] { throw std::runtime_error{"none"}; });
    EXPECT_THROW(small.get(), std::runtime_error);
    EXPECT_NO_THROW(relic.wait());
    EXPECT_THROW(large.get(), std::runtime_error);
    EXPECT_THROW(none.get(), std::runtime_error);
  });
}

TEST(forked, keeps_a_result_whose_slot_is_needed_again) {
  with_relics_of_both_modes([](fg::relic& relic) {
    auto small = relic.fork([] { return counted{1}; });
    auto large = relic.fork([] { return large_counted{counted{2}}; });
    auto failed = relic.fork([]() -> int { throw 3; });
    relic.wait();
    for (int i = 0; i < 3; ++i) {
      relic.submit([] {});  // in the same slots
    }
    relic.wait();
    EXPECT_TRUE(small.is_ready() && large.is_ready() && failed.is_ready());
    EXPECT_EQ(small.get().number(), 1);
    EXPECT_EQ(large.get().value.number(), 2);
    EXPECT_THROW(failed.get(), int);
    EXPECT_EQ(counted::alive, 0);
  });
}

// More results than slots, taken in both directions. Nothing waits for a slot for ever.
TEST(forked, keeps_more_results_than_there_are_slots) {
  with_relics_of_both_modes([](fg::relic& relic) {
    constexpr int kTasks = 1000;
    std::vector<decltype(relic.fork([] { return counted{0}; }))> tasks;
    tasks.reserve(kTasks);
    for (int i = 0; i < kTasks; ++i) {
      tasks.push_back(relic.fork([i] { return counted{i}; }));
    }
    for (int i = 0; i < kTasks; i += 2) {
      EXPECT_EQ(tasks[static_cast<std::size_t>(i)].get().number(), i);
    }
    for (int i = kTasks - 1; i > 0; i -= 2) {
      EXPECT_EQ(tasks[static_cast<std::size_t>(i)].get().number(), i);
    }
    EXPECT_EQ(counted::alive, 0);
  });
}

TEST(forked, is_moved_before_and_after_its_result_has_come) {
  with_relics_of_both_modes([](fg::relic& relic) {
    auto first = relic.fork([] { return counted{1}; });
    auto second = std::move(first);
    relic.wait();
    auto third = std::move(second);
    third = relic.fork([] { return counted{2}; });  // drops the first result
    EXPECT_EQ(third.get().number(), 2);
    auto failed = relic.fork([]() -> int { throw 3; });
    relic.wait();
    auto moved = std::move(failed);
    EXPECT_THROW(moved.get(), int);
    EXPECT_EQ(counted::alive, 0);
  });
}

TEST(forked, loses_a_result_whose_move_throws_and_nothing_else) {
  static int alive = 0;
  static bool throws = false;
  struct fragile {
    fragile() { ++alive; }
    fragile(fragile&& /*other*/) noexcept(false) {
      if (throws) {
        throw std::runtime_error{"moved"};
      }
      ++alive;
    }
    fragile& operator=(fragile&&) = delete;
    fragile(const fragile&) = delete;
    fragile& operator=(const fragile&) = delete;
    ~fragile() { --alive; }
  };
  with_relics_of_both_modes([](fg::relic& relic) {
    throws = false;
    auto first = relic.fork([] { return fragile{}; });
    auto second = relic.fork([] { return fragile{}; });
    relic.wait();
    throws = true;
    EXPECT_THROW(first = std::move(second), std::runtime_error);
    EXPECT_FALSE(first.valid());
    EXPECT_FALSE(second.valid());  // NOLINT(bugprone-use-after-move): that is the question
    EXPECT_EQ(alive, 0);
  });
}

TEST(forked, drops_what_nobody_takes) {
  with_relics_of_both_modes([](fg::relic& relic) {
    {
      const auto small = relic.fork([] { return counted{1}; });
      const auto large = relic.fork([] { return large_counted{counted{2}}; });
      const auto failed = relic.fork([]() -> counted { throw 3; });
      const auto large_failed = relic.fork([]() -> large_counted { throw 4; });
    }
    {
      const auto small = relic.fork([] { return counted{1}; });
      const auto large = relic.fork([] { return large_counted{counted{2}}; });
      const auto failed = relic.fork([]() -> counted { throw 3; });
      relic.wait();
    }
    EXPECT_EQ(counted::alive, 0);
    EXPECT_NO_THROW(relic.wait());
  });
}

TEST(forked, outlives_its_relic) {
  for (const bool waits : {false, true}) {
    std::optional<fg::relic> relic{std::in_place};
    auto small = relic->fork([] { return counted{1}; });
    auto large = relic->fork([] { return large_counted{counted{2}}; });
    const auto dropped = relic->fork([] { return counted{3}; });
    if (waits) {
      relic->wait();
    }
    relic.reset();
    EXPECT_EQ(small.get().number(), 1);
    EXPECT_EQ(large.get().value.number(), 2);
  }
  EXPECT_EQ(counted::alive, 0);
}

TEST(forked, is_ready_when_get_would_not_wait) {
  fg::relic relic;
  ASSERT_FALSE(relic.inline_mode()) << relic.inline_reason();
  fg::atomic<bool> may_end{false};
  auto task = relic.fork([&may_end] {
    may_end.wait(false);
    return 1;
  });
  EXPECT_FALSE(task.is_ready());
  may_end = true;
  may_end.notify_one();
  relic.wait();
  EXPECT_TRUE(task.is_ready());
  EXPECT_EQ(task.get(), 1);
}

TEST(forked, is_valid_while_it_has_a_task) {
  with_relics_of_both_modes([](fg::relic& relic) {
    fg::forked<counted> task;
    EXPECT_FALSE(task.valid());
    task = relic.fork([] { return counted{1}; });
    EXPECT_TRUE(task.valid());
    auto moved = std::move(task);
    EXPECT_FALSE(task.valid());  // NOLINT(bugprone-use-after-move): that is the question
    EXPECT_EQ(moved.get().number(), 1);
    EXPECT_FALSE(moved.valid());
    EXPECT_FALSE(fg::forked<bytes<100>>{}.valid());
  });
}

TEST(forked, is_one_of_several_that_are_nested) {
  with_relics_of_both_modes([](fg::relic& relic) {
    auto outer = relic.fork([] { return counted{1}; });
    for (int i = 0; i < 3; ++i) {
      auto inner = relic.fork([i] { return counted{10 + i}; });
      EXPECT_EQ(inner.get().number(), 10 + i);
    }
    EXPECT_EQ(outer.get().number(), 1);
    EXPECT_EQ(counted::alive, 0);
  });
}

TEST(submit_into, assigns_by_the_end_of_wait) {
  with_relics_of_both_modes([](fg::relic& relic) {
    int small = 0;
    bytes<200> large{};
    std::string text;
    std::optional<long> converted;
    relic.submit_into(small, [] { return 5; });
    relic.submit_into(large, [] {
      bytes<200> made;
      made.fill(6);
      return made;
    });
    relic.submit_into(text, [] { return std::string(50, 'z'); });
    relic.submit_into(converted, [] { return 7; });
    relic.wait();
    EXPECT_EQ(small, 5);
    EXPECT_EQ(large[199], 6);
    EXPECT_EQ(text, std::string(50, 'z'));
    EXPECT_EQ(converted, 7);
  });
}

// Whether main assigns them when their slots are needed, or all at the end.
TEST(submit_into, assigns_the_last_of_several_results) {
  with_relics_of_both_modes([](fg::relic& relic) {
    for (const int tasks : {3, 128, 300}) {
      int variable = 0;
      for (int i = 1; i <= tasks; ++i) {
        relic.submit_into(variable, [i] { return i; });
      }
      relic.wait();
      EXPECT_EQ(variable, tasks);
    }
  });
}

// A result whose move throws, and a destination that cannot throw.
TEST(submit_into, passes_on_what_the_move_of_a_result_throws) {
  struct throws_when_moved {
    throws_when_moved() = default;
    // NOLINTNEXTLINE(performance-noexcept-move-constructor,bugprone-exception-escape): on purpose
    throws_when_moved(throws_when_moved&&) { throw std::runtime_error{"moved"}; }
    throws_when_moved& operator=(throws_when_moved&&) = delete;
    throws_when_moved(const throws_when_moved&) = delete;
    throws_when_moved& operator=(const throws_when_moved&) = delete;
    ~throws_when_moved() = default;
  };
  struct destination {
    destination& operator=(throws_when_moved&& /*result*/) noexcept {
      assigned = true;
      return *this;
    }
    bool assigned = false;
  };
  with_relics_of_both_modes([](fg::relic& relic) {
    destination there;
    relic.submit_into(there, [] { return throws_when_moved{}; });
    EXPECT_NO_THROW(relic.wait());
    EXPECT_TRUE(there.assigned);
    auto task = relic.fork([] { return throws_when_moved{}; });
    EXPECT_THROW(task.get(), std::runtime_error);
  });
}

TEST(submit_into, assigns_nothing_where_the_task_throws_and_wait_rethrows_the_first) {
  with_relics_of_both_modes([](fg::relic& relic) {
    int one = 1;
    int two = 2;
    std::string text = "before";
    relic.submit_into(one, [] { return 10; });
    relic.submit_into(two, []() -> int { throw std::runtime_error{"first"}; });
    relic.submit([] { throw std::logic_error{"second"}; });
    relic.submit_into(text, []() -> std::string { throw std::logic_error{"third"}; });
    EXPECT_THROW(relic.wait(), std::runtime_error);
    EXPECT_EQ(one, 10);
    EXPECT_EQ(two, 2);
    EXPECT_EQ(text, "before");
    EXPECT_NO_THROW(relic.wait());
  });
}

TEST(submit_into, assigns_more_results_than_there_are_slots) {
  with_relics_of_both_modes([](fg::relic& relic) {
    std::vector<int> squares(1000);
    for (int i = 0; i < 1000; ++i) {
      relic.submit_into(squares[static_cast<std::size_t>(i)], [i] { return i * i; });
    }
    relic.wait();
    for (int i = 0; i < 1000; ++i) {
      ASSERT_EQ(squares[static_cast<std::size_t>(i)], i * i);
    }
  });
}

}  // namespace
