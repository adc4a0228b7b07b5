// Pools whose threads are late, moved and stopped: no task is lost or runs twice, each result is
// right.
// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <numeric>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

#include "finegrain/algorithm/pool/broadcast.hpp"
#include "finegrain/algorithm/pool/fork_join.hpp"
#include "finegrain/algorithm/pool/parallel_for.hpp"
#include "finegrain/algorithm/pool/parallel_reduce.hpp"
#include "finegrain/algorithm/pool/parallel_scan.hpp"
#include "finegrain/core/atomic.hpp"
#include "finegrain/host/affinity.hpp"
#include "finegrain/hybrid/hybrid_pool.hpp"
#include "finegrain/pool/policies.hpp"
#include "finegrain/pool/pool.hpp"
#include "finegrain/pool/task_group.hpp"
#include "finegrain/pool/worker.hpp"
#include "support/chaos_run.hpp"
#include "support/on_thread.hpp"
#include "support/restrict_to_cpu.hpp"
#include "unit/pool/pool_setting.hpp"

namespace {

using fg::test::dawdle;
using fg::test::mixed;

// A tree of forks and groups, with its shape and delays by `random`. Returns the number of its
// nodes.
std::uint64_t grow(std::uint64_t random, int depth) {
  dawdle(random >> 32U);
  if (depth == 0 || random % 8 == 0) {
    return 1;
  }
  if (random % 2 == 0) {
    const auto [a, b] = fg::fork_join([=] { return grow(mixed(random), depth - 1); },
                                      [=] { return grow(mixed(random + 1), depth - 1); });
    return 1 + a + b;
  }
  std::vector<std::uint64_t> nodes(random / 8 % 4);
  fg::task_group group;
  for (std::size_t i = 0; i < nodes.size(); ++i) {
    group.spawn([&nodes, random, depth, i] { nodes[i] = grow(mixed(random + i), depth - 1); });
  }
  group.wait();
  return std::accumulate(nodes.begin(), nodes.end(), std::uint64_t{1});
}

// Tasks of which at most one throws: then that exception arrives, and no task runs twice.
void flat_group(std::uint64_t random) {
  const std::size_t size = random % 100;
  const std::size_t thrower = mixed(random) % 200;
  std::vector<std::uint32_t> runs(size);  // plain: concurrent runs are a race for TSan
  fg::task_group group;
  for (std::size_t i = 0; i < size; ++i) {
    group.spawn([&runs, thrower, i, late = mixed(random + i)] {
      dawdle(late);
      ++runs[i];
      if (i == thrower) {
        throw std::out_of_range{"thrown"};
      }
    });
  }
  if (thrower < size) {
    ASSERT_THROW(group.wait(), std::out_of_range);
    ASSERT_EQ(runs[thrower], 1U);
    ASSERT_LE(std::ranges::max(runs), 1U);
  } else {
    group.wait();
    ASSERT_EQ(std::ranges::count(runs, 1U), static_cast<std::ptrdiff_t>(size));
  }
}

void loop(std::uint64_t random) {
  std::vector<std::uint32_t> visited(random % 500);
  constexpr std::array kWays{fg::partition::lazy, fg::partition::dynamic, fg::partition::fixed};
  fg::parallel_for(std::size_t{0}, visited.size(),
                   [&visited, random](std::size_t i) {
                     dawdle(mixed(random + i) / 4);
                     ++visited[i];
                   },
                   {.how = kWays[random % 3], .grain = mixed(random) % 8});
  ASSERT_EQ(std::ranges::count(visited, 1U), static_cast<std::ptrdiff_t>(visited.size()));
}

void reduce(std::uint64_t random) {
  const std::uint64_t size = 1 + random % 500;
  const auto sum = fg::parallel_reduce(
      std::uint64_t{0}, size, std::uint64_t{0},
      [random](std::uint64_t i) {
        dawdle(mixed(random + i) / 4);
        return i;
      },
      std::plus<>{}, {.grain = mixed(random) % 8, .deterministic = random % 2 == 0});
  ASSERT_EQ(sum, size * (size - 1) / 2);
}

void scan(std::uint64_t random) {
  std::vector<std::uint64_t> ones(1 + random % 500, 1);
  fg::parallel_scan(ones.begin(), ones.size(), ones.begin());
  for (std::size_t i = 0; i < ones.size(); ++i) {
    ASSERT_EQ(ones[i], i + 1);
  }
}

void call_all_workers(std::uint64_t /*random*/) {
  std::vector<std::uint32_t> calls(fg::worker::current()->home().size());
  fg::broadcast([&calls](std::size_t id) { ++calls[id]; });
  ASSERT_EQ(std::ranges::count(calls, 1U), static_cast<std::ptrdiff_t>(calls.size()));
}

void tree(std::uint64_t random) {
  const std::uint64_t nodes = grow(random, 7);
  fg::test::on_thread([&] { ASSERT_EQ(grow(random, 7), nodes); });  // not a worker: serial
}

void work_at_random(fg::pool& pool, std::uint64_t random) {
  constexpr std::array kWork{&flat_group,       &loop, &reduce, &scan,
                             &call_all_workers, &tree, &tree,   &tree};
  pool.run([&] { kWork[random % kWork.size()](mixed(random)); });
}

// A thread that posts until it is told to stop; each task records that it ran.
class poster {
 public:
  poster(fg::pool& pool, fg::atomic<std::uint64_t>& ran, std::uint64_t random)
      : thread_{[this, &pool, &ran, random]() mutable {
          while (!over_.load()) {
            random = mixed(random);
            pool.post([&ran, random] {
              dawdle(random);
              ran += random % 16 == 0 ? grow(random, 3) : 1;
            });
            expected_ += random % 16 == 0 ? grow(random, 3) : 1;  // not a worker: serial
            std::this_thread::sleep_for(std::chrono::microseconds{random % 200});
          }
        }} {}
  poster(const poster&) = delete;
  poster& operator=(const poster&) = delete;
  ~poster() = default;

