// Every policy under load: no task is lost or runs twice, no wake-up is lost.
// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <numeric>
#include <random>
#include <string>
#include <thread>
#include <vector>

#include "finegrain/algorithm/pool/fork_join.hpp"
#include "finegrain/core/atomic.hpp"
#include "finegrain/core/clock.hpp"
#include "finegrain/core/pause.hpp"
#include "finegrain/pool/pool.hpp"
#include "finegrain/pool/task_group.hpp"
#include "support/forked_fib.hpp"
#include "support/sanitizer.hpp"
#include "unit/pool/pool_setting.hpp"

namespace {

using fg::test::forked_fib;

// FINEGRAIN_STRESS_TASKS asks for more than the usual number, for the long run outside of CI.
std::uint64_t tasks_to_run() {
  const char* const asked = std::getenv("FINEGRAIN_STRESS_TASKS");
  const std::uint64_t usual = fg::test::kSlow ? 100'000 : 3'000'000;
  return asked != nullptr ? std::strtoull(asked, nullptr, 10) : usual;
}

std::uint64_t mixed(std::uint64_t x) {  // splitmix64 (Steele, Lea, Flood 2014)
  x += 0x9e3779b97f4a7c15U;
  x = (x ^ (x >> 30U)) * 0xbf58476d1ce4e5b9U;
  x = (x ^ (x >> 27U)) * 0x94d049bb133111ebU;
  return x ^ (x >> 31U);
}

class pool_stress : public testing::TestWithParam<fg::test::pool_setting> {};

// A tree of tasks of uneven shape: a random mixture of forks, groups and tasks that spawn into a
// group. Returns the number of tasks.
class random_tree {
 public:
  explicit random_tree(std::uint64_t seed) : seed_{seed} {}

  [[nodiscard]] std::uint64_t grow(std::uint64_t node, int depth) const {
    const std::uint64_t random = mixed(node ^ seed_);
    if (depth == 0 || random % 8 == 0) {
      return 1;
    }
    if (random % 2 == 0) {
      const auto [a, b] = fg::fork_join([&] { return grow(3 * node + 1, depth - 1); },
                                        [&] { return grow(3 * node + 2, depth - 1); });
      return 1 + a + b;
    }
    std::vector<std::uint64_t> counts(random / 8 % 5);
    fg::task_group group;
    for (std::size_t i = 0; i < counts.size(); ++i) {
      group.spawn(
          [this, &counts, node, depth, i] { counts[i] = grow(5 * node + 7 + i, depth - 1); });
    }
    const std::uint64_t own = grow(7 * node + 1, depth - 1);
    group.wait();
    std::uint64_t sum = 1 + own;
    for (const std::uint64_t count : counts) {
      sum += count;
    }
    return sum;
  }

