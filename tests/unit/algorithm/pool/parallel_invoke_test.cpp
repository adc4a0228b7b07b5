// Any number of branches, under every policy.
// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <array>
#include <chrono>
#include <cstddef>
#include <memory>
#include <stdexcept>
#include <string>
#include <thread>
#include <tuple>
#include <type_traits>
#include <utility>
#include <variant>
#include <vector>

#include "finegrain/algorithm/pool/fork_join.hpp"
#include "finegrain/core/atomic.hpp"
#include "finegrain/pool/pool.hpp"
#include "unit/pool/pool_setting.hpp"

namespace {

class pool_parallel_invoke : public testing::TestWithParam<fg::test::pool_setting> {
 protected:
  fg::pool pool_{GetParam().options()};
};

TEST_P(pool_parallel_invoke, gives_the_results_in_order) {
  for (int round = 0; round < 100; ++round) {
    const auto [one, two, three, nothing, five] = fg::parallel_invoke(
        pool_, [] { return 1; }, [] { return std::string{"two"}; },
        [] { return std::make_unique<int>(3); }, [] {}, [] { return 5.0; });
    EXPECT_EQ(one, 1);
    EXPECT_EQ(two, "two");
    EXPECT_EQ(*three, 3);
    static_assert(std::is_same_v<decltype(nothing), const std::monostate>);
    EXPECT_EQ(five, 5.0);
  }
}

template <std::size_t N>
void expect_all_run(fg::pool& pool) {
  std::array<fg::atomic<int>, N> calls{};
  const auto call = [&calls](auto... number) {
    fg::parallel_invoke([&calls, number] { ++calls[number]; }...);
  };
  pool.run([&] {
    [&]<std::size_t... I>(std::index_sequence<I...>) { call(I...); }(std::make_index_sequence<N>{});
  });
  for (const auto& each : calls) {
    EXPECT_EQ(each, 1) << "of " << N;
  }
}

TEST_P(pool_parallel_invoke, runs_each_branch_once) {
  expect_all_run<1>(pool_);
  expect_all_run<2>(pool_);
  expect_all_run<3>(pool_);
  expect_all_run<4>(pool_);
  expect_all_run<7>(pool_);
  expect_all_run<16>(pool_);
}

TEST_P(pool_parallel_invoke, runs_the_first_branch_here_and_others_elsewhere) {
  const std::thread::id here = std::this_thread::get_id();
  fg::atomic<bool> elsewhere{pool_.size() == 1};
  const auto look = [&] {
    if (std::this_thread::get_id() != here) {
      elsewhere = true;
    }
    std::this_thread::sleep_for(std::chrono::microseconds{10});
  };
  const auto end = std::chrono::steady_clock::now() + std::chrono::seconds{30};
  do {
    fg::parallel_invoke(
        pool_, [&] { EXPECT_EQ(std::this_thread::get_id(), here); }, look, look, look);
  } while (!elsewhere && std::chrono::steady_clock::now() < end);
  EXPECT_TRUE(elsewhere);
}

TEST_P(pool_parallel_invoke, passes_on_the_first_exception_when_all_have_run) {
  struct which {
    int number;
  };
  for (int first = 0; first < 5; ++first) {
    fg::atomic<int> calls{0};
    const auto branch = [&calls, first](int number) {
      return [&calls, first, number]() -> std::string {
        ++calls;
        if (number >= first) {
          throw which{number};
        }
        return "a result that is not wanted";
      };
    };
    try {
      static_cast<void>(
          fg::parallel_invoke(pool_, branch(0), branch(1), branch(2), branch(3), branch(4)));
      ADD_FAILURE() << "nothing thrown";
    } catch (const which& thrown) {
      EXPECT_EQ(thrown.number, first);
    }
    EXPECT_EQ(calls, 5);
  }
}

long sum_between(long first, long last) {
  if (last - first < 3) {
    return first == last ? 0 : first + sum_between(first + 1, last);
  }
  const long step = (last - first) / 3;
  const auto [low, middle, high] =
      fg::parallel_invoke([=] { return sum_between(first, first + step); },
                          [=] { return sum_between(first + step, first + 2 * step); },
                          [=] { return sum_between(first + 2 * step, last); });
  return low + middle + high;
}

TEST_P(pool_parallel_invoke, nests) {
  EXPECT_EQ(pool_.run([] { return sum_between(0, 10'000); }), 49'995'000);
}

INSTANTIATE_TEST_SUITE_P(all, pool_parallel_invoke, fg::test::all_pool_settings(),
                         fg::test::name_of_pool_setting);

TEST(pool_parallel_invoke_outside, runs_in_order_where_there_is_no_pool) {
  std::vector<int> order;
  fg::parallel_invoke([&] { order.push_back(0); }, [&] { order.push_back(1); },
                      [&] { order.push_back(2); }, [&] { order.push_back(3); });
  EXPECT_EQ(order, (std::vector{0, 1, 2, 3}));
}

int seven() { return 7; }

TEST(pool_parallel_invoke_outside, takes_all_kinds_of_callables) {
  auto counter = [count = 0]() mutable { return ++count; };
  const auto twice = [] { return 2; };
  const auto results = fg::parallel_invoke(counter, seven, &seven, twice, counter);
  EXPECT_EQ(results, std::tuple(1, 7, 7, 2, 2));  // one counter, no copies
  static_assert(std::is_same_v<decltype(fg::parallel_invoke(seven)), std::tuple<int>>);
  static_assert(std::is_void_v<decltype(fg::parallel_invoke([] {}))>);
  static_assert(std::is_void_v<decltype(fg::parallel_invoke([] {}, [] {}, [] {}))>);
}

struct counts_its_calls {
  mutable int calls = 0;
  void operator()() const { ++calls; }
};

struct cannot_be_copied {
  fg::atomic<int> calls{0};
  int operator()() { return ++calls; }
};

// A program's own functions, with the names of ours.
namespace names {
struct branch {
  int operator()() const { return 1; }
};
[[maybe_unused]] int result_of(auto&& /*branch*/) { return 2; }
[[maybe_unused]] std::pair<int, int> run_both_here(auto&& /*f*/, auto&& /*g*/) { return {2, 2}; }
}  // namespace names

// A copy runs only in the place of a lambda in the call, and of none whose result may refer to it.
TEST(branches, run_themselves_where_a_copy_would_differ) {
  using fg::detail::kRunsAsCopy;
  const auto number = [captured = 1] { return captured; };
  using returns_number = decltype(number);
  const auto pointer = [captured = 1] { return &captured; };
  const auto reference = [captured = 1]() -> const int& { return captured; };
  EXPECT_TRUE(kRunsAsCopy<std::remove_const_t<returns_number>>);
  EXPECT_TRUE(kRunsAsCopy<std::remove_const_t<decltype(reference)>>);
  EXPECT_FALSE(kRunsAsCopy<returns_number&>);
  EXPECT_FALSE(kRunsAsCopy<int (&)()>);
  EXPECT_FALSE(kRunsAsCopy<std::remove_const_t<decltype(pointer)>>);
  EXPECT_FALSE(kRunsAsCopy<cannot_be_copied>);
  EXPECT_FALSE(kRunsAsCopy<counts_its_calls>) << "no lambda";
  EXPECT_EQ(number() + *pointer() + reference(), 3);

  fg::pool pool{{.workers = 2}};
  pool.run([] {
    counts_its_calls f;
    counts_its_calls g;
    counts_its_calls h;
    fg::fork_join(f, g);
    fg::parallel_invoke(f, g, h);
    EXPECT_EQ(f.calls, 2);
    EXPECT_EQ(g.calls, 2);
    EXPECT_EQ(h.calls, 1);
    EXPECT_EQ(fg::fork_join(cannot_be_copied{}, cannot_be_copied{}), std::pair(1, 1));
    EXPECT_EQ(fg::parallel_invoke(cannot_be_copied{}, seven), std::tuple(1, 7));
    EXPECT_EQ(fg::fork_join(names::branch{}, names::branch{}), std::pair(1, 1));
    EXPECT_EQ(fg::parallel_invoke(names::branch{}, names::branch{}), std::tuple(1, 1));
    int changed = 0;
    fg::fork_join([&changed, calls = 0]() mutable { changed = ++calls; }, seven);
    EXPECT_EQ(changed, 1);
  });
}

}  // namespace
