// SPDX-License-Identifier: Apache-2.0
#include "finegrain/algorithm/relic/parallel_reduce.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <bit>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <limits>
#include <memory>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

#include "finegrain/core/pause.hpp"
#include "loop_setting.hpp"

namespace {

using fg::test::all_loop_settings;
using fg::test::name_of_loop_setting;
class parallel_reduce : public fg::test::in_loop_settings {};
INSTANTIATE_TEST_SUITE_P(settings, parallel_reduce, all_loop_settings(), name_of_loop_setting);

constexpr std::size_t kReduceSizes[] = {0, 1, 2, 3, 63, 64, 65, 127, 128, 129, 1000, 5000};
constexpr std::size_t kReduceGrains[] = {0, 1, 7, 64, 1'000'000};

std::string digits_of(std::size_t size) {
  std::string all;
  for (std::size_t i = 0; i != size; ++i) {
    all += std::to_string(i) + ' ';
  }
  return all;
}

TEST_P(parallel_reduce, combines_in_the_order_of_the_range) {
  with_relic([](fg::relic& relic) {
    for (const std::size_t size : kReduceSizes) {
      const std::string expected = digits_of(size);
      for (const std::size_t grain : kReduceGrains) {
        for (const bool deterministic : {false, true}) {
          for (int call = 0; call < 6; ++call) {  // the later ones know the cost
            ASSERT_EQ(fg::parallel_reduce(
                          relic, 0, size, std::string{},
                          [](std::size_t i) { return std::to_string(i) + ' '; }, std::plus<>{},
                          {.grain = grain, .mode = mode(), .deterministic = deterministic}),
                      expected)
                << size << " by " << grain;
          }
        }
      }
    }
  });
}

TEST_P(parallel_reduce, gives_pieces_to_a_map_that_takes_two_indices) {
  with_relic([](fg::relic& relic) {
    for (const std::size_t size : kReduceSizes) {
      for (const bool deterministic : {false, true}) {
        const auto total =
            fg::parallel_reduce(relic, std::size_t{0}, size, std::uint64_t{0},
                                [](std::size_t begin, std::size_t end) {
                                  std::uint64_t sum = begin < end ? 0 : 1'000'000'000;
                                  for (; begin < end; ++begin) {
                                    sum += begin;
                                  }
                                  return sum;
                                },
                                std::plus<>{}, {.mode = mode(), .deterministic = deterministic});
        ASSERT_EQ(total, size * (size - 1) / 2) << size;
      }
    }
  });
}

TEST_P(parallel_reduce, reduces_ranges_at_the_limits) {
  with_relic([](fg::relic& relic) {
    constexpr auto kMax = std::numeric_limits<std::int64_t>::max();
    EXPECT_EQ(fg::parallel_reduce(relic, kMax - 1000, kMax, std::int64_t{0},
                                  [](std::int64_t i) { return kMax - i; }, std::plus<>{},
                                  {.mode = mode()}),
              500'500);
    EXPECT_EQ(
        fg::parallel_reduce(relic, std::int8_t{-128}, std::int8_t{127}, 0,
                            [](std::int8_t i) { return int{i}; }, std::plus<>{}, {.mode = mode()}),
        -255);
    EXPECT_EQ(fg::parallel_reduce(relic, 5, 5, 42, [](int) { return 1; }, std::plus<>{},
                                  {.mode = mode()}),
              42)
        << "the identity of an empty range";
  });
}

TEST_P(parallel_reduce, finds_a_maximum_with_a_combine_that_is_no_sum) {
  with_relic([](fg::relic& relic) {
    const int largest = fg::parallel_reduce(
        relic, 0, 1000, std::numeric_limits<int>::min(), [](int i) { return (i * 7919) % 1009; },
        [](int a, int b) { return std::max(a, b); }, {.mode = mode()});
    EXPECT_EQ(largest, 1008);
  });
}

// 1 / (i + 1), with cancellation in between: a sum in another order has other bits.
double term(std::size_t i) {
  return std::sin(static_cast<double>(i)) * 1e6 / static_cast<double>(i + 1);
}

// By hand: the pieces by the documented rule, each from left to right, then their results.
double sum_by_the_rule(std::size_t size, std::size_t piece) {
  double sum = 0;
  for (std::size_t begin = 0; begin < size; begin += piece) {
    double partial = 0;
    for (std::size_t i = begin; i < std::min(size, begin + piece); ++i) {
      partial += term(i);
    }
    sum += partial;
  }
  return sum;
}

TEST_P(parallel_reduce, gives_the_same_bits_if_asked_to) {
  with_relic([](fg::relic& relic) {
    for (const std::size_t size : {129U, 1000U, 10'000U}) {
      for (const std::size_t grain : {0U, 5U, 300U}) {
        const std::size_t piece = std::max<std::size_t>(grain, (size + 63) / 64);
        const auto expected = std::bit_cast<std::uint64_t>(sum_by_the_rule(size, piece));
        for (int call = 0; call < 1000; ++call) {
          const double sum = fg::parallel_reduce(
              relic, 0, size, 0.0, [](std::size_t i) { return term(i); }, std::plus<>{},
              {.grain = grain, .mode = mode(), .deterministic = true});
          ASSERT_EQ(std::bit_cast<std::uint64_t>(sum), expected) << size << " by " << grain;
        }
      }
    }
  });
}

// Shows that the test above can fail: the order matters for these numbers.
TEST(parallel_reduce_numbers, have_sums_that_depend_on_the_order) {
  EXPECT_NE(sum_by_the_rule(1000, 1000), sum_by_the_rule(1000, 16));
  EXPECT_NE(sum_by_the_rule(1000, 16), sum_by_the_rule(1000, 300));
}

// Counts its instances: none may be left, whichever call throws.
struct counted_value {
  static inline std::atomic<int> alive{0};
  int value = 0;

  explicit counted_value(int initial) : value{initial} { ++alive; }
  counted_value(const counted_value& other) : value{other.value} { ++alive; }
  counted_value(counted_value&& other) noexcept : value{other.value} { ++alive; }
  counted_value& operator=(const counted_value&) = default;
  counted_value& operator=(counted_value&&) = default;
  ~counted_value() { --alive; }
};

TEST_P(parallel_reduce, passes_on_exceptions_and_destroys_all_values) {
  with_relic([](fg::relic& relic) {
    for (const int thrower : {0, 1, 40, 500, 501, 999, 5000}) {
      for (const bool in_map : {false, true}) {
        for (const bool deterministic : {false, true}) {
          const auto reduce = [&] {
            return fg::parallel_reduce(
                       relic, 0, 1000, counted_value{0},
                       [&](int i) {
                         if (in_map && i == thrower) {
                           throw std::runtime_error{"map"};
                         }
                         return counted_value{i};
                       },
                       [&](const counted_value& a, const counted_value& b) {
                         if (!in_map && b.value == thrower) {
                           throw std::runtime_error{"combine"};
                         }
                         return counted_value{a.value + b.value};
                       },
                       {.mode = mode(), .deterministic = deterministic})
                .value;
          };
          if (thrower == 5000) {
            ASSERT_EQ(reduce(), 499'500);
          } else {
            ASSERT_THROW(reduce(), std::runtime_error);
          }
          ASSERT_EQ(counted_value::alive, 0);
        }
      }
    }
  });
}

TEST_P(parallel_reduce, nests) {
  with_relic([](fg::relic& relic) {
    const int pairs =
        fg::parallel_reduce(relic, 0, 40, 0,
                            [&](int i) {
                              return fg::parallel_reduce(relic, 0, i, 0, [](int) { return 1; },
                                                         std::plus<>{}, {.mode = mode()});
                            },
                            std::plus<>{}, {.mode = mode()});
    EXPECT_EQ(pairs, 780);
  });
}

TEST_P(parallel_reduce, runs_here_on_a_foreign_thread_and_inside_a_task) {
  with_relic([](fg::relic& relic) {
    const auto expect_here = [&relic] {
      const auto here = std::this_thread::get_id();
      EXPECT_EQ(
          fg::parallel_reduce(relic, 0, 1000, 0,
                              [here](int) { return std::this_thread::get_id() == here ? 0 : 1; },
                              std::plus<>{}, {.mode = mode()}),
          0);
    };
    fg::test::on_thread(expect_here);
    relic.submit([&] { expect_here(); });
    relic.wait();
  });
}

// ---- certainly with an assistant ----

// Irregular cost, so that each thread steals from the other and back, in many patterns.
TEST(parallel_reduce_stealing, keeps_the_order) {
  fg::relic relic;
  ASSERT_FALSE(relic.inline_mode()) << relic.inline_reason();
  constexpr std::size_t kSize = 64;
  const std::string expected = digits_of(kSize);
  for (std::size_t call = 0; call < 2000; ++call) {
    const auto map = [call](std::size_t i) {
      for (std::size_t pauses = (i * 31 + call * 17) % 61 < 3 ? 500 : 1; pauses != 0; --pauses) {
        fg::pause();
      }
      return std::to_string(i) + ' ';
    };
    fg::loop_site fresh;  // which does not know that the loop is short
    ASSERT_EQ(fg::parallel_reduce(relic, fresh, 0, kSize, std::string{}, map, std::plus<>{},
                                  {.grain = 1, .mode = fg::offload::always}),
              expected);
  }
}

// Such a part does not fit into its task's line, and what its closure holds depends on the map.
TEST(parallel_reduce_values, may_be_large) {
  struct sums {
    std::array<long, 7> of;
  };
  struct alignas(32) aligned {
    long of;
  };
  fg::relic relic;
  const std::vector<long> numbers(100, 2);
  const auto all = fg::parallel_reduce(
      relic, std::size_t{0}, numbers.size(), sums{},
      [&numbers](std::size_t i) { return sums{{numbers[i], 0, 0, 0, 0, 0, 1}}; },
      [](const sums& a, const sums& b) {
        return sums{{a.of[0] + b.of[0], 0, 0, 0, 0, 0, a.of[6] + b.of[6]}};
      },
      {.mode = fg::offload::always});
  EXPECT_EQ(all.of[0], 200);
  EXPECT_EQ(all.of[6], 100);
  const auto sum = fg::parallel_reduce(
      relic, std::size_t{0}, numbers.size(), aligned{0},
      [&numbers](std::size_t i) { return aligned{numbers[i]}; },
      [](const aligned& a, const aligned& b) { return aligned{a.of + b.of}; },
      {.mode = fg::offload::always});
  EXPECT_EQ(sum.of, 200);
}

TEST(parallel_reduce_values, need_not_be_trivial) {
  fg::relic relic;
  const auto all = fg::parallel_reduce(
      relic, 0, 200, std::make_shared<std::vector<int>>(),
      [](int i) { return std::make_shared<std::vector<int>>(1, i); },
      [](const auto& a, const auto& b) {
        auto both = std::make_shared<std::vector<int>>(*a);
        both->insert(both->end(), b->begin(), b->end());
        return both;
      },
      {.mode = fg::offload::always});
  ASSERT_EQ(all->size(), 200U);
  EXPECT_TRUE(std::is_sorted(all->begin(), all->end()));
}

TEST(parallel_reduce_values, take_a_named_site_for_type_erased_maps) {
  fg::relic relic;
  fg::loop_site site;
  const std::function<int(int)> map = [](int i) { return i; };
  EXPECT_EQ(fg::parallel_reduce(relic, site, 0, 100, 0, map, std::plus<>{}), 4950);
}

}  // namespace
