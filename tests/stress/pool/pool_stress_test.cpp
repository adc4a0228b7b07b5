// Every policy under load: nothing is lost, nothing runs twice, nobody sleeps on.
#include <gtest/gtest.h>

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <random>
#include <string>
#include <thread>
#include <vector>

#include "finegrain/algorithm/pool_fork_join.hpp"
#include "finegrain/core/atomic.hpp"
#include "finegrain/core/clock.hpp"
#include "finegrain/core/pause.hpp"
#include "finegrain/pool/pool.hpp"
#include "finegrain/pool/task_group.hpp"
#include "support/sanitizer.hpp"
#include "unit/pool/pool_setting.hpp"

namespace {

// FINEGRAIN_STRESS_TASKS asks for more than the usual number, for the long run outside of CI.
std::uint64_t tasks_to_run() {
  const char* const asked = std::getenv("FINEGRAIN_STRESS_TASKS");
  const std::uint64_t usual = fg::test::kSanitized ? 100'000 : 3'000'000;
  return asked != nullptr ? std::strtoull(asked, nullptr, 10) : usual;
}

class pool_stress : public testing::TestWithParam<fg::test::pool_setting> {};

// A tree of tasks of uneven shape: forks, groups and tasks that spawn into a group, mixed at
// random. Returns how many tasks it was.
class random_tree {
 public:
  explicit random_tree(std::uint64_t seed) : seed_{seed} {}

  [[nodiscard]] std::uint64_t grow(std::uint64_t node, int depth) const {
    const std::uint64_t random = mix(node ^ seed_);
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
  static std::uint64_t mix(std::uint64_t x) {  // splitmix64 (Steele, Lea, Flood 2014)
    x += 0x9e3779b97f4a7c15U;
    x = (x ^ (x >> 30U)) * 0xbf58476d1ce4e5b9U;
    x = (x ^ (x >> 27U)) * 0x94d049bb133111ebU;
    return x ^ (x >> 31U);
  }
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
  std::vector<std::uint64_t> runs(kFlat);  // plain: two runs at a time are a race for TSan
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
  const int rounds = fg::test::kSanitized ? 50 : 300;
  for (int round = 0; round < rounds; ++round) {
    const std::uint64_t until =
        fg::ticks() + random() % fg::to_ticks(std::chrono::microseconds{50});
    while (fg::ticks() < until) {
      fg::pause();
    }
    fg::atomic<int> ran{0};
    const int posted = pool.size() == 1 ? 0 : 1;  // a lone worker runs it whenever it likes
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
        while (ran < 5 + posted) {  // somebody runs it, or this worker has before
          std::this_thread::yield();
        }
      });
      group.wait();
    });
    ASSERT_EQ(ran, 5 + posted);
  }
}

INSTANTIATE_TEST_SUITE_P(all, pool_stress, fg::test::all_pool_settings(),
                         fg::test::name_of_pool_setting);

}  // namespace
