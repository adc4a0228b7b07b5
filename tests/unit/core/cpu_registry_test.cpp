#include "finegrain/core/cpu_registry.hpp"

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

using fg::claimed_placement;
using fg::cpu_claim;
using fg::cpu_registry;
using fg::test::cpus_from_to;

class registry_on_i7 : public testing::Test {
 protected:
  claimed_placement claim(int main_cpu) {
    return registry_.claim_placement(host_, allowed_, main_cpu);
  }
  fg::placement again(claimed_placement& claimed, int main_cpu) {
    return registry_.choose_again(claimed.claim, host_, allowed_, main_cpu);
  }
  std::vector<int> in_use() const { return registry_.cpus_in_use(); }

  fg::topology machine_ = fg::test::i7_8700();
  fg::host_view host_{.cpus = &machine_};
  std::vector<int> allowed_ = cpus_from_to(0, 11);
  cpu_registry registry_;
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
  const claimed_placement third = claim(8);  // its own main thread's CPU is another's assistant
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

// Each CPU counts who thinks it is his.
TEST_F(registry_on_i7, never_gives_a_cpu_to_two_threads) {
  std::array<fg::atomic<int>, 12> owners{};
  fg::atomic<int> doubles{0};
  const auto work = [&](int main_cpu) {
    for (int i = 0; i < (fg::test::kSanitized ? 500 : 5000); ++i) {
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
              claimed.claim.release();  // the parent's: void here
              return own.where.assistant_cpu == 8 && in_use() == std::vector{2, 8};
            }),
            0);
  EXPECT_EQ(in_use(), (std::vector{2, 8}));
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
