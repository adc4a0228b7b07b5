// SPDX-License-Identifier: Apache-2.0
#include "finegrain/algorithm/relic/fork_join.hpp"

#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <functional>
#include <memory>
#include <stdexcept>
#include <string>
#include <thread>
#include <type_traits>
#include <utility>
#include <variant>

#include "finegrain/relic/relic.hpp"
#include "support/busy.hpp"
#include "support/on_thread.hpp"
#include "support/restrict_to_cpu.hpp"

namespace {

using fg::test::busy_for;

// The contract is the same in all modes, with an assistant and without.
struct setting {
  fg::offload mode;
  bool assisted;
};

class fork_join : public testing::TestWithParam<setting> {
 protected:
  template <class Body>
  static void with_relic(Body&& body) {
    fg::test::on_thread([&body] {
      if (!GetParam().assisted) {
        fg::test::restrict_this_thread_to(fg::usable_cpus().front());
      }
      fg::relic relic;
      ASSERT_EQ(relic.inline_mode(), !GetParam().assisted) << relic.inline_reason();
      body(relic);
    });
  }
  static fg::offload mode() { return GetParam().mode; }
};

std::string name_of(const testing::TestParamInfo<setting>& info) {
  const char* const mode = info.param.mode == fg::offload::always  ? "always"
                           : info.param.mode == fg::offload::never ? "never"
                                                                   : "adaptive";
  return std::string{mode} + (info.param.assisted ? "_assisted" : "_inlined");
}

INSTANTIATE_TEST_SUITE_P(settings, fork_join,
                         testing::Values(setting{fg::offload::always, true},
                                         setting{fg::offload::never, true},
                                         setting{fg::offload::adaptive, true},
                                         setting{fg::offload::always, false},
                                         setting{fg::offload::adaptive, false}),
                         name_of);

TEST_P(fork_join, runs_both_branches_once_a_call) {
  with_relic([](fg::relic& relic) {
    int f = 0;
    int g = 0;
    for (int call = 1; call <= 5000; ++call) {
      fg::fork_join(relic, [&f] { ++f; }, [&g] { ++g; }, mode());
      ASSERT_EQ(f, call);
      ASSERT_EQ(g, call);
    }
  });
}

TEST_P(fork_join, returns_both_results) {
  with_relic([](fg::relic& relic) {
    for (int call = 0; call < 200; ++call) {
      const auto [f, g] = fg::fork_join(
          relic, [call] { return call; }, [call] { return std::to_string(call); }, mode());
      ASSERT_EQ(f, call);
      ASSERT_EQ(g, std::to_string(call));
    }
  });
}

TEST_P(fork_join, returns_what_can_only_be_moved_and_a_void_beside_it) {
  with_relic([](fg::relic& relic) {
    int ran = 0;
    auto [f, g] =
        fg::fork_join(relic, [&ran] { ++ran; }, [] { return std::make_unique<int>(7); }, mode());
    static_assert(std::is_same_v<decltype(f), std::monostate>);
    EXPECT_EQ(ran, 1);
    EXPECT_EQ(*g, 7);
  });
}

TEST_P(fork_join, keeps_the_state_of_a_mutable_branch) {
  with_relic([](fg::relic& relic) {
    auto g = [count = 0]() mutable { return ++count; };
    for (int call = 1; call <= 100; ++call) {
      ASSERT_EQ(fg::fork_join(relic, [] {}, g, mode()).second, call);
    }
  });
}

// Which of the two is called must not depend on the thread.
TEST_P(fork_join, calls_a_branch_that_is_not_const_as_such) {
  struct counts {
    int calls = 0;
    int operator()() { return ++calls; }
    int operator()() const { return -1; }
  };
  with_relic([](fg::relic& relic) {
    counts g;
    for (int call = 1; call <= 100; ++call) {
      ASSERT_EQ(fg::fork_join(relic, [] {}, g, mode()).second, call);
    }
    EXPECT_EQ(fg::fork_join(relic, [] {}, std::as_const(g), mode()).second, -1);
  });
}

// Captured so that the other thread finds them on the task's line.
TEST(fork_join_branches, travel_as_copies_where_nobody_can_tell) {
  using fg::detail::kIsCarriedAsCopy;
  const auto plain = [number = 1] { return number; };
  auto changing = [number = 1]() mutable { return ++number; };
  const auto quiet = [number = 1]() noexcept { return number; };
  static_assert(kIsCarriedAsCopy<decltype(plain), sizeof(void*)>);
  static_assert(kIsCarriedAsCopy<std::remove_const_t<decltype(quiet)>, sizeof(void*)>);
  static_assert(kIsCarriedAsCopy<int (*)(), sizeof(void*)>);
  static_assert(!kIsCarriedAsCopy<decltype(changing), sizeof(void*)>);
  const auto generic = [number = 1](auto index) { return number + index; };
  auto changing_generic = [number = 1](auto index) mutable { return number += index; };
  static_assert(kIsCarriedAsCopy<decltype(generic), sizeof(void*), int>);
  static_assert(!kIsCarriedAsCopy<decltype(changing_generic), sizeof(void*), int>);
  EXPECT_EQ(plain() + changing() + quiet() + generic(1) + changing_generic(1), 8);
}

TEST_P(fork_join, passes_on_what_a_branch_throws_after_both_have_run) {
  with_relic([](fg::relic& relic) {
    int ran = 0;
    EXPECT_THROW(fg::fork_join(
                     relic, [&ran] { ++ran; }, [] { throw std::runtime_error{"g"}; }, mode()),
                 std::runtime_error);
    EXPECT_EQ(ran, 1);
    EXPECT_THROW(fg::fork_join(
                     relic, [] { throw std::logic_error{"f"}; }, [&ran] { ++ran; }, mode()),
                 std::logic_error);
    EXPECT_EQ(ran, 2);
    relic.wait();  // no task is left for it
  });
}

TEST_P(fork_join, passes_on_fs_exception_when_both_throw) {
  with_relic([](fg::relic& relic) {
    for (int call = 0; call < 100; ++call) {
      EXPECT_THROW(fg::fork_join(
                       relic, [] { throw std::logic_error{"f"}; },
                       [] { throw std::runtime_error{"g"}; }, mode()),
                   std::logic_error);
    }
  });
}

TEST_P(fork_join, leaves_the_exceptions_of_earlier_tasks_to_wait) {
  with_relic([](fg::relic& relic) {
    relic.submit([] { throw std::runtime_error{"earlier"}; });
    int ran = 0;
    fg::fork_join(relic, [&ran] { ++ran; }, [&ran] { ran += 0; }, fg::offload::never);
    fg::fork_join(relic, [&ran] { ++ran; }, [] {}, mode());
    EXPECT_EQ(ran, 2);
    EXPECT_THROW(relic.wait(), std::runtime_error);
  });
}

int fibonacci(fg::relic& relic, int n, fg::offload mode) {
  if (n < 2) {
    return n;
  }
  const auto [a, b] = fg::fork_join(
      relic, [&] { return fibonacci(relic, n - 1, mode); },
      [&] { return fibonacci(relic, n - 2, mode); }, mode);
  return a + b;
}

TEST_P(fork_join, nests_on_main_and_on_the_assistant) {
  with_relic([](fg::relic& relic) { EXPECT_EQ(fibonacci(relic, 18, mode()), 2584); });
}

TEST_P(fork_join, nests_deeper_than_the_queue_is_long) {
  with_relic([](fg::relic& relic) {
    std::atomic<int> ran{0};  // branches run on both threads
    std::function<void(int)> nest = [&](int depth) {
      if (depth != 0) {
        fg::fork_join(relic, [&] { nest(depth - 1); }, [&ran] { ++ran; }, mode());
      }
    };
    nest(300);
    EXPECT_EQ(ran, 300);
  });
}

TEST_P(fork_join, runs_here_on_a_foreign_thread) {
  with_relic([](fg::relic& relic) {
    fg::test::on_thread([&relic] {
      std::thread::id g_thread;
      for (int call = 0; call < 1000; ++call) {
        fg::fork_join(relic, [] {}, [&g_thread] { g_thread = std::this_thread::get_id(); }, mode());
        ASSERT_EQ(g_thread, std::this_thread::get_id());
      }
    });
  });
}

TEST_P(fork_join, inside_a_task_runs_here) {
  with_relic([](fg::relic& relic) {
    std::thread::id task_thread;
    std::thread::id g_thread;
    relic.submit([&] {
      task_thread = std::this_thread::get_id();
      fg::fork_join(relic, [] {}, [&] { g_thread = std::this_thread::get_id(); }, mode());
    });
    relic.wait();
    EXPECT_EQ(g_thread, task_thread);
  });
}

TEST(fork_join_modes, always_uses_the_assistant_and_never_does_not) {
  fg::relic relic{{.main_helps = false}};
  ASSERT_FALSE(relic.inline_mode()) << relic.inline_reason();
  std::thread::id g_thread;
  const auto g = [&g_thread] { g_thread = std::this_thread::get_id(); };
  for (int call = 0; call < 100; ++call) {
    fg::fork_join(relic, [] {}, g, fg::offload::always);
    ASSERT_NE(g_thread, std::this_thread::get_id());
    fg::fork_join(relic, [] {}, g, fg::offload::never);
    ASSERT_EQ(g_thread, std::this_thread::get_id());
  }
  EXPECT_EQ(relic.counters().tasks, 100U);
  EXPECT_EQ(relic.counters().tasks_inlined, 100U);
}

// Branches that are certainly short, and ones that are certainly long. On a busy machine the latter
// may fail a trial, and the next one comes later; hence the loop until 20 in a row were handed
// over.
TEST(fork_join_modes, adaptive_hands_over_long_branches_and_keeps_short_ones) {
  fg::relic relic;
  ASSERT_FALSE(relic.inline_mode()) << relic.inline_reason();
  relic.wake_up_hint();
  int sum = 0;
  for (int call = 0; call < 100'000; ++call) {
    fg::fork_join(relic, [&sum] { ++sum; }, [] {});
  }
  EXPECT_EQ(sum, 100'000);
  EXPECT_GE(relic.counters().tasks_inlined, 100'000U - 1024U);
  relic.sleep_hint();  // long branches are worth a wake-up
  const auto until = std::chrono::steady_clock::now() + std::chrono::seconds{60};
  int in_a_row = 0;
  while (in_a_row < 20 && std::chrono::steady_clock::now() < until) {
    const std::uint64_t tasks = relic.counters().tasks;
    fg::fork_join(
        relic, [] { busy_for(std::chrono::microseconds{200}); },
        [] { busy_for(std::chrono::microseconds{200}); });
    in_a_row = relic.counters().tasks == tasks ? 0 : in_a_row + 1;
  }
  EXPECT_EQ(in_a_row, 20);
}

TEST(fork_join_modes, takes_a_named_site_for_type_erased_branches) {
  fg::relic relic;
  fg::call_site site;
  int ran = 0;
  const std::function<void()> branch = [&ran] { ++ran; };
  fg::fork_join(relic, site, branch, [] {});
  fg::fork_join(relic, site, +[] {}, branch, fg::offload::always);
  EXPECT_EQ(ran, 2);
}

}  // namespace
