// The bags of one rank's workers.
// SPDX-License-Identifier: Apache-2.0
#include "finegrain/mpi/worker_bags.hpp"

#include <gtest/gtest.h>

#include <cstddef>
#include <cstdint>
#include <thread>
#include <vector>

#include "finegrain/mpi/bag.hpp"
#include "finegrain/mpi/bound.hpp"

namespace {

// Each number stands for itself and for all below it, twice.
struct halvings : fg::mpi::stack_bag<unsigned, std::uint64_t> {
  explicit halvings(unsigned first) {
    if (first != 0) {
      items.push_back(first);
    }
  }
  std::size_t process(std::size_t most) {
    std::size_t done = 0;
    for (; done != most && !items.empty(); ++done) {
      const unsigned top = items.back();
      items.pop_back();
      ++sum;
      if (top != 1) {
        items.push_back(top - 1);
        items.push_back(top - 1);
      }
    }
    return done;
  }
};

using bags_of = fg::mpi::detail::worker_bags<halvings>;

TEST(worker_bags, an_offer_is_for_who_is_hungry) {
  bags_of bags{halvings{4}, halvings{0}, 2};
  bags.join();
  bags.join();
  halvings& own = bags.of(0);
  own.process(1);
  bags.share(own);
  EXPECT_EQ(own.size(), 2U);  // nobody is

  bags.set_hungry(true);
  bags.share(own);
  bags.share(own);
  EXPECT_EQ(own.size(), 1U);
  EXPECT_FALSE(bags.are_empty());
  EXPECT_TRUE(bags.try_take(bags.of(1)));
  EXPECT_FALSE(bags.try_take(bags.of(1)));
  EXPECT_EQ(bags.of(1).size(), 1U);
  EXPECT_EQ(bags.collect().size(), 2U);
}

TEST(worker_bags, collect_what_nobody_has_taken) {
  bags_of bags{halvings{4}, halvings{0}, 2};
  bags.join();
  bags.join();
  bags.of(0).process(1);
  bags.set_hungry(true);
  bags.share(bags.of(0));
  EXPECT_EQ(bags.collect().size(), 2U);
}

TEST(worker_bags, are_empty_when_all_are_hungry_and_nothing_is_offered) {
  bags_of bags{halvings{3}, halvings{0}, 2};
  bags.join();
  bags.join();
  bags.set_hungry(true);
  EXPECT_FALSE(bags.are_empty());
  bags.of(0).process(1);
  bags.share(bags.of(0));
  bags.set_hungry(true);
  EXPECT_FALSE(bags.are_empty());  // there is an offer
  EXPECT_TRUE(bags.try_take(bags.of(1)));
  bags.set_hungry(true);
  EXPECT_TRUE(bags.are_empty());
}

TEST(worker_bags, share_until_all_is_done_or_they_are_ended) {
  for (const bool is_ended_early : {false, true}) {
    for (int repetition = 0; repetition != 20; ++repetition) {
      constexpr std::size_t kWorkers = 4;
      bags_of bags{halvings{14}, halvings{0}, kWorkers};
      std::vector<std::thread> others;
      for (std::size_t worker = 1; worker != kWorkers; ++worker) {
        others.emplace_back([&bags, worker] {
          bags.join();
          halvings& own = bags.of(worker);
          while (!bags.is_over() && (own.size() != 0 || bags.wait_for_work(own))) {
            own.process(50);
            bags.share(own);
          }
        });
      }
      bags.join();
      halvings& own = bags.of(0);
      bool is_hungry = false;
      while ((!is_ended_early || own.result() <= 100) && (!is_hungry || !bags.are_empty())) {
        own.process(50);
        bags.share(own);
        if (is_hungry != (own.size() == 0)) {
          is_hungry = !is_hungry;
          bags.set_hungry(is_hungry);
        }
        if (is_hungry && bags.try_take(own)) {
          is_hungry = false;
        }
      }
      bags.end();
      for (std::thread& each : others) {
        each.join();
      }
      halvings all = bags.collect();
      EXPECT_TRUE(is_ended_early || all.size() == 0);
      while (all.process(1000) != 0) {
      }
      EXPECT_EQ(all.result(), (1U << 14U) - 1);
    }
  }
}

TEST(bound, only_rises) {
  fg::mpi::bound bound;
  EXPECT_GT(-bound.value(), 0);  // to minimize
  EXPECT_TRUE(bound.raise(-5));
  EXPECT_FALSE(bound.raise(-5));
  EXPECT_FALSE(bound.raise(-7));
  EXPECT_EQ(bound.value(), -5);
}

}  // namespace
