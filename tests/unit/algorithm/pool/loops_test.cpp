// Loops, reductions and scans over a pool, under every policy.
// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <functional>
#include <iterator>
#include <limits>
#include <list>
#include <numeric>
#include <ranges>
#include <span>
#include <stdexcept>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "finegrain/algorithm/pool/adaptive_loop.hpp"
#include "finegrain/algorithm/pool/fork_join.hpp"
#include "finegrain/algorithm/pool/parallel_for.hpp"
#include "finegrain/algorithm/pool/parallel_reduce.hpp"
#include "finegrain/algorithm/pool/parallel_scan.hpp"
#include "finegrain/controller/offload.hpp"
#include "finegrain/core/atomic.hpp"
#include "finegrain/core/clock.hpp"
#include "finegrain/core/stop_token.hpp"
#include "finegrain/pool/pool.hpp"
#include "unit/pool/pool_setting.hpp"

namespace {

using fg::partition;

constexpr auto kPartitions = {partition::lazy, partition::dynamic, partition::fixed};
constexpr std::size_t kSizes[] = {0, 1, 2, 3, 63, 64, 65, 1000, 4097};

class pool_loops : public testing::TestWithParam<fg::test::pool_setting> {
 protected:
  fg::pool pool_{GetParam().options()};
};

TEST_P(pool_loops, visit_each_index_once) {
  for (const partition how : kPartitions) {
    for (const std::size_t size : kSizes) {
      for (const std::size_t grain : {0U, 1U, 7U, 5000U}) {
        std::vector<fg::atomic<int>> visits(size);
        fg::parallel_for(pool_, std::size_t{0}, size, [&](std::size_t i) { ++visits[i]; },
                         {.how = how, .grain = grain});
        ASSERT_TRUE(std::ranges::all_of(visits, [](const auto& n) { return n == 1; }))
            << size << " by " << grain;
      }
    }
  }
}

TEST_P(pool_loops, give_pieces_to_a_body_that_takes_them) {
  for (const partition how : kPartitions) {
    fg::atomic<std::int64_t> sum{0};
    fg::atomic<int> pieces{0};
    fg::parallel_for(pool_, -500, 501,
                     [&](int begin, int end) {
                       EXPECT_LT(begin, end);
                       ++pieces;
                       for (int i = begin; i < end; ++i) {
                         sum += i + 1;
                       }
                     },
                     {.how = how, .grain = 10});
    EXPECT_EQ(sum, 1001);
    EXPECT_LE(pieces, 101);
  }
}

TEST_P(pool_loops, take_ranges_as_wide_as_their_type) {
  fg::atomic<int> calls{0};
  constexpr std::int8_t kFirst = std::numeric_limits<std::int8_t>::min();
  constexpr std::int8_t kLast = std::numeric_limits<std::int8_t>::max();
  fg::parallel_for(pool_, kFirst, kLast, [&](std::int8_t /*i*/) { ++calls; });
  EXPECT_EQ(calls, 255);
  fg::parallel_for(pool_, 5, 3, [&](int /*i*/) { ++calls; });
  EXPECT_EQ(calls, 255);
}

TEST_P(pool_loops, nest) {
  fg::atomic<int> calls{0};
  for (const partition how : kPartitions) {
    calls = 0;
    fg::parallel_for(
        pool_, 0, 20,
        [&](int) { fg::parallel_for(0, 30, [&](int) { ++calls; }, {.how = how, .grain = 2}); },
        {.how = how, .grain = 1});
    EXPECT_EQ(calls, 600);
  }
}

// A loop of one iteration has nothing to wait for, so it runs nothing else, whatever is measured
// there: the iteration around it may hold a lock.
TEST_P(pool_loops, run_no_other_iteration_within_a_loop_that_cannot_be_shared) {
  fg::atomic<int> re_entries{0};
  fg::parallel_for(pool_, 0, 3000,
                   [&](int) {
                     static thread_local bool is_inside = false;
                     re_entries += is_inside ? 1 : 0;
                     is_inside = true;
                     fg::parallel_for(0, 1, [](int) {
                       for (const std::uint64_t begin = fg::ticks(); fg::ticks() - begin < 500;) {
                       }
                     });
                     is_inside = false;
                   },
                   {.grain = 1});
  EXPECT_EQ(re_entries, 0);
}

TEST_P(pool_loops, pass_on_an_exception_and_begin_no_more_pieces) {
  for (const partition how : kPartitions) {
    for (int round = 0; round < 10; ++round) {
      std::vector<fg::atomic<int>> visits(1000);
      EXPECT_THROW(fg::parallel_for(pool_, 0, 1000,
                                    [&](int i) {
                                      ++visits[static_cast<std::size_t>(i)];
                                      if (i == 0) {
                                        throw std::runtime_error{"thrown"};
                                      }
                                    },
                                    {.how = how, .grain = 1}),
                   std::runtime_error);
      EXPECT_TRUE(std::ranges::all_of(visits, [](const auto& n) { return n <= 1; }));
      if (GetParam().workers == 1) {
        EXPECT_EQ(visits[0], 1);
      }
    }
  }
}

// Of 2^62 pieces, too many to count, most have not begun.
TEST_P(pool_loops, end_soon_after_an_exception) {
  constexpr std::uint64_t kMany = std::uint64_t{1} << 62U;
  for (const partition how : {partition::lazy, partition::dynamic}) {
    EXPECT_THROW(fg::parallel_for(pool_, std::uint64_t{0}, kMany,
                                  [](std::uint64_t) { throw std::runtime_error{"thrown"}; },
                                  {.how = how, .grain = 1}),
                 std::runtime_error);
  }
}

TEST_P(pool_loops, have_each_piece_once_where_numbers_end) {
  constexpr std::uint64_t kHalf = std::uint64_t{1} << 63U;
  constexpr std::uint64_t kEnd = std::numeric_limits<std::uint64_t>::max();
  for (const partition how : {partition::lazy, partition::dynamic}) {
    fg::atomic<std::uint64_t> iterations{0};
    fg::atomic<int> pieces{0};
    fg::parallel_for(pool_, std::uint64_t{0}, kEnd,
                     [&](std::uint64_t begin, std::uint64_t end) {
                       iterations += end - begin;
                       if (++pieces > 2) {
                         throw std::logic_error{"a third piece"};
                       }
                     },
                     {.how = how, .grain = kHalf});
    EXPECT_EQ(pieces, 2);
    EXPECT_EQ(iterations, kEnd);
  }
}

TEST_P(pool_loops, reduce_in_the_order_of_the_range) {
  for (const bool deterministic : {false, true}) {
    for (const std::size_t size : kSizes) {
      std::string expected;
      for (std::size_t i = 0; i < size; ++i) {
        expected += static_cast<char>('a' + i % 26);
      }
      const std::string result = fg::parallel_reduce(
          pool_, std::size_t{0}, size, std::string{},
          [](std::size_t i) { return std::string(1, static_cast<char>('a' + i % 26)); },
          [](std::string a, const std::string& b) { return std::move(a) + b; },
          {.grain = 5, .deterministic = deterministic});
      ASSERT_EQ(result, expected) << size;
    }
  }
}

// A sum whose bits depend on the order of the additions.
double rough_sum(const fg::pool_reduce_options& options) {
  return fg::parallel_reduce(
      0, 10'000, 0.0, [](int i) { return 1.0 / (i * 0.7 + 0.1); }, std::plus<>{}, options);
}

TEST_P(pool_loops, give_the_same_bits_with_any_number_of_workers_when_asked) {
  const double alone = rough_sum({.deterministic = true});
  for (int round = 0; round < 5; ++round) {
    const double here = pool_.run([] { return rough_sum({.deterministic = true}); });
    ASSERT_EQ(here, alone);
    ASSERT_NEAR(pool_.run([] { return rough_sum({}); }), alone, 1e-9);
  }
}

TEST_P(pool_loops, visit_each_element_once) {
  for (const partition how : kPartitions) {
    for (const std::size_t size : kSizes) {
      std::vector<int> visits(size);
      const auto visit = [](int& each) { ++each; };
      fg::parallel_for(pool_, visits, visit, {.how = how, .grain = 7});
      fg::parallel_for(pool_, visits.begin(), visits.end(), visit, {.how = how});
      ASSERT_EQ(visits, std::vector<int>(size, 2));
      fg::parallel_for(pool_, visits.begin(), visits.cend(), [](auto begin, auto end) {
        ASSERT_LT(begin, end);
        for (; begin != end; ++begin) {
          ++*begin;
        }
      });
      ASSERT_EQ(visits, std::vector<int>(size, 3));
    }
  }
}

TEST_P(pool_loops, reduce_elements_in_their_order) {
  for (const bool deterministic : {false, true}) {
    std::deque<std::string> words;
    std::string expected;
    for (std::size_t i = 0; i < 500; ++i) {
      words.push_back(std::to_string(i));
      expected += words.back();
    }
    const auto word_itself = [](const std::string& word) { return word; };
    const fg::pool_reduce_options options{.grain = 3, .deterministic = deterministic};
    EXPECT_EQ(fg::parallel_reduce(pool_, words, std::string{}, word_itself, std::plus<>{}, options),
              expected);
    EXPECT_EQ(fg::parallel_reduce(pool_, words.begin(), words.end(), std::string{}, word_itself,
                                  std::plus<>{}, options),
              expected);
    EXPECT_EQ(
        fg::parallel_reduce(
            pool_, words.begin(), words.end(), std::ptrdiff_t{0},
            [](const auto& begin, const auto& end) { return end - begin; }, std::plus<>{}, options),
        500);
  }
}

TEST_P(pool_loops, scan) {
  for (const std::size_t size : kSizes) {
    std::vector<std::uint64_t> in(size);
    std::iota(in.begin(), in.end(), 3);
    std::vector<std::uint64_t> expected(size);
    std::inclusive_scan(in.begin(), in.end(), expected.begin());
    std::vector<std::uint64_t> out(size);
    fg::parallel_scan(pool_, in.begin(), size, out.begin());
    ASSERT_EQ(out, expected);
    fg::parallel_scan(pool_, in.begin(), size, in.begin(), std::plus<>{}, {.grain = 3});
    ASSERT_EQ(in, expected);
  }
  std::vector<std::string> letters(300, "x");
  letters[17] = "y";
  std::vector<std::string> words(300);
  fg::parallel_scan(pool_, letters.begin(), letters.size(), words.begin());
  EXPECT_EQ(words.back(), std::string(17, 'x') + "y" + std::string(282, 'x'));
}

TEST_P(pool_loops, scan_exclusively) {
  for (const std::size_t size : kSizes) {
    std::vector<int> in(size);
    std::iota(in.begin(), in.end(), 3);
    std::vector<std::int64_t> expected(size);
    std::exclusive_scan(in.begin(), in.end(), expected.begin(), std::int64_t{7'000'000'000});
    std::vector<std::int64_t> out(size);
    fg::parallel_exclusive_scan(pool_, in.begin(), size, out.begin(), std::int64_t{7'000'000'000});
    ASSERT_EQ(out, expected);
    std::vector<std::string> letters(size);
    std::string all = ">";
    std::vector<std::string> words;
    for (std::size_t i = 0; i < size; ++i) {
      letters[i] = static_cast<char>('a' + i % 26);
      words.push_back(all);
      all += letters[i];
    }
    fg::parallel_exclusive_scan(pool_, letters.begin(), std::ssize(letters), letters.begin(),
                                std::string{">"}, std::plus<>{}, {.grain = 30});
    ASSERT_EQ(letters, words);
  }
}

TEST_P(pool_loops, scan_nothing_where_the_size_is_negative) {
  std::vector<int> in(1, 1);
  fg::parallel_scan(pool_, in.begin(), -1, in.begin(), std::minus<>{});
  fg::parallel_exclusive_scan(pool_, in.begin(), -1, in.begin(), 0);
  EXPECT_EQ(in[0], 1);
}

TEST_P(pool_loops, stop_a_scan_that_throws) {
  std::vector<int> in(1000, 1);
  std::vector<int> out(1000);
  EXPECT_THROW(fg::parallel_scan(pool_, in.begin(), in.size(), out.begin(),
                                 [](int, int) -> int { throw std::runtime_error{"thrown"}; }),
               std::runtime_error);
  EXPECT_THROW(
      fg::parallel_exclusive_scan(pool_, in.begin(), in.size(), out.begin(), 0,
                                  [](int, int) -> int { throw std::runtime_error{"thrown"}; }),
      std::runtime_error);
}

INSTANTIATE_TEST_SUITE_P(all, pool_loops, fg::test::all_pool_settings(),
                         fg::test::name_of_pool_setting);

TEST(pool_loops_alone, take_ranges_of_all_kinds) {
  int numbers[] = {1, 2, 3};
  const auto itself = [](int i) { return i; };
  fg::parallel_for(numbers, [](int& i) { i += 1; });
  EXPECT_EQ(fg::parallel_reduce(numbers, 0, itself, std::plus<>{}), 9);
  fg::parallel_for(std::span{numbers}, [](int& i) { i += 1; });
  EXPECT_EQ(fg::parallel_reduce(std::as_const(numbers), 0, itself, std::plus<>{}), 12);
  EXPECT_EQ(fg::parallel_reduce(std::views::iota(0, 5), 0, itself, std::plus<>{}), 10);
  EXPECT_EQ(fg::parallel_reduce(std::vector{1, 2}, 0, itself, std::plus<>{}), 3);
  std::vector<bool> bits(100);
  fg::parallel_for(bits, [](auto&& bit) { bit = true; });
  EXPECT_EQ(std::ranges::count(bits, true), 100);
  fg::parallel_for(std::end(numbers), std::begin(numbers), [](int& i) { i = 0; });  // empty
  EXPECT_EQ(numbers[0], 3);
  static_assert(!fg::loop_range<std::list<int>> && !fg::loop_range<int>);
}

TEST(pool_loops_alone, keep_what_is_too_short_to_share) {
  fg::pool pool{fg::test::workers(2)};
  constexpr int kCalls = 20'000;
  std::array<int, 16> visits{};
  long sum = 0;
  pool.run([&] {
    for (int call = 0; call < kCalls; ++call) {
      fg::parallel_for(visits, [](int& each) { ++each; });
      sum += fg::parallel_reduce(0, 16, 0L, [](int i) { return i; }, std::plus<>{});
    }
  });
  EXPECT_EQ(std::ranges::count(visits, kCalls), 16);
  EXPECT_EQ(sum, 120L * kCalls);
  EXPECT_LT(fg::test::steals_of(pool), 2 * kCalls / 20) << "each call, without a controller";
}

// What was measured before does not keep a loop here that has become long, however rarely.
TEST(pool_loops_alone, share_the_rest_of_a_loop_that_turns_out_long) {
  fg::pool pool{fg::test::workers(2)};
  pool.run([&] {
    std::array<std::thread::id, 16> by{};
    bool is_long = false;
    const auto loop = [&] {
      fg::parallel_for(std::size_t{0}, by.size(), [&](std::size_t i) {
        by[i] = std::this_thread::get_id();
        if (is_long) {
          std::this_thread::sleep_for(std::chrono::milliseconds{1});
        }
      });
    };
    int shared = 0;
    for (int call = 0; call < 20; ++call) {
      is_long = false;
      for (int before = 0; before < 1000; ++before) {
        loop();
      }
      is_long = true;
      loop();
      shared += std::ranges::count(by, by[0]) != 16 ? 1 : 0;
    }
    EXPECT_GE(shared, 5) << "of 20; the other worker may not get a CPU in time";
  });
}

TEST(loop_watch, tells_a_long_loop_from_a_pause_before_it) {
  const auto us = [](std::int64_t count) { return fg::to_ticks(std::chrono::microseconds{count}); };
  fg::detail::loop_watch watch;
  const std::uint64_t start = us(1'000'000);
  watch.begin(start);
  EXPECT_TRUE(watch.is_wary()) << "after a pause";
  EXPECT_FALSE(watch.is_long(start + us(19)));
  EXPECT_TRUE(watch.is_long(start + us(21)));
  for (int call = 1; call <= 4; ++call) {
    watch.begin(start + us(21 + call));
  }
  EXPECT_FALSE(watch.is_wary());
  watch.begin(start + us(40));  // it has begun after the look before, at 25
  EXPECT_FALSE(watch.is_long(start + us(44)));
  EXPECT_TRUE(watch.is_long(start + us(46)));
}

// The calls of each site go through all that its controller does: shared, here, tried again.
TEST(pool_loops_alone, compute_the_same_here_and_shared) {
  fg::pool pool{fg::test::workers(2)};
  pool.run([&] {
    for (int call = 0; call < 3000; ++call) {
      const int size = call % 300;
      for (const std::size_t grain : {0U, 1U, 7U}) {
        std::vector<int> squares(static_cast<std::size_t>(size));
        fg::parallel_for(0, size, [&](int i) { squares[static_cast<std::size_t>(i)] = i * i; },
                         {.grain = grain});
        const auto backwards = [](const std::vector<int>& a, const std::vector<int>& b) {
          return a.empty() ? b : b.empty() ? a : std::vector{a.front(), b.back()};
        };
        const std::vector<int> ends = fg::parallel_reduce(
            squares, std::vector<int>{}, [](int square) { return std::vector{square, square}; },
            backwards, {.grain = grain});
        ASSERT_EQ(ends, size == 0 ? std::vector<int>{} : (std::vector{0, (size - 1) * (size - 1)}));
      }
    }
  });
}

TEST(pool_loops_alone, offer_nothing_or_all_when_told_to) {
  fg::pool pool{fg::test::workers(2)};
  const fg::stop_source stop;
  pool.run([&] {
    std::vector<std::thread::id> by(1000);
    const auto sign = [&](std::size_t i) { by[i] = std::this_thread::get_id(); };
    for (const fg::stop_token& token : {fg::stop_token{}, stop.get_token()}) {
      fg::parallel_for(std::size_t{0}, by.size(), sign,
                       {.stop = token, .mode = fg::offload::never});
      EXPECT_EQ(std::ranges::count(by, std::this_thread::get_id()), 1000);
      const auto last = fg::parallel_reduce(
          std::size_t{0}, by.size(), std::thread::id{},
          [](std::size_t) { return std::this_thread::get_id(); },
          [](std::thread::id a, std::thread::id b) {
            return a == std::thread::id{} ? b : a == b ? a : std::thread::id{};
          },
          {.stop = token, .mode = fg::offload::never});
      EXPECT_EQ(last, std::this_thread::get_id());
      fg::atomic<int> elsewhere{0};
      const auto count = [&, here = std::this_thread::get_id()](int a, int b) {
        elsewhere += std::this_thread::get_id() != here ? 1 : 0;
        return a + b;
      };
      const std::vector<int> ones(1000, 1);
      EXPECT_EQ(
          fg::parallel_reduce(ones, 0, [](int one) { return one; }, count,
                              {.deterministic = true, .stop = token, .mode = fg::offload::never}),
          1000);
      std::vector<int> sums(1000);
      fg::parallel_scan(ones.begin(), 1000, sums.begin(), count,
                        {.stop = token, .mode = fg::offload::never});
      EXPECT_EQ(sums.back(), 1000);
      EXPECT_EQ(elsewhere, 0);
    }
    const auto given_up = std::chrono::steady_clock::now() + std::chrono::minutes{1};
    do {
      fg::parallel_for(std::size_t{0}, std::size_t{2}, sign,
                       {.grain = 1, .mode = fg::offload::always});
    } while (by[0] == by[1] && std::chrono::steady_clock::now() < given_up);
    EXPECT_NE(by[0], by[1]) << "however short";
  });
}

template <class... F>
struct overloaded : F... {
  using F::operator()...;
};

void ignore_index(int /*i*/) {}

// A piece calls a copy only of a temporary that no program can tell from its copy.
TEST(pool_loops_alone, call_the_body_itself_where_a_copy_would_differ) {
  struct counts_its_calls {
    mutable int calls = 0;
    void operator()(int /*i*/) const { ++calls; }
  } counting;
  fg::parallel_for(0, 5, counting);
  EXPECT_EQ(counting.calls, 5);

  struct cannot_be_copied {
    mutable fg::atomic<int> sum{0};
    void operator()(int i) const { sum += i; }
  } summing;
  fg::parallel_for(0, 5, summing);
  EXPECT_EQ(summing.sum, 10);

  int plain = 0;
  int generic = 0;
  fg::parallel_for(
      0, 5,
      overloaded{[&plain](int /*i*/) mutable { ++plain; }, [&generic](auto /*i*/) { ++generic; }});
  EXPECT_EQ(plain, 5);
  EXPECT_EQ(generic, 0);

  int changed = 0;
  fg::parallel_for(0, 5, [&changed, calls = 0](int /*i*/) mutable { changed = ++calls; });
  EXPECT_EQ(changed, 5);

  std::vector<int> numbers(5, 1);
  fg::parallel_for(numbers, [](auto& each) { each = 2; });
  EXPECT_EQ(std::accumulate(numbers.begin(), numbers.end(), 0), 10);
  fg::parallel_for(0, 5, ignore_index);
}

TEST(pool_loops_alone, run_on_a_thread_that_is_no_worker) {
  std::vector<int> order;
  fg::parallel_for(0, 5, [&](int i) { order.push_back(i); });
  EXPECT_EQ(order, (std::vector{0, 1, 2, 3, 4}));
  EXPECT_EQ(fg::parallel_reduce(0, 5, 0, [](int i) { return i; }, std::plus<>{}), 10);
  const auto [a, b] = fg::fork_join([] { return 1; }, [] { return 2; });
  EXPECT_EQ(a + b, 3);
}

}  // namespace
