// SPDX-License-Identifier: Apache-2.0
#include "finegrain/controller/short_calls.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstddef>
#include <functional>
#include <thread>
#include <vector>

#include "finegrain/algorithm/pool/fork_join.hpp"
#include "finegrain/pool/pool.hpp"
#include "finegrain/pool/worker.hpp"

namespace {

using fg::detail::short_calls;
using fg::detail::short_calls_of;

void time_short_ones(short_calls& calls, int count) {
  for (int i = 0; i != count; ++i) {
    calls.timed(true);
  }
}

TEST(short_calls, are_all_short_after_four_timed_ones) {
  short_calls calls;
  EXPECT_FALSE(calls.all_short());
  time_short_ones(calls, 3);
  EXPECT_FALSE(calls.all_short());
  time_short_ones(calls, 1);
  EXPECT_TRUE(calls.all_short());
}

TEST(short_calls, are_timed_once_in_sixteen) {
  short_calls calls;
  int timed = 0;
  for (int i = 0; i != 16'000; ++i) {
    timed += calls.is_due() ? 1 : 0;
  }
  EXPECT_GT(timed, 900);
  EXPECT_LT(timed, 1100);
}

TEST(short_calls, are_timed_in_all_phases_of_a_rhythm) {
  for (const int period : {2, 4, 8, 16}) {
    std::vector<int> timed(static_cast<std::size_t>(period), 0);
    short_calls calls;
    for (int i = 0; i != 1000 * period; ++i) {
      timed[static_cast<std::size_t>(i % period)] += calls.is_due() ? 1 : 0;
    }
    EXPECT_GT(*std::min_element(timed.begin(), timed.end()), 30) << period;
  }
}

TEST(short_calls, are_not_after_a_long_one_among_the_first) {
  short_calls calls;
  time_short_ones(calls, 3);
  calls.timed(false);
  time_short_ones(calls, 3);
  EXPECT_FALSE(calls.all_short());
  time_short_ones(calls, 1);
  EXPECT_TRUE(calls.all_short()) << "nothing was lost by it: the row is not longer";
}

TEST(short_calls, need_a_row_twice_as_long_after_each_mistake) {
  short_calls calls;
  int needed = 4;
  for (int mistake = 0; mistake != 12; ++mistake) {
    time_short_ones(calls, needed - 1);
    EXPECT_FALSE(calls.all_short()) << needed;
    time_short_ones(calls, 1);
    EXPECT_TRUE(calls.all_short()) << needed;
    calls.timed(false);
    EXPECT_FALSE(calls.all_short()) << needed;
    needed = needed == 1024 ? 1024 : 2 * needed;
  }
}

// The calling worker, when there is another one that could take branches from it.
const fg::worker& with_others() {
  const fg::worker& self = *fg::worker::current();
  while (!self.has_others()) {
    std::this_thread::yield();
  }
  return self;
}

// Each fork of the test has types of its own, and so a place of its own.
template <int Place>
struct count_calls {
  int* calls;
  bool* by_another;
  const fg::worker* caller;
  void operator()() const {
    ++*calls;
    *by_another = fg::worker::current() != caller;
  }
};

TEST(short_forks, keep_both_branches_where_all_are_short) {
  using first = count_calls<1>;
  using second = count_calls<2>;
  fg::pool pool{{.workers = 2}};
  pool.run([] {
    const fg::worker& self = with_others();
    time_short_ones(short_calls_of<const first, const second>(), 4);
    const auto inlined_before = self.counters().inlined;
    int calls = 0;
    bool first_elsewhere = true;
    bool second_elsewhere = true;
    for (int i = 0; i != 10; ++i) {
      const first f{&calls, &first_elsewhere, &self};
      const second g{&calls, &second_elsewhere, &self};
      fg::fork_join(f, g);
      EXPECT_FALSE(first_elsewhere || second_elsewhere);
    }
    EXPECT_EQ(calls, 20);
    EXPECT_EQ(self.counters().inlined - inlined_before, 10U);
  });
}

TEST(short_forks, are_pushed_where_their_types_do_not_say_which_they_are) {
  using fg::detail::if_short;
  using fg::detail::kKeepIfShort;
  const auto lambda = [] {};
  static_assert(kKeepIfShort<decltype(lambda)&, decltype(lambda)> == if_short::keep);
  static_assert(kKeepIfShort<decltype(lambda), std::function<void()>> == if_short::push);
  static_assert(kKeepIfShort<int (*)(), decltype(lambda)> == if_short::push);
  static_assert(kKeepIfShort<decltype(lambda), void (&)()> == if_short::push);
}

TEST(short_forks, run_the_second_branch_though_the_first_throws) {
  struct first {
    void operator()() const { throw 1; }
  };
  using second = count_calls<3>;
  fg::pool pool{{.workers = 2}};
  pool.run([] {
    const fg::worker& self = with_others();
    time_short_ones(short_calls_of<const first, const second>(), 4);
    int calls = 0;
    bool elsewhere = true;
    const first f{};
    const second g{&calls, &elsewhere, &self};
    EXPECT_THROW(fg::fork_join(f, g), int);
    EXPECT_EQ(calls, 1);
    EXPECT_FALSE(elsewhere);
  });
}

}  // namespace
