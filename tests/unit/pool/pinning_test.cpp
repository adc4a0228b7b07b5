// Which pools of a process pin their threads, and to which CPUs.
// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <algorithm>
#include <cstddef>
#include <memory>
#include <thread>
#include <vector>

#include "finegrain/algorithm/pool/broadcast.hpp"
#include "finegrain/core/atomic.hpp"
#include "finegrain/host/affinity.hpp"
#include "finegrain/host/cpu_registry.hpp"
#include "finegrain/hybrid/hybrid_pool.hpp"
#include "finegrain/pool/pool.hpp"
#include "finegrain/pool/pool_cpus.hpp"
#include "finegrain/pool/pool_options.hpp"
#include "finegrain/relic/relic.hpp"
#include "fixtures/machines.hpp"
#include "support/child_process.hpp"
#include "support/environment_variable.hpp"
#include "support/forked_fib.hpp"
#include "support/on_thread.hpp"
#include "support/restrict_to_cpu.hpp"
#include "unit/pool/pool_setting.hpp"

namespace {

using fg::worker_pinning;
using fg::worker_placement;
using fg::test::workers;

// ---- on a simulated machine ----

class two_pools_on_i7 : public testing::Test {
 protected:
  fg::detail::claimed_pool_cpus claim(std::size_t workers, int main_cpu,
                                      worker_pinning pinning = worker_pinning::automatic) {
    return fg::detail::claim_pool_cpus(registry_, host_, allowed_, main_cpu,
                                       worker_placement::every_cpu, pinning, workers);
  }

