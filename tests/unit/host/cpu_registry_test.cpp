// SPDX-License-Identifier: Apache-2.0
#include "finegrain/host/cpu_registry.hpp"

#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cstdio>
#include <thread>
#include <vector>

#include "finegrain/core/atomic.hpp"
#include "fixtures/machines.hpp"
#include "support/sanitizer.hpp"

namespace {

using fg::detail::claimed_placement;
using fg::detail::cpu_claim;
using fg::detail::cpu_registry;
using fg::test::cpus_from_to;

class registry_on_i7 : public testing::Test {
 protected:
  claimed_placement claim(int main_cpu) {
    return registry_.claim_placement(host_, allowed_, main_cpu);
  }
  fg::placement again(claimed_placement& claimed, int main_cpu) {
    return registry_.choose_again(claimed.claim, host_, allowed_, main_cpu);
  }
  [[nodiscard]] std::vector<int> in_use() const { return registry_.cpus_in_use(); }

  fg::topology machine_ = fg::test::i7_8700();
  fg::host_view host_{.cpus = &machine_};
  std::vector<int> allowed_ = cpus_from_to(0, 11);
  fg::shared::cpu_books books_;
  cpu_registry registry_{books_};
};

TEST_F(registry_on_i7, holds_both_cpus_while_the_claim_lives) {
  {
    const claimed_placement claimed = claim(2);
    EXPECT_EQ(claimed.where.assistant_cpu, 8);
    EXPECT_FALSE(claimed.claim.empty());
    EXPECT_EQ(in_use(), (std::vector{2, 8}));
  }
  EXPECT_TRUE(in_use().empty());
}

TEST_F(registry_on_i7, the_second_relic_gets_the_next_best) {
  const claimed_placement first = claim(2);
  const claimed_placement second = claim(2);
  EXPECT_EQ(second.where.assistant_cpu, 0);
  EXPECT_EQ(second.where.reason, "sibling already serves another relic");
  EXPECT_EQ(in_use(), (std::vector{0, 2, 8}));
}

TEST_F(registry_on_i7, a_main_threads_cpu_serves_no_other_assistant) {
  const claimed_placement first = claim(2);
  const claimed_placement second = claim(3);
  EXPECT_EQ(second.where.assistant_cpu, 9);
  allowed_ = {2, 3, 8, 9};
  const claimed_placement third = claim(8);  // its own main thread's CPU has another's assistant
  EXPECT_EQ(third.where.assistant_cpu, std::nullopt);
  EXPECT_EQ(third.where.reason, "every usable CPU already serves a relic");
  EXPECT_TRUE(third.claim.empty());
}

TEST_F(registry_on_i7, a_shared_main_cpu_is_taken_until_the_last_claim_ends) {
  claimed_placement first = claim(2);
  claimed_placement second = claim(2);
  first.claim.release();
  EXPECT_EQ(in_use(), (std::vector{0, 2}));
  first.claim.release();  // empty: nothing happens
  EXPECT_EQ(in_use(), (std::vector{0, 2}));
  second.claim.release();
  EXPECT_TRUE(in_use().empty());
}

TEST_F(registry_on_i7, inline_mode_claims_nothing) {
  allowed_ = {2};
  EXPECT_TRUE(claim(2).claim.empty());
  EXPECT_TRUE(in_use().empty());
}

TEST_F(registry_on_i7, a_cpu_that_the_user_named_is_counted) {
  cpu_claim first = registry_.claim(2, 8);
  const cpu_claim second = registry_.claim(2, 8);
  EXPECT_EQ(claim(2).where.assistant_cpu, 0);
  first.release();
  EXPECT_EQ(claim(2).where.assistant_cpu, 0);
  EXPECT_EQ(in_use(), (std::vector{2, 8}));
  const cpu_claim unknown = registry_.claim(-1, 4);
  EXPECT_EQ(in_use(), (std::vector{2, 4, 8}));
}

TEST_F(registry_on_i7, moves_with_the_main_thread) {
  claimed_placement claimed = claim(2);
  const fg::placement moved = again(claimed, 3);
  EXPECT_EQ(moved.main_cpu, 3);
  EXPECT_EQ(moved.assistant_cpu, 9);
  EXPECT_EQ(in_use(), (std::vector{3, 9}));
  claimed.claim.release();
  EXPECT_TRUE(in_use().empty());
}

TEST_F(registry_on_i7, may_swap_its_two_cpus) {
  claimed_placement claimed = claim(2);
  EXPECT_EQ(again(claimed, 8).assistant_cpu, 2);
  EXPECT_EQ(in_use(), (std::vector{2, 8}));
}

TEST_F(registry_on_i7, stays_where_nothing_is_nearer) {
  allowed_ = cpus_from_to(0, 5);
  claimed_placement claimed = claim(0);
  ASSERT_EQ(claimed.where.assistant_cpu, 1);
  EXPECT_EQ(again(claimed, 3).assistant_cpu, 1);
  EXPECT_EQ(in_use(), (std::vector{1, 3}));
}

TEST_F(registry_on_i7, another_relics_like_pair_still_counts_when_one_moves) {
  claimed_placement named{.where = {}, .claim = registry_.claim(2, 8)};
  const cpu_claim same = registry_.claim(2, 8);
  EXPECT_EQ(again(named, 2).assistant_cpu, 0);
}

TEST_F(registry_on_i7, keeps_its_place_where_no_other_is_left) {
  claimed_placement claimed = claim(2);
  allowed_ = {8};
  EXPECT_EQ(again(claimed, 8).reason, "one usable CPU");
  EXPECT_EQ(in_use(), (std::vector{2, 8}));
}

TEST_F(registry_on_i7, a_claim_can_be_moved) {
  claimed_placement claimed = claim(2);
  cpu_claim other = std::move(claimed.claim);
  EXPECT_TRUE(claimed.claim.empty());  // NOLINT(bugprone-use-after-move): the promise
  EXPECT_EQ(in_use(), (std::vector{2, 8}));
  other = registry_.claim(3, 9);  // gives 2 and 8 back
  EXPECT_EQ(in_use(), (std::vector{3, 9}));
  cpu_claim& self = other;
  other = std::move(self);
  EXPECT_EQ(in_use(), (std::vector{3, 9}));
}

TEST_F(registry_on_i7, the_books_of_the_process_are_always_the_same) {
  EXPECT_EQ(&cpu_registry::of_process(), &cpu_registry::of_process());
}

// Each CPU counts the threads that consider it theirs.
TEST_F(registry_on_i7, never_gives_a_cpu_to_two_threads) {
  std::array<fg::atomic<int>, 12> owners{};
  fg::atomic<int> doubles{0};
  const auto work = [&](int main_cpu) {
    for (int i = 0; i < (fg::test::kSlow ? 500 : 5000); ++i) {
      claimed_placement claimed = claim(main_cpu);
      if (claimed.where.assistant_cpu) {
        auto& owner = owners.at(static_cast<std::size_t>(*claimed.where.assistant_cpu));
        doubles += owner.fetch_add(1) != 0 ? 1 : 0;
        std::this_thread::yield();
        owner.fetch_sub(1);
      }
    }
  };
  std::vector<std::thread> threads;
  threads.reserve(8);
  for (int i = 0; i < 8; ++i) {
    threads.emplace_back(work, i % 3);
  }
  for (std::thread& thread : threads) {
    thread.join();
  }
  EXPECT_EQ(doubles, 0);
  EXPECT_TRUE(in_use().empty());
}

// ---- pools ----

std::vector<fg::detail::pool_cpu> pool_of(const std::vector<int>& tied, int callers) {
  std::vector<fg::detail::pool_cpu> cpus{{.cpu = callers, .is_tied = false}};
  for (const int cpu : tied) {
    cpus.push_back({.cpu = cpu, .is_tied = true});
  }
  return cpus;
}

class registry_with_pools : public registry_on_i7 {
 protected:
  fg::detail::pool_cpu_claim claim_pool(std::vector<int> tied, int callers) {
    return registry_.claim_for_pool(
        [&](const fg::detail::claimed_cpus&) { return pool_of(tied, callers); });
  }
  fg::detail::claimed_cpus seen_by_a_pool() {
    fg::detail::claimed_cpus seen;
    EXPECT_TRUE(registry_
                    .claim_for_pool([&](const fg::detail::claimed_cpus& others) {
                      seen = others;
                      return std::vector<fg::detail::pool_cpu>{};
                    })
                    .empty());
    return seen;
  }
  [[nodiscard]] std::vector<int> of_pools() const { return registry_.cpus_of_pools(); }
};

TEST_F(registry_with_pools, tells_a_pool_what_others_have) {
  const claimed_placement relic = claim(2);
  const fg::detail::pool_cpu_claim pool = claim_pool({3, 4}, 2);
  const fg::detail::claimed_cpus seen = seen_by_a_pool();
  EXPECT_EQ(seen.tied, (std::vector{8, 3, 4}));
  EXPECT_EQ(seen.callers, (std::vector{2, 2}));
  EXPECT_EQ(in_use(), (std::vector{2, 8}));
  EXPECT_EQ(of_pools(), (std::vector{2, 3, 4}));
}

TEST_F(registry_with_pools, gives_a_relic_what_no_pool_has) {
  const fg::detail::pool_cpu_claim pool = claim_pool({8, 0, 1}, 2);
  const claimed_placement relic = claim(2);
  EXPECT_EQ(relic.where.assistant_cpu, 3);
  EXPECT_EQ(relic.where.reason, "sibling serves a pool");
  EXPECT_EQ(seen_by_a_pool().tied, (std::vector{3, 8, 0, 1}));
}

TEST_F(registry_with_pools, gives_a_relic_what_a_pool_has_before_none) {
  const fg::detail::pool_cpu_claim pool = claim_pool({0, 1, 3, 4, 5, 6, 7, 8, 9, 10, 11}, 2);
  claimed_placement first = claim(2);
  EXPECT_EQ(first.where.assistant_cpu, 8);
  EXPECT_EQ(first.where.reason, "SMT sibling");
  EXPECT_EQ(claim(2).where.assistant_cpu, 0);
  EXPECT_EQ(again(first, 3).assistant_cpu, 9);
}

TEST_F(registry_with_pools, counts_the_pools_of_a_cpu) {
  fg::detail::pool_cpu_claim first = claim_pool({3}, 2);
  fg::detail::pool_cpu_claim second = claim_pool({3}, 2);
  first.release();
  first.release();  // empty: nothing happens
  EXPECT_EQ(of_pools(), (std::vector{2, 3}));
  fg::detail::pool_cpu_claim moved{std::move(second)};
  EXPECT_TRUE(second.empty());  // NOLINT(bugprone-use-after-move): the promise
  moved = claim_pool({5}, 4);
  EXPECT_EQ(of_pools(), (std::vector{4, 5}));
  fg::detail::pool_cpu_claim& self = moved;
  moved = std::move(self);
  EXPECT_EQ(of_pools(), (std::vector{4, 5}));
  moved.release();
  EXPECT_TRUE(of_pools().empty());
}

TEST_F(registry_with_pools, takes_back_the_cpus_of_threads_that_there_are_not) {
  fg::detail::pool_cpu_claim pool = claim_pool({3, 4, 5}, 2);
  pool.keep_only(std::vector{-1, 3, -1, 5});
  EXPECT_EQ(of_pools(), (std::vector{2, 3, 5}));
  pool.keep_only(std::vector{-1});
  EXPECT_TRUE(pool.empty());
  EXPECT_TRUE(of_pools().empty());
}

TEST_F(registry_with_pools, lets_a_worker_and_the_caller_swap) {
  fg::detail::pool_cpu_claim pool = claim_pool({3, 4}, 2);
  EXPECT_TRUE(pool.try_swap(3, 2));
  EXPECT_EQ(seen_by_a_pool().tied, (std::vector{2, 4}));
  EXPECT_EQ(seen_by_a_pool().callers, (std::vector{3}));
  pool.release();
  EXPECT_TRUE(of_pools().empty());
}

// One thread has made both pools, and has been on CPU 4 since.
TEST_F(registry_with_pools, ties_no_two_threads_to_a_cpu_that_two_callers_leave) {
  fg::detail::pool_cpu_claim first = claim_pool({3}, 2);
  fg::detail::pool_cpu_claim second = claim_pool({4}, 2);
  EXPECT_TRUE(first.try_swap(3, 2));
  EXPECT_FALSE(second.try_swap(4, 2));
  EXPECT_TRUE(first.try_swap(2, 3));
  EXPECT_TRUE(second.try_swap(4, 2));
  const claimed_placement relic = claim(5);
  fg::detail::pool_cpu_claim third = claim_pool({6}, 11);
  EXPECT_FALSE(third.try_swap(6, 11));
}

TEST_F(registry_with_pools, keeps_the_cpus_of_threads_that_go_on_for_ever) {
  fg::detail::pool_cpu_claim pool = claim_pool({3}, 2);
  pool.abandon();
  EXPECT_TRUE(pool.empty());
  pool.release();
  EXPECT_EQ(of_pools(), (std::vector{2, 3}));
}

// ---- fork ----

template <class Body>
int in_child(Body body) {
  std::fflush(nullptr);
  const pid_t child = fork();
  if (child == 0) {
    alarm(20);  // a lock that stayed locked ends the child
    _exit(body() ? 0 : 1);
  }
  int status = 0;
  waitpid(child, &status, 0);
  return status;
}

TEST_F(registry_on_i7, starts_anew_in_a_forked_child) {
  claimed_placement claimed = claim(2);
  EXPECT_EQ(in_child([&] {
              registry_.reset_after_fork_in_child();
              if (!in_use().empty()) {
                return false;
              }
              const claimed_placement own = claim(2);
              claimed.claim.release();  // the parent's: no effect here
              return own.where.assistant_cpu == 8 && in_use() == std::vector{2, 8};
            }),
            0);
  EXPECT_EQ(in_use(), (std::vector{2, 8}));
}

TEST_F(registry_with_pools, the_child_of_a_fork_has_no_pools) {
  fg::detail::pool_cpu_claim pool = claim_pool({3, 4}, 2);
  EXPECT_EQ(in_child([&] {
              registry_.reset_after_fork_in_child();
              if (!of_pools().empty()) {
                return false;
              }
              const fg::detail::pool_cpu_claim own = claim_pool({3}, 2);
              const bool swapped = pool.try_swap(3, 2);  // the parent's: no effect here
              pool.release();
              return !swapped && of_pools() == std::vector{2, 3};
            }),
            0);
  EXPECT_EQ(of_pools(), (std::vector{2, 3, 4}));
}

TEST_F(registry_on_i7, a_fork_while_another_thread_is_at_the_books) {
  fg::atomic<bool> stop{false};
  std::thread other{[&] {
    while (!stop) {
      static_cast<void>(claim(5));
    }
  }};
  int failed = 0;
  for (int i = 0; i < 50; ++i) {
    failed += in_child([&] {
                registry_.reset_after_fork_in_child();
                return claim(2).where.assistant_cpu == 8;
              }) != 0
                  ? 1
                  : 0;
  }
  stop = true;
  other.join();
  EXPECT_EQ(failed, 0);
}

}  // namespace