  // What will have been added to `ran` after the pool has been destroyed.
  std::uint64_t end() {
    over_.store(true);
    thread_.join();
    return expected_;
  }

 private:
  fg::atomic<bool> over_{false};
  std::uint64_t expected_ = 0;
  std::thread thread_;
};

void run_under_chaos(const fg::test::pool_setting& setting) {
  fg::test::chaos_run run;
  fg::pool_options options = setting.options();
  options.spin_budget = std::chrono::microseconds{run.random() % 3 * 20};  // often asleep
  fg::atomic<std::uint64_t> posted_ran{0};
  std::uint64_t posted = 0;
  {
    fg::pool pool{options};
    poster other{pool, posted_ran, run.random()};
    while (run.goes_on() && !testing::Test::HasFailure()) {
      dawdle(run.random());
      work_at_random(pool, run.random());
    }
    posted = other.end();
  }
  EXPECT_EQ(posted_ran.load(), posted);
}

class pool_chaos : public testing::TestWithParam<fg::test::pool_setting> {};

TEST_P(pool_chaos, random_work) { run_under_chaos(GetParam()); }

TEST_P(pool_chaos, random_work_on_one_cpu) {
  fg::test::on_thread([] {
    fg::test::restrict_this_thread_to(fg::usable_cpus().front());
    run_under_chaos(GetParam());
  });
}

INSTANTIATE_TEST_SUITE_P(every_policy, pool_chaos,
                         testing::ValuesIn(fg::test::pool_settings({2, 3, 64})),
                         fg::test::name_of_pool_setting);

// Made, used and destroyed while another one works.
TEST(pools_chaos, many_come_and_go) {
  fg::test::chaos_run run;
  fg::atomic<bool> over{false};
  std::thread other{[&over, random = run.random()]() mutable {
    fg::pool lasting{fg::test::workers(3)};
    while (!over.load()) {
      random = mixed(random);
      work_at_random(lasting, random);
    }
  }};
  while (run.goes_on() && !testing::Test::HasFailure()) {
    const fg::test::pool_setting setting{
        .policy =
            std::string{
                fg::detail::kBalancingPolicies[run.random() % fg::detail::kBalancingPolicies.size()]
                    .name},
        .workers = 1 + run.random() % 8};
    fg::pool_options options = setting.options();
    options.spin_budget = std::chrono::microseconds{run.random() % 3 * 20};
    fg::atomic<std::uint64_t> ran{0};
    const std::uint64_t posted = run.random() % 20;
    {
      fg::pool pool{options};
      dawdle(run.random());
      for (std::uint64_t i = 0; i < posted; ++i) {
        pool.post([&ran] { ++ran; });
      }
      if (run.random() % 2 == 0) {
        work_at_random(pool, run.random());
      }
    }
    EXPECT_EQ(ran.load(), posted);
  }
  over.store(true);
  other.join();
}

// Branches in both ways, on assistants that are late too.
TEST(hybrid_chaos, coarse_and_fine_branches) {
  fg::test::chaos_run run;
  const std::vector<fg::detail::hybrid_cpus> cpus(
      3, {.worker_cpu = -1, .assistant_cpu = fg::usable_cpus().back()});
  fg::hybrid_pool pool{fg::test::workers(3), cpus};
  const std::function<std::uint64_t(std::uint64_t, int)> tree = [&](std::uint64_t random,
                                                                    int depth) -> std::uint64_t {
    dawdle(random >> 32U);
    if (depth == 0) {
      const auto [a, b] =
          pool.fork_join_fine([] { return std::uint64_t{1}; },
                              [random] {
                                dawdle(random);
                                return std::uint64_t{2};
                              },
                              random % 2 == 0 ? fg::offload::always : fg::offload::adaptive);
      return a + b;
    }
    const auto [a, b] = fg::fork_join([&] { return tree(mixed(random), depth - 1); },
                                      [&] { return tree(mixed(random + 1), depth - 1); });
    return a + b;
  };
  while (run.goes_on()) {
    const std::uint64_t random = run.random();
    ASSERT_EQ(pool.run([&] { return tree(random, 5); }), 3U * 32);
  }
}

}  // namespace
