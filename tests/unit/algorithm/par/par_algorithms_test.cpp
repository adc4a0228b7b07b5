// The standard's parallel algorithms on a pool, against its serial ones.
// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <forward_list>
#include <functional>
#include <iterator>
#include <memory>
#include <numeric>
#include <ranges>
#include <span>
#include <sstream>
#include <stdexcept>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "finegrain/algorithm.hpp"
#include "finegrain/core/atomic.hpp"
#include "finegrain/pool/pool.hpp"
#include "support/busy.hpp"
#include "unit/pool/pool_setting.hpp"

namespace {
namespace par_algorithms_test {

// In one piece; measured; split whenever another worker asks, as finely as possible, and less so.
constexpr std::array kPolicies = {fg::parallel_policy{.mode = fg::offload::never}, fg::par,
                                  fg::parallel_policy{.grain = 1, .mode = fg::offload::always},
                                  fg::parallel_policy{.grain = 7, .mode = fg::offload::always}};
constexpr fg::parallel_policy kFinest = kPolicies[2];

class par_algorithms : public testing::TestWithParam<fg::test::pool_setting> {
 protected:
  fg::pool pool_{GetParam().options()};
};

// Numbers in no order, all different.
std::vector<int> numbers(std::size_t size) {
  std::vector<int> made(size);
  for (std::size_t i = 0; i < size; ++i) {
    made[i] = static_cast<int>(i * 7919 % 100'003);
  }
  return made;
}

// The callables of all tests: each type of one is another instance of an algorithm.
constexpr auto kAdd = [](long a, long b) { return a + b; };
constexpr auto kTwice = [](int x) { return 2L * x; };
constexpr auto kIsThird = [](int x) { return x % 3 == 0; };
constexpr auto kIncrement = [](int& x) { ++x; };

// x -> a * x + b, modulo 2^32: their composition is associative and not commutative.
struct affine {
  std::uint32_t a = 1;
  std::uint32_t b = 0;

  affine() = default;
  affine(std::uint32_t by, std::uint32_t plus) : a{by}, b{plus} {}
  explicit affine(int x)
      : a{static_cast<std::uint32_t>(2 * x + 1)}, b{static_cast<std::uint32_t>(x)} {}
  bool operator==(const affine&) const = default;
};
constexpr auto kThen = [](const affine& f, const affine& g) {
  return affine{f.a * g.a, f.b * g.a + g.b};
};

std::vector<affine> affine_maps(std::size_t size) {
  const std::vector<int> from = numbers(size);
  return {from.begin(), from.end()};
}

// ---- the same results as the standard's ----

template <class Container>
void expect_std_results(const fg::parallel_policy& policy, std::size_t size) {
  const std::vector<int> source = numbers(size);
  const Container in(source.begin(), source.end());
  const auto first = in.begin();
  const auto last = in.end();

  Container incremented = in;
  fg::for_each(policy, incremented.begin(), incremented.end(), kIncrement);
  EXPECT_TRUE(std::equal(first, last, incremented.begin(), incremented.end(),
                         [](int before, int after) { return before + 1 == after; }));

  std::vector<long> out(size + 1, -1);
  std::vector<long> expected(size + 1, -1);
  EXPECT_EQ(fg::transform(policy, first, last, out.begin(), kTwice) - out.begin(),
            std::transform(first, last, expected.begin(), kTwice) - expected.begin());
  EXPECT_EQ(out, expected);
  fg::transform(policy, first, last, out.begin(), out.begin(), kAdd);
  std::transform(first, last, expected.begin(), expected.begin(), kAdd);
  EXPECT_EQ(out, expected);

  EXPECT_EQ(fg::reduce(policy, first, last), std::reduce(first, last));
  EXPECT_EQ(fg::reduce(policy, first, last, 5L, kAdd), std::reduce(first, last, 5L, kAdd));
  EXPECT_EQ(fg::transform_reduce(policy, first, last, 5L, kAdd, kTwice),
            std::transform_reduce(first, last, 5L, kAdd, kTwice));
  EXPECT_EQ(fg::transform_reduce(policy, first, last, expected.begin(), 5L),
            std::transform_reduce(first, last, expected.begin(), 5L));

  EXPECT_EQ(fg::inclusive_scan(policy, first, last, out.begin(), kAdd, 5L) - out.begin(),
            std::inclusive_scan(first, last, expected.begin(), kAdd, 5L) - expected.begin());
  EXPECT_EQ(out, expected);
  EXPECT_EQ(fg::inclusive_scan(policy, first, last, out.begin()) - out.begin(),
            std::inclusive_scan(first, last, expected.begin()) - expected.begin());
  EXPECT_EQ(out, expected);
  EXPECT_EQ(fg::exclusive_scan(policy, first, last, out.begin(), 5L) - out.begin(),
            std::exclusive_scan(first, last, expected.begin(), 5L) - expected.begin());
  EXPECT_EQ(out, expected);

  EXPECT_EQ(fg::count_if(policy, first, last, kIsThird), std::count_if(first, last, kIsThird));
  EXPECT_EQ(fg::copy_if(policy, first, last, out.begin(), kIsThird) - out.begin(),
            std::copy_if(first, last, expected.begin(), kIsThird) - expected.begin());
  EXPECT_EQ(out, expected);
  EXPECT_EQ(fg::find_if(policy, first, last, kIsThird), std::find_if(first, last, kIsThird));
}

TEST_P(par_algorithms, give_the_results_of_the_standards) {
  pool_.run([] {
    for (const fg::parallel_policy& policy : kPolicies) {
      for (const std::size_t size : {0U, 1U, 2U, 3U, 7U, 64U, 65U, 2011U}) {
        SCOPED_TRACE(size);
        expect_std_results<std::vector<int>>(policy, size);
        expect_std_results<std::forward_list<int>>(policy, size);
      }
    }
  });
}

TEST_P(par_algorithms, sort) {
  for (const fg::parallel_policy& policy : kPolicies) {
    for (const std::size_t size : {0U, 1U, 2U, 65U, 5000U}) {
      std::vector<int> expected = numbers(size);
      std::deque<int> sorted(expected.begin(), expected.end());
      fg::sort(policy.on(pool_), sorted.begin(), sorted.end());
      std::sort(expected.begin(), expected.end());
      EXPECT_TRUE(std::ranges::equal(sorted, expected));
    }
  }
}

TEST_P(par_algorithms, find_the_first_of_many) {
  pool_.run([&] {
    for (const fg::parallel_policy& policy : kPolicies) {
      for (std::size_t first = 0; first < 3000; first += 371) {
        std::vector<int> values(3000, 1);
        for (std::size_t i = first; i < values.size(); i += 5) {
          values[i] = 3;
        }
        const auto at = fg::find_if(policy, values.begin(), values.end(), kIsThird);
        ASSERT_EQ(static_cast<std::size_t>(at - values.begin()), first);
      }
    }
  });
}

// A worker that has begun to look at a later match ends after the first one has been found.
TEST_P(par_algorithms, find_the_first_although_a_later_one_is_found_after_it) {
  pool_.run([] {
    const auto in = std::views::iota(0, 64);
    for (int round = 0; round < 50; ++round) {
      fg::atomic<bool> has_begun{false};
      fg::atomic<bool> first_is_found{false};
      const auto soon = std::chrono::steady_clock::now() + std::chrono::milliseconds{1};
      const auto wait_for = [&](const fg::atomic<bool>& flag) {
        while (!flag && std::chrono::steady_clock::now() < soon) {
        }
      };
      const auto at = fg::find_if(kFinest, in, [&](int i) {
        if (i == 0) {
          wait_for(has_begun);
          first_is_found = true;
        } else {
          has_begun = true;
          wait_for(first_is_found);
          fg::test::busy_for(std::chrono::microseconds{5});
        }
        return true;
      });
      ASSERT_EQ(*at, 0);
    }
  });
}

TEST_P(par_algorithms, end_a_search_early) {
  const auto in = std::views::iota(0, 200'000);
  fg::atomic<int> calls{0};
  const auto at = fg::find_if(fg::par.on(pool_), in, [&](int i) {
    calls.fetch_add(1);
    fg::test::busy_for(std::chrono::microseconds{1});
    return i == 100;
  });
  EXPECT_EQ(*at, 100);
  EXPECT_LT(calls, 150'000);
}

TEST_P(par_algorithms, scan_in_place_in_the_order_of_the_elements) {
  pool_.run([] {
    for (const fg::parallel_policy& policy : kPolicies) {
      for (const std::size_t size : {1U, 2U, 65U, 4097U}) {
        const std::vector<affine> in = affine_maps(size);
        const affine init{3, 5};
        std::vector<affine> expected(size);
        std::vector<affine> sums = in;
        std::inclusive_scan(in.begin(), in.end(), expected.begin(), kThen, init);
        fg::inclusive_scan(policy, sums.begin(), sums.end(), sums.begin(), kThen, init);
        ASSERT_EQ(sums, expected);
        sums = in;
        std::exclusive_scan(in.begin(), in.end(), expected.begin(), init, kThen);
        fg::exclusive_scan(policy, sums.begin(), sums.end(), sums.begin(), init, kThen);
        ASSERT_EQ(sums, expected);
        ASSERT_EQ(fg::reduce(policy, in.begin(), in.end(), init, kThen),
                  kThen(expected.back(), in.back()));
      }
    }
  });
}

TEST_P(par_algorithms, copy_in_the_order_of_the_elements_and_ask_once_for_each) {
  pool_.run([] {
    for (const fg::parallel_policy& policy : kPolicies) {
      const std::vector<int> in = numbers(5000);
      std::vector<fg::atomic<int>> calls(100'003);
      const auto is_third = [&](int x) {
        calls[static_cast<std::size_t>(x)].fetch_add(1);
        return x % 3 == 0;
      };
      std::vector<int> out;
      std::vector<int> expected;
      std::ranges::copy_if(in, std::back_inserter(expected), kIsThird);
      out.resize(expected.size());  // no place for more
      EXPECT_EQ(fg::copy_if(policy, in.begin(), in.end(), out.begin(), is_third), out.end());
      ASSERT_EQ(out, expected);
      ASSERT_TRUE(
          std::ranges::all_of(in, [&](int x) { return calls[static_cast<std::size_t>(x)] == 1; }));
    }
  });
}

// ---- exceptions ----

TEST_P(par_algorithms, pass_on_an_exception) {
  pool_.run([] {
    std::vector<int> in(2000, 1);
    std::vector<int> out(2000);
    const auto first = in.begin();
    const auto last = in.end();
    for (const std::size_t culprit : {0U, 1000U, 1999U}) {
      const auto fail_at = [&](const int& x) {
        if (&x == &in[culprit]) {
          throw std::runtime_error{"thrown"};
        }
        return x == 0;
      };
      for (const fg::parallel_policy& policy : kPolicies) {
        EXPECT_THROW(fg::for_each(policy, first, last, fail_at), std::runtime_error);
        EXPECT_THROW(static_cast<void>(fg::find_if(policy, first, last, fail_at)),
                     std::runtime_error);
        EXPECT_THROW(static_cast<void>(fg::count_if(policy, first, last, fail_at)),
                     std::runtime_error);
        EXPECT_THROW(fg::copy_if(policy, first, last, out.begin(), fail_at), std::runtime_error);
        EXPECT_THROW(fg::inclusive_scan(
                         policy, first, last, out.begin(),
                         [&](int sum, const int& x) {
                           fail_at(x);
                           return sum + x;
                         },
                         0),
                     std::runtime_error);
      }
    }
  });
}

// ---- where they run ----

// All that it is called with runs elsewhere, sooner or later.
template <class Algorithm>
void expect_others_to_take_part(const Algorithm& algorithm) {
  const std::thread::id here = std::this_thread::get_id();
  fg::atomic<bool> elsewhere{false};
  const auto end = std::chrono::steady_clock::now() + std::chrono::seconds{30};
  while (!elsewhere && std::chrono::steady_clock::now() < end) {
    algorithm([&](int x) {
      if (std::this_thread::get_id() != here) {
        elsewhere = true;
      }
      return x % 3 == 0;
    });
  }
  EXPECT_TRUE(elsewhere);
}

TEST_P(par_algorithms, let_other_workers_take_part) {
  pool_.run([] {
    const std::vector<int> in = numbers(50'000);
    std::vector<int> out(in.size());
    expect_others_to_take_part(
        [&](auto is_third) { fg::copy_if(fg::par, in.begin(), in.end(), out.begin(), is_third); });
    expect_others_to_take_part(
        [&](auto is_third) { return fg::count_if(fg::par, in.begin(), in.end(), is_third); });
    expect_others_to_take_part([&](auto is_third) {
      return fg::find_if(fg::par, in.begin(), in.end(),
                         [&](int x) { return is_third(x) && x < 0; });
    });
    expect_others_to_take_part([&](auto is_third) {
      fg::exclusive_scan(fg::par, in.begin(), in.end(), out.begin(), 0,
                         [&](int sum, int x) { return is_third(x) ? sum : std::max(sum, x); });
    });
  });
}

INSTANTIATE_TEST_SUITE_P(all, par_algorithms, testing::ValuesIn(fg::test::pool_settings({2, 8})),
                         fg::test::name_of_pool_setting);

TEST(par_algorithms_outside, run_on_the_calling_thread_without_a_pool) {
  const std::thread::id here = std::this_thread::get_id();
  std::vector<int> values = numbers(1000);
  fg::for_each(kFinest, values.begin(), values.end(),
               [&](int&) { EXPECT_EQ(std::this_thread::get_id(), here); });
  expect_std_results<std::vector<int>>(fg::par, 1000);
}

TEST(par_algorithms_outside, run_on_the_calling_thread_over_weak_iterators) {
  fg::pool pool;
  const std::thread::id here = std::this_thread::get_id();
  std::forward_list<int> values(1000, 1);
  fg::for_each(kFinest.on(pool), values.begin(), values.end(),
               [&](int&) { EXPECT_EQ(std::this_thread::get_id(), here); });
}

TEST(par_algorithms_outside, look_at_nothing_after_the_match_on_one_worker) {
  fg::pool pool{{.workers = 1}};
  const auto in = std::views::iota(0, 10'000);
  for (const fg::parallel_policy& policy : kPolicies) {
    int calls = 0;
    const auto at = fg::find_if(policy.on(pool), in, [&](int i) {
      ++calls;
      return i % 1000 == 100;
    });
    EXPECT_EQ(*at, 100);
    EXPECT_EQ(calls, 101);
  }
}

TEST(par_algorithms_outside, run_on_the_given_pool) {
  fg::pool pool{{.workers = 2}};
  std::vector<int> values(1000);
  fg::for_each(fg::par.on(pool), values,
               [&](int& x) { x = &fg::worker::current()->home() == &pool ? 1 : 0; });
  EXPECT_EQ(fg::reduce(fg::par.on(pool), values), 1000);
}

// ---- ranges ----

TEST(par_algorithms_of_ranges, take_what_has_random_access_and_a_size) {
  const auto run = [](const fg::parallel_policy& policy) {
    const auto in = std::views::iota(1, 101);
    std::array<long, 200> out{};
    fg::for_each(policy, std::span{out}.first(100), [](long& x) { x = 7; });
    EXPECT_EQ(std::ranges::count(out, 7), 100);
    EXPECT_EQ(fg::transform(policy, in, out.begin(), kTwice), out.begin() + 100);
    EXPECT_EQ(out[99], 200);
    // Up to the end of the shorter one, whichever that is.
    EXPECT_EQ(fg::transform(policy, in, out, out.begin(), kAdd), out.begin() + 100);
    EXPECT_EQ(fg::transform(policy, out, in, out.begin(), kAdd), out.begin() + 100);
    EXPECT_EQ(out[99], 400);
    EXPECT_EQ(fg::reduce(policy, in), 5050);
    EXPECT_EQ(fg::reduce(policy, in, 1L, kAdd), 5051);
    EXPECT_EQ(fg::transform_reduce(policy, in, 0L, kAdd, kTwice), 10'100);
    EXPECT_EQ(fg::transform_reduce(policy, in, out, 0L), fg::transform_reduce(policy, out, in, 0L));
    EXPECT_EQ(fg::inclusive_scan(policy, in, out.begin()), out.begin() + 100);
    EXPECT_EQ(out[99], 5050);
    fg::inclusive_scan(policy, in, out.begin(), kAdd, 1L);
    EXPECT_EQ(out[99], 5051);
    fg::exclusive_scan(policy, in, out.begin(), 1L);
    EXPECT_EQ(out[99], 4951);
    EXPECT_EQ(*fg::find_if(policy, in, kIsThird), 3);
    EXPECT_EQ(fg::count_if(policy, in, kIsThird), 33);
    EXPECT_EQ(fg::copy_if(policy, in, out.begin(), kIsThird), out.begin() + 33);
    fg::sort(policy, out, std::greater{});
    EXPECT_TRUE(std::ranges::is_sorted(out, std::greater{}));
  };
  fg::pool pool{{.workers = 2}};
  pool.run([&] { run(kFinest); });
}

// Which a call with two iterators and one with a range could be confused over.
TEST(par_algorithms_of_ranges, take_arrays_and_pointers_into_them) {
  int in[] = {3, 1, 2};
  int out[3] = {};
  fg::sort(fg::par, in, in + 3);
  fg::for_each(fg::par, in, in + 3, kIncrement);
  EXPECT_EQ(fg::reduce(fg::par, in, in + 3), 9);
  EXPECT_EQ(fg::reduce(fg::par, in, in + 3, 1), 10);
  EXPECT_EQ(fg::reduce(fg::par, in, 1), 10);
  EXPECT_EQ(fg::transform_reduce(fg::par, in, in + 3, in, 0), 29);
  EXPECT_EQ(fg::inclusive_scan(fg::par, in, in + 3, out), out + 3);
  EXPECT_EQ(fg::exclusive_scan(fg::par, in, in + 3, out, 0), out + 3);
  EXPECT_EQ(fg::transform(fg::par, in, in + 3, in, out, kAdd), out + 3);
  EXPECT_EQ(fg::copy_if(fg::par, in, in + 3, out, kIsThird), out + 1);
}

// ---- what the types may be ----

// It can neither be copied nor be made without a value.
struct moved_only {
  moved_only(int x) : text{std::make_unique<std::string>(std::to_string(x % 10))} {}  // NOLINT
  std::unique_ptr<std::string> text;
};

TEST(par_algorithms_types, take_values_and_callables_that_can_only_be_moved) {
  fg::pool pool{{.workers = 2}};
  const std::vector<int> in = numbers(3000);
  const auto append = [owned = std::make_unique<int>(1)](const moved_only& a, const moved_only& b) {
    moved_only both{0};
    *both.text = *a.text + *b.text;
    return both;
  };
  std::string expected = "7";
  for (const int x : in) {
    expected += static_cast<char>('0' + x % 10);
  }
  pool.run([&] {
    const auto sum = fg::transform_reduce(kFinest, in, moved_only{7}, std::ref(append),
                                          [](int x) { return moved_only{x}; });
    EXPECT_EQ(*sum.text, expected);
    std::vector<std::unique_ptr<int>> owners(3000);
    fg::for_each(kFinest, owners, [owned = std::make_unique<int>(1)](std::unique_ptr<int>& each) {
      each = std::make_unique<int>(*owned);
    });
    EXPECT_TRUE(std::ranges::all_of(owners, [](const auto& each) { return *each == 1; }));
  });
}

TEST(par_algorithms_types, take_functions) {
  fg::pool pool{{.workers = 2}};
  std::vector<int> values(1000, 1);
  bool (*is_one)(int) = +[](int x) { return x == 1; };
  pool.run([&] { EXPECT_EQ(fg::count_if(fg::par, values, is_one), 1000); });
  const std::function<void(int&)> increment = kIncrement;
  fg::for_each(fg::par.on(pool), values, increment);
  EXPECT_EQ(fg::reduce(fg::par, values), 2000);
}

TEST(par_algorithms_types, cut_off_as_the_standards_do) {
  const std::vector<double> in(10, 1.75);
  // NOLINTNEXTLINE(bugprone-fold-init-type): meant
  EXPECT_EQ(fg::reduce(fg::par, in.begin(), in.end(), 0), std::reduce(in.begin(), in.end(), 0));
}

using list = std::forward_list<int>;
using vector = std::vector<int>;
using stream = std::istream_iterator<int>;

template <class It, class F>
concept can_be_visited = requires(It it, F f) { fg::for_each(fg::par, it, it, f); };
using read = decltype(kTwice);
using increment = decltype(kIncrement);
template <class Range>
concept can_be_a_range = requires(Range range) { fg::for_each(fg::par, range, kIncrement); };
template <class It>
concept can_be_sorted = requires(It it) { fg::sort(fg::par, it, it); };
template <class Out>
concept can_be_copied_to =
    requires(int* in, Out out) { fg::copy_if(fg::par, in, in, out, kIsThird); };
template <class Op>
concept can_be_summed_by =
    requires(int* in, Op op) { fg::inclusive_scan(fg::par, in, in, in, op); };

static_assert(can_be_visited<vector::const_iterator, read> &&
              !can_be_visited<vector::const_iterator, increment>);
static_assert(can_be_visited<list::iterator, increment> && !can_be_visited<stream, read>);
static_assert(can_be_a_range<vector&> && !can_be_a_range<list&>);
static_assert(can_be_sorted<vector::iterator> && !can_be_sorted<list::iterator>);
static_assert(can_be_copied_to<int*> && !can_be_copied_to<std::back_insert_iterator<vector>>);
static_assert(can_be_summed_by<std::plus<>> && !can_be_summed_by<int>);
static_assert(
    std::same_as<decltype(fg::find_if(fg::par, vector{}, kIsThird)), std::ranges::dangling>);

}  // namespace par_algorithms_test
}  // namespace