  fg::topology machine_ = fg::test::i7_8700();
  fg::host_view host_{.cpus = &machine_};
  std::vector<int> allowed_ = fg::test::cpus_from_to(0, 11);
  fg::shared::cpu_books books_;
  fg::detail::cpu_registry registry_{books_};
};

TEST_F(two_pools_on_i7, have_cpus_of_their_own) {
  const fg::detail::claimed_pool_cpus first = claim(3, 0);
  const fg::detail::claimed_pool_cpus second = claim(4, 0);
  EXPECT_EQ(first.cpus, (std::vector{-1, 1, 2}));
  EXPECT_EQ(second.cpus, (std::vector{-1, 3, 4, 5}));
  const fg::detail::claimed_pool_cpus third =
      claim(2, 1);  // a thread of the first pool is pinned to 1
  EXPECT_EQ(third.callers_cpu, 7);
  EXPECT_EQ(third.cpus, (std::vector{-1, 6}));
}

TEST_F(two_pools_on_i7, are_not_both_tied_where_one_has_all) {
  {
    const fg::detail::claimed_pool_cpus first = claim(0, 0);
    EXPECT_EQ(first.cpus.size(), 12U);
    EXPECT_EQ(std::ranges::count(first.cpus, -1), 1);
    const fg::detail::claimed_pool_cpus second = claim(0, 5);
    EXPECT_EQ(second.cpus, std::vector<int>(12, -1));
    EXPECT_TRUE(second.claim.empty());
  }
  EXPECT_EQ(std::ranges::count(claim(0, 5).cpus, -1), 1);
}

TEST_F(two_pools_on_i7, share_cpus_where_the_user_says_so) {
  const fg::detail::claimed_pool_cpus first = claim(3, 0);
  EXPECT_EQ(claim(3, 0, worker_pinning::always).cpus, first.cpus);
  EXPECT_EQ(registry_.cpus_of_pools(), (std::vector{0, 1, 2}));
}

TEST_F(two_pools_on_i7, claim_nothing_where_nobody_is_tied) {
  const fg::detail::claimed_pool_cpus loose = claim(0, 0, worker_pinning::never);
  EXPECT_EQ(loose.cpus, std::vector<int>(12, -1));
  const fg::detail::claimed_pool_cpus many = claim(13, 0);
  const fg::detail::claimed_pool_cpus one = claim(1, 0);
  EXPECT_TRUE(loose.claim.empty() && many.claim.empty() && one.claim.empty());
  EXPECT_TRUE(registry_.cpus_of_pools().empty());
}

TEST_F(two_pools_on_i7, leave_relics_theirs) {
  const fg::detail::claimed_placement relic = registry_.claim_placement(host_, allowed_, 0);
  ASSERT_EQ(relic.where.assistant_cpu, 6);
  const fg::detail::claimed_pool_cpus pool = claim(0, 0);
  EXPECT_EQ(std::ranges::count(pool.cpus, 6), 0);
  EXPECT_EQ(std::ranges::count(pool.cpus, -1), 2);
}

// ---- on this machine ----

std::vector<int> tied(const fg::pool& pool) {
  std::vector<int> cpus = pool.cpus();
  std::erase(cpus, -1);
  return cpus;
}

fg::pool_options full_size(worker_pinning pinning = worker_pinning::automatic) {
  fg::pool_options options = workers(std::max<std::size_t>(fg::allowed_cpus().size(), 2));
  options.placement = worker_placement::every_cpu;
  options.pinning = pinning;
  return options;
}

bool has_one_cpu() { return fg::allowed_cpus().size() < 2; }

// How many threads a pool pins without competition: all but the caller; with one CPU none.
std::size_t most_tied(const fg::pool& pool) { return has_one_cpu() ? 0 : pool.size() - 1; }

// The CPUs that each worker may use, pinned or not.
std::vector<std::vector<int>> usable_by(fg::pool& pool) {
  std::vector<std::vector<int>> usable(pool.size());
  fg::broadcast(pool, [&](std::size_t id) { usable[id] = fg::usable_cpus(); });
  return usable;
}

TEST(pinning, ties_no_two_pools_to_one_cpu_and_the_next_one_when_the_first_is_over) {
  auto first = std::make_unique<fg::pool>(full_size());
  EXPECT_EQ(tied(*first).size(), most_tied(*first));
  {
    fg::pool second{full_size()};
    EXPECT_TRUE(tied(second).empty());
    EXPECT_EQ(usable_by(second).back(), fg::allowed_cpus());
    EXPECT_EQ(second.run([] { return fg::test::forked_fib(12); }), 144);
  }
  first.reset();
  EXPECT_TRUE(fg::detail::cpu_registry::of_process().cpus_of_pools().empty());
  const fg::pool third{full_size()};
  EXPECT_EQ(tied(third).size(), most_tied(third));
}

TEST(pinning, ties_nobody_where_the_options_say_so) {
  fg::pool pool{full_size(worker_pinning::never)};
  EXPECT_TRUE(tied(pool).empty());
  for (const std::vector<int>& usable : usable_by(pool)) {
    EXPECT_EQ(usable, fg::allowed_cpus());
  }
  EXPECT_TRUE(fg::detail::cpu_registry::of_process().cpus_of_pools().empty());
}

TEST(pinning, ties_two_pools_alike_where_the_options_say_so) {
  const fg::pool first{full_size()};
  const fg::pool second{full_size(worker_pinning::always)};
  EXPECT_EQ(tied(second).size(), most_tied(second));
}

TEST(pinning, is_that_of_the_environment_where_the_options_say_nothing) {
  fg::pool_options unsaid = full_size();
  unsaid.pinning.reset();
  {
    const fg::test::environment_variable never{"FINEGRAIN_PINNING", "never"};
    const fg::pool loose{unsaid};
    EXPECT_TRUE(tied(loose).empty());
    const fg::pool told{full_size()};
    EXPECT_EQ(tied(told).empty(), has_one_cpu());
  }
  const fg::test::environment_variable always{"FINEGRAIN_PINNING", "always"};
  EXPECT_EQ(tied(fg::pool{unsaid}).empty(), has_one_cpu());
}

// A thread inherits the CPUs of its creator.
TEST(pinning, leaves_the_untied_all_cpus_whoever_makes_them) {
  const std::vector<int> all = fg::allowed_cpus();
  fg::test::on_thread([&] {
    ASSERT_FALSE(fg::pin_this_thread(all.front()));
    fg::pool loose{full_size(worker_pinning::never)};
    EXPECT_EQ(usable_by(loose).back(), all);
    std::vector<int> usable;
    // The spare thread is the only one of a pool of one worker.
    fg::pool one{workers(1)};
    fg::atomic<bool> ran{false};
    one.post([&] {
      usable = fg::usable_cpus();
      ran = true;
    });
    while (!ran) {
      std::this_thread::yield();
    }
    EXPECT_EQ(usable, all);
  });
}

// The worker yields its CPU to a caller that has arrived there: the registry knows.
TEST(pinning, claims_the_cpu_to_which_a_worker_moves) {
  fg::pool_options two = workers(2);
  two.placement = worker_placement::every_cpu;
  fg::pool pool{two};
  const int before = pool.cpus()[1];
  if (!has_one_cpu()) {
    fg::test::on_thread([&] {
      fg::test::restrict_this_thread_to(before);
      pool.run([] {});
    });
    EXPECT_NE(pool.cpus()[1], before);
  }
  std::vector<int> seen;
  const fg::detail::pool_cpu_claim none = fg::detail::cpu_registry::of_process().claim_for_pool(
      [&](const fg::detail::claimed_cpus& others) {
        seen = others.tied;
        return std::vector<fg::detail::pool_cpu>{};
      });
  EXPECT_EQ(seen, tied(pool));
}

TEST(pinning, costs_no_relic_its_assistant) {
  const fg::relic alone;
  const fg::pool pool{full_size()};
  const std::vector<int> cpus = tied(pool);
  if (alone.placement().assistant_cpu) {
    EXPECT_EQ(std::ranges::count(cpus, *alone.placement().assistant_cpu), 0);
  }
}

TEST(pinning, leaves_a_relic_made_after_a_full_pool_its_assistant) {
  bool inline_without = false;
  {
    inline_without = fg::relic{}.inline_mode();
  }
  const fg::pool pool{full_size()};
  const fg::relic relic;
  EXPECT_EQ(relic.inline_mode(), inline_without) << relic.inline_reason();
}

TEST(pinning, knows_the_cpus_of_a_hybrid_pool) {
  fg::hybrid_pool hybrid{workers(2)};
  const std::vector<int> of_hybrid = fg::detail::cpu_registry::of_process().cpus_of_pools();
  for (const fg::detail::hybrid_cpus& each : hybrid.cpus()) {
    if (each.assistant_cpu) {
      EXPECT_EQ(std::ranges::count(of_hybrid, *each.assistant_cpu), 1);
    }
  }
  EXPECT_EQ(tied(hybrid.workers()).size(), most_tied(hybrid.workers()));
  const fg::pool beside{full_size()};
  for (const int cpu : tied(beside)) {
    EXPECT_EQ(std::ranges::count(of_hybrid, cpu), 0);
  }
}

TEST(pinning, starts_anew_in_a_forked_child) {
  FINEGRAIN_TEST_NEEDS_FORK;
  const fg::pool pool{full_size()};
  EXPECT_EQ(fg::test::in_child([&] {
              const fg::pool own{full_size()};
              return tied(own).empty() == has_one_cpu() ? 0 : 1;
            }),
            0);
  auto inherited = std::make_unique<fg::pool>(full_size(worker_pinning::always));
  EXPECT_EQ(fg::test::in_child([&] {
              const fg::pool own{full_size()};
              const std::vector<int> before =
                  fg::detail::cpu_registry::of_process().cpus_of_pools();
              inherited.reset();
              return fg::detail::cpu_registry::of_process().cpus_of_pools() == before ? 0 : 1;
            }),
            0);
}

}  // namespace
