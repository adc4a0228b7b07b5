// Sorting over a pool, under every policy.
// SPDX-License-Identifier: Apache-2.0
#include "finegrain/algorithm/pool/sort.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <functional>
#include <memory>
#include <random>
#include <stdexcept>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "finegrain/core/atomic.hpp"
#include "finegrain/pool/pool.hpp"
#include "unit/pool/pool_setting.hpp"

namespace {

class pool_sort : public testing::TestWithParam<fg::test::pool_setting> {
 protected:
  fg::pool pool_{GetParam().options()};
};

struct input_order {
  const char* name;
  int (*number)(std::size_t i, std::size_t size, std::mt19937& random);
};

constexpr input_order kInputs[] = {
    {"random", [](std::size_t, std::size_t,
                  std::mt19937& random) { return static_cast<int>(random() >> 1U); }},
    {"sorted", [](std::size_t i, std::size_t, std::mt19937&) { return static_cast<int>(i); }},
    {"reversed",
     [](std::size_t i, std::size_t size, std::mt19937&) { return static_cast<int>(size - i); }},
    {"equal", [](std::size_t, std::size_t, std::mt19937&) { return 7; }},
    {"organ pipe", [](std::size_t i, std::size_t size,
                      std::mt19937&) { return static_cast<int>(std::min(i, size - i)); }},
    {"few",
     [](std::size_t, std::size_t, std::mt19937& random) { return static_cast<int>(random() % 5); }},
    {"sorted but one", [](std::size_t i, std::size_t size,
                          std::mt19937&) { return i + 1 == size ? 0 : static_cast<int>(i); }},
};

std::vector<int> numbers_of(const input_order& input, std::size_t size) {
  std::mt19937 random{static_cast<unsigned>(size)};
  std::vector<int> numbers(size);
  for (std::size_t i = 0; i < size; ++i) {
    numbers[i] = input.number(i, size, random);
  }
  return numbers;
}

void expect_sorted_as_std_does(fg::pool& pool, const input_order& input, std::size_t size) {
  std::vector<int> numbers = numbers_of(input, size);
  std::vector<int> expected = numbers;
  std::ranges::sort(expected);
  fg::sort(pool, numbers.begin(), numbers.end());
  ASSERT_EQ(numbers, expected) << input.name << ", " << size;
}

TEST_P(pool_sort, sorts_all_orders) {
  for (const input_order& input : kInputs) {
    for (std::size_t size = 0; size <= 100; ++size) {
      expect_sorted_as_std_does(pool_, input, size);
    }
    for (const std::size_t size : {511U, 512U, 513U, 10'000U}) {
      expect_sorted_as_std_does(pool_, input, size);
    }
  }
}

TEST_P(pool_sort, takes_any_comparison) {
  std::vector<int> numbers = numbers_of(kInputs[0], 5000);
  std::vector<int> expected = numbers;
  std::ranges::sort(expected, std::greater{});
  fg::sort(pool_, numbers, std::greater{});
  EXPECT_EQ(numbers, expected);
  fg::sort(pool_, numbers, [](int a, int b) { return a < b; });
  std::ranges::reverse(expected);
  EXPECT_EQ(numbers, expected);
}

TEST_P(pool_sort, moves_elements_that_can_not_be_copied) {
  std::deque<std::unique_ptr<int>> numbers;
  for (const int number : numbers_of(kInputs[0], 5000)) {
    numbers.push_back(std::make_unique<int>(number));
  }
  fg::sort(pool_, numbers.begin(), numbers.end(),
           [](const auto& a, const auto& b) { return *a < *b; });
  EXPECT_TRUE(std::ranges::is_sorted(numbers, {}, [](const auto& each) { return *each; }));
}

// No element is lost, whichever comparison throws: the elements own memory, and are all different.
TEST_P(pool_sort, keeps_all_elements_where_a_comparison_throws) {
  constexpr std::size_t kSize = 2000;
  const std::size_t step = GetParam().workers == 2 ? 97 : 2503;
  std::size_t throws = 0;
  for (std::size_t nth = 0;; nth += step) {
    std::vector<std::string> words;
    words.reserve(kSize);
    for (std::size_t i = 0; i < kSize; ++i) {
      words.push_back("a word too long to be stored within " + std::to_string(i * 7919 % kSize));
    }
    std::vector<std::string> expected = words;
    fg::atomic<std::size_t> comparisons{0};
    bool threw = false;
    try {
      fg::sort(pool_, words.begin(), words.end(), [&](const std::string& a, const std::string& b) {
        if (comparisons.fetch_add(1) == nth) {
          throw std::runtime_error{"thrown"};
        }
        return a < b;
      });
    } catch (const std::runtime_error&) {
      threw = true;
      ++throws;
    }
    ASSERT_EQ(threw, comparisons > nth);
    std::ranges::sort(expected);
    ASSERT_EQ(std::ranges::is_sorted(words), !threw || words == expected);
    std::ranges::sort(words);
    ASSERT_EQ(words, expected) << nth;
    if (!threw) {
      break;
    }
  }
  EXPECT_GT(throws, 5U);
}

TEST_P(pool_sort, lets_other_workers_take_parts) {
  if (pool_.size() == 1) {
    return;
  }
  const std::thread::id here = std::this_thread::get_id();
  fg::atomic<bool> elsewhere{false};
  const auto end = std::chrono::steady_clock::now() + std::chrono::seconds{30};
  while (!elsewhere && std::chrono::steady_clock::now() < end) {
    std::vector<int> numbers = numbers_of(kInputs[0], 20'000);
    fg::sort(pool_, numbers, [&](int a, int b) {
      if (std::this_thread::get_id() != here) {
        elsewhere = true;
      }
      return a < b;
    });
  }
  EXPECT_TRUE(elsewhere);
}

INSTANTIATE_TEST_SUITE_P(all, pool_sort, fg::test::all_pool_settings(),
                         fg::test::name_of_pool_setting);

TEST(pool_sort_long, sorts_a_million) {
  fg::pool pool;
  for (const input_order& input : kInputs) {
    expect_sorted_as_std_does(pool, input, 1'000'000);
  }
}

double comparisons_for_one(std::vector<int> numbers) {
  const auto size = static_cast<double>(numbers.size());
  std::uint64_t comparisons = 0;
  fg::sort(numbers, [&comparisons](int a, int b) {
    ++comparisons;
    return a < b;
  });
  EXPECT_TRUE(std::ranges::is_sorted(numbers));
  return static_cast<double>(comparisons) / size / 16;
}

TEST(pool_sort_outside, compares_little_in_all_orders) {
  for (const input_order& input : kInputs) {
    EXPECT_LT(comparisons_for_one(numbers_of(input, 65536)), 1.7) << input.name;
  }
}

// Decides only when asked, and so that the pivot is always among the least: McIlroy 1999, "A killer
// adversary for quicksort".
TEST(pool_sort_outside, compares_little_although_each_pivot_is_bad) {
  constexpr int kSize = 20'000;
  std::vector<int> values(kSize, kSize);  // kSize: not decided yet
  std::vector<int> items(kSize);
  int decided = 0;
  int candidate = 0;
  std::uint64_t comparisons = 0;
  for (int i = 0; i < kSize; ++i) {
    items[static_cast<std::size_t>(i)] = i;
  }
  const auto value = [&](int item) -> int& { return values[static_cast<std::size_t>(item)]; };
  fg::sort(items, [&](int a, int b) {
    ++comparisons;
    if (value(a) == kSize && value(b) == kSize) {
      value(a == candidate ? a : b) = decided++;
    }
    if (value(a) == kSize) {
      candidate = a;
    } else if (value(b) == kSize) {
      candidate = b;
    }
    return value(a) < value(b);
  });
  EXPECT_TRUE(std::ranges::is_sorted(items, {}, value));
  EXPECT_LT(static_cast<double>(comparisons), 4.5 * kSize * 14.3);
  EXPECT_GT(static_cast<double>(comparisons), 1.7 * kSize * 14.3);  // the input was a bad one
}

// An error, but one that does not leave the range.
TEST(pool_sort_outside, stays_within_the_range_of_a_comparison_that_is_no_order) {
  const std::vector<int> numbers = numbers_of(kInputs[0], 3000);
  std::vector<int> expected = numbers;
  std::ranges::sort(expected);
  for (bool (*wrong)(int, int) :
       {+[](int, int) { return true; }, +[](int, int) { return false; },
        +[](int a, int b) { return a <= b; }, +[](int a, int b) { return a % 7 <= b % 5; }}) {
    std::vector<int> guarded(numbers.size() + 2, -1);
    std::ranges::copy(numbers, guarded.begin() + 1);
    fg::sort(guarded.begin() + 1, guarded.end() - 1, [wrong](int a, int b) {
      EXPECT_TRUE(a >= 0 && b >= 0);
      return wrong(a, b);
    });
    std::ranges::sort(guarded);
    EXPECT_TRUE(std::equal(expected.begin(), expected.end(), guarded.begin() + 2));
  }
}

}  // namespace
