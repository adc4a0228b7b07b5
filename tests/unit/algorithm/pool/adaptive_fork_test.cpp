// Branches on a pool that are too short to be offered to other workers.
// SPDX-License-Identifier: Apache-2.0
#include "finegrain/algorithm/pool/adaptive_fork.hpp"

#include <gtest/gtest.h>

#include <chrono>
#include <stdexcept>
#include <thread>

#include "finegrain/algorithm/pool/fork_join.hpp"
#include "finegrain/pool/pool.hpp"
#include "unit/pool/pool_setting.hpp"

namespace {

using fg::detail::fork_site;
using fg::test::workers;

TEST(adaptive_fork, keeps_what_is_too_short_to_offer) {
  fg::pool pool{workers(2)};
  constexpr int kCalls = 20'000;
  long sum = 0;
  pool.run([&] {
    for (int call = 0; call < kCalls; ++call) {
      const auto [a, b] = fg::fork_join([&] { return call; }, [&] { return call + 1; });
      const auto [c, d, e] =
          fg::parallel_invoke([&] { return call; }, [] { return 1; }, [] { return 2; });
      sum += a + b + c + d + e;
    }
  });
  EXPECT_EQ(sum, 4L * kCalls + 3L * kCalls * (kCalls - 1) / 2);
  EXPECT_LT(fg::test::steals_of(pool), 3 * kCalls / 20) << "each branch, without a controller";
}

TEST(adaptive_fork, rethrows_from_branches_that_it_keeps) {
  fg::pool pool{workers(2)};
  pool.run([&] {
    for (int call = 0; call < 1000; ++call) {
      int ran = 0;
      const auto may_throw = [&] {
        ++ran;
        if (call % 10 == 0) {
          throw std::runtime_error{"f"};
        }
      };
      if (call % 10 == 0) {
        EXPECT_THROW(fg::fork_join(may_throw, [&] { return 1; }), std::runtime_error);
      } else {
        fg::fork_join(may_throw, [&] { return 1; });
      }
      EXPECT_EQ(ran, 1);
    }
  });
}

void work_for(std::chrono::microseconds time) {
  const auto end = std::chrono::steady_clock::now() + time;
  while (std::chrono::steady_clock::now() < end) {
  }
}

// The threads that ran leaves of a binary tree of this depth, as two bits.
unsigned visit(int depth, std::chrono::microseconds leaf, std::thread::id main) {
  if (depth == 0) {
    work_for(leaf);
    return std::this_thread::get_id() == main ? 1 : 2;
  }
  const auto [a, b] = fg::fork_join([=] { return visit(depth - 1, leaf, main); },
                                    [=] { return visit(depth - 1, leaf, main); });
  return a | b;
}

// All forks of the tree are one place in the source.
TEST(adaptive_fork, offers_a_recursion_whose_calls_were_short) {
  fg::pool pool{workers(2)};
  pool.run([&] {
    const std::thread::id main = std::this_thread::get_id();
    for (int call = 0; call < 10'000; ++call) {
      visit(1, std::chrono::microseconds{0}, main);
    }
    const auto given_up = std::chrono::steady_clock::now() + std::chrono::minutes{1};
    unsigned threads = 0;
    do {
      threads = visit(10, std::chrono::microseconds{5}, main);
    } while (threads != 3 && std::chrono::steady_clock::now() < given_up);
    EXPECT_EQ(threads, 3U) << "both";
  });
}

TEST(fork_sites, ends_keeping_where_a_place_calls_itself) {
  fork_site site;
  const fork_site::kept outermost{site};
  int nested = 0;
  while (nested < 1000 && site.keeps_nested()) {
    ++nested;
  }
  EXPECT_LT(nested, 100);
  EXPECT_TRUE(site.is_recursion());
}

TEST(fork_sites, keeps_places_that_call_themselves_a_little) {
  fork_site site;
  for (int call = 0; call < 1000; ++call) {
    const fork_site::kept outermost{site};
    EXPECT_TRUE(site.keeps_nested());
  }
  EXPECT_FALSE(site.is_recursion());
}

}  // namespace