 private:
  std::uint64_t seed_;
};

TEST_P(pool_stress, random_trees) {
  fg::pool pool{GetParam().options()};
  const std::uint64_t least = tasks_to_run() / 10;
  std::uint64_t ran = 0;
  for (std::uint64_t seed = 0; ran < least; ++seed) {
    const random_tree tree{seed};
    const std::uint64_t alone = tree.grow(1, 14);
    ASSERT_EQ(pool.run([&] { return tree.grow(1, 14); }), alone) << "seed " << seed;
    ran += alone;
  }
}

TEST_P(pool_stress, flat_groups) {
  fg::pool pool{GetParam().options()};
  const std::uint64_t least = tasks_to_run();
  constexpr std::size_t kFlat = 10'000;
  std::vector<std::uint64_t> runs(kFlat);  // plain: concurrent runs are a race for TSan
  std::uint64_t rounds = 0;
  for (; rounds * kFlat < least; ++rounds) {
    pool.run([&] {
      fg::task_group group;
      for (std::uint64_t& count : runs) {
        group.spawn([&count] { ++count; });
      }
      group.wait();
    });
  }
  for (const std::uint64_t count : runs) {
    ASSERT_EQ(count, rounds);
  }
}

// Workers fall asleep all the time, so each spawn and each end of a task races with that.
TEST_P(pool_stress, falling_asleep) {
  fg::pool_options options = GetParam().options();
  options.spin_budget = std::chrono::microseconds{0};
  fg::pool pool{options};
  std::minstd_rand random{1};
  const int rounds = fg::test::kSlow ? 50 : 300;
  for (int round = 0; round < rounds; ++round) {
    const std::uint64_t until =
        fg::ticks() + random() % fg::to_ticks(std::chrono::microseconds{50});
    while (fg::ticks() < until) {
      fg::pause();
    }
    fg::atomic<int> ran{0};
    const int posted = pool.size() == 1 ? 0 : 1;  // a lone worker may run it at any time
    if (posted == 1) {
      pool.post([&ran] { ++ran; });
    }
    pool.run([&] {
      fg::task_group group;
      for (int task = 0; task < 5; ++task) {
        group.spawn([&ran, wait = random() % 30] {
          for (unsigned i = 0; i < wait; ++i) {
            fg::pause();
          }
          ++ran;
        });
      }
      group.wait();
      group.spawn([&ran, posted] {
        while (ran < 5 + posted) {  // another worker runs it, or this one has before
          std::this_thread::yield();
        }
      });
      group.wait();
    });
    ASSERT_EQ(ran, 5 + posted);
  }
}

// Without optimization, and with a sanitizer, frames are several times as large.
#if defined(__OPTIMIZE__)
constexpr bool kFullSize = !fg::test::kSanitized;
#else
constexpr bool kFullSize = false;
#endif

// The usual stack of a thread, 8 MiB, is enough for the deepest trees: those of UTS (Olivier et al.
// 2006) are at most 17,844 deep.
class pool_depth : public testing::TestWithParam<fg::test::pool_setting> {
 protected:
  fg::pool pool_{GetParam().options()};
};

int chain(int links) {
  int below = 0;
  if (links > 0) {
    fg::task_group group;
    group.spawn([&below, links] { below = chain(links - 1); });
    group.wait();
  }
  return below + 1;
}

TEST_P(pool_depth, a_chain_of_groups) {
  constexpr int kLinks = kFullSize ? 18'000 : 1000;
  EXPECT_EQ(pool_.run([] { return chain(kLinks); }), kLinks + 1);
}

// A binomial tree like UTS's T3: most nodes have no child, one in eight has eight.
class binomial_tree {
 public:
  [[nodiscard]] std::uint64_t alone(std::uint64_t node, int children) const {
    std::uint64_t nodes = 1;
    for (int child = 0; child < children; ++child) {
      const std::uint64_t id = child_of(node, child);
      nodes += alone(id, children_of(id));
    }
    return nodes;
  }
  [[nodiscard]] std::uint64_t in_groups(std::uint64_t node, int children) const {
    if (children == 0) {
      return 1;
    }
    std::vector<std::uint64_t> nodes(static_cast<std::size_t>(children));
    fg::task_group group;
    for (int child = 0; child < children; ++child) {
      group.spawn([this, &nodes, node, child] {
        const std::uint64_t id = child_of(node, child);
        nodes[static_cast<std::size_t>(child)] = in_groups(id, children_of(id));
      });
    }
    group.wait();
    return std::accumulate(nodes.begin(), nodes.end(), std::uint64_t{1});
  }

 private:
  static std::uint64_t child_of(std::uint64_t node, int child) {
    return mixed(node * 31 + static_cast<std::uint64_t>(child));
  }
  static int children_of(std::uint64_t node) {
    return static_cast<double>(mixed(node) >> 11U) * 0x1p-53 < 0.124875 ? 8 : 0;
  }
};

TEST_P(pool_depth, an_unbalanced_tree) {
  constexpr int kRootChildren = kFullSize ? 2000 : 100;
  constexpr std::uint64_t kSeed = 54;  // 1,551,921 nodes, 793 deep
  const binomial_tree tree;
  EXPECT_EQ(pool_.run([&] { return tree.in_groups(kSeed, kRootChildren); }),
            tree.alone(kSeed, kRootChildren));
}

TEST_P(pool_depth, fib_without_cutoff) {
  if (kFullSize) {
    EXPECT_EQ(pool_.run([] { return forked_fib(35); }), 9'227'465);
  } else {
    EXPECT_EQ(pool_.run([] { return forked_fib(20); }), 6765);
  }
}

INSTANTIATE_TEST_SUITE_P(few, pool_depth, testing::ValuesIn(fg::test::pool_settings({1, 2})),
                         fg::test::name_of_pool_setting);

INSTANTIATE_TEST_SUITE_P(all, pool_stress, fg::test::all_pool_settings(),
                         fg::test::name_of_pool_setting);

}  // namespace
