// Processes with hardly any threads, files or memory: reduced operation with the reason, or a clear
// error; no result is wrong, nothing hangs.
// SPDX-License-Identifier: Apache-2.0
#include <grp.h>
#include <gtest/gtest.h>
#include <sys/resource.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdio>
#include <fstream>
#include <new>
#include <string>

#include "finegrain/host/host_view.hpp"
#include "finegrain/hybrid/hybrid_pool.hpp"
#include "finegrain/pool/policies.hpp"
#include "finegrain/pool/pool.hpp"
#include "finegrain/relic/relic.hpp"
#include "support/child_process.hpp"
#include "support/forked_fib.hpp"
#include "support/sanitizer.hpp"
#include "unit/pool/pool_setting.hpp"

namespace {

using fg::test::in_child;

// The result of a child.
enum outcome : int { right = 0, wrong = 1, not_possible_here = 2 };

int complain(const std::string& what) {
  std::fprintf(stderr, "%s\n", what.c_str());
  return wrong;
}

bool limit(int resource, rlim_t most) {
  const rlimit both{.rlim_cur = most, .rlim_max = most};
  return setrlimit(static_cast<__rlimit_resource_t>(resource), &both) == 0;
}

bool works(fg::relic& relic) {
  int ran = 0;
  for (int i = 0; i < 300; ++i) {
    relic.submit([&ran] { ++ran; });
  }
  relic.wait();
  return ran == 300;
}

bool works(fg::pool& pool) {
  return pool.run([] { return fg::test::forked_fib(15); }) == 610;
}

// ---- threads ----

// Root, and any process with its capabilities, is exempt from the limit: so this needs another
// user, with no other process. Only root can switch to one.
bool become_nobody() {
  const uid_t nobody = 20'000 + static_cast<uid_t>(getpid()) % 40'000;
  return setgroups(0, nullptr) == 0 && setgid(nobody) == 0 && setuid(nobody) == 0;
}

// Runs `body` in a process that may have `threads` threads besides its first one.
template <class Body>
int with_few_threads(rlim_t threads, Body body) {
  return in_child([&] {
    if (!become_nobody() || !limit(RLIMIT_NPROC, 1 + threads)) {
      return static_cast<int>(not_possible_here);
    }
    return body();
  });
}

// ThreadSanitizer has one, too.
constexpr bool kOwnThreads = fg::test::kSanitized;

constexpr const char* kNotRoot = "needs root's rights: to become a user who runs nothing else";

TEST(few_threads, relic_works_inline) {
  const int said = with_few_threads(0, [] {
    fg::relic relic;
    if (!relic.inline_mode() || !relic.inline_reason().starts_with("the system refused a thread")) {
      return complain("not inline: '" + relic.inline_reason() + "'");
    }
    return static_cast<int>(works(relic) ? right : wrong);
  });
  if (said == not_possible_here) {
    GTEST_SKIP() << kNotRoot;
  }
  EXPECT_EQ(said, right);
}

class few_threads_pool : public testing::TestWithParam<fg::test::pool_setting> {};

TEST_P(few_threads_pool, has_as_many_workers_as_it_gets) {
  for (const rlim_t threads : {0U, 1U, 5U}) {
    const int said = with_few_threads(threads, [threads] {
      for (int round = 0; round < 3; ++round) {  // the threads of the pool before are free again
        fg::pool pool{GetParam().options()};
        if (pool.size() > threads + 1 || (round == 0 && !kOwnThreads && pool.size() <= threads)) {
          return complain(std::to_string(pool.size()) + " workers");
        }
        if (!pool.shortage().starts_with("the system refused thread")) {
          return complain("no reason: '" + pool.shortage() + "'");
        }
        if (!works(pool)) {
          return complain("wrong result");
        }
      }
      return static_cast<int>(right);
    });
    if (said == not_possible_here) {
      GTEST_SKIP() << kNotRoot;
    }
    EXPECT_EQ(said, right) << threads << " threads";
  }
}

INSTANTIATE_TEST_SUITE_P(every_policy, few_threads_pool,
                         testing::ValuesIn(fg::test::pool_settings({64})),
                         fg::test::name_of_pool_setting);

// ---- files ----

// No file of the system can be read: the topology is unknown, there is no quota.
TEST(few_files, relic_and_pools_do_without_the_topology) {
  if (fg::test::kSanitized) {
    GTEST_SKIP() << "UndefinedBehaviorSanitizer needs pipes to look at memory";
  }
  const int said = in_child([] {
    if (!limit(RLIMIT_NOFILE, 3)) {
      return static_cast<int>(not_possible_here);
    }
    for (int file = 3; file < 64; ++file) {  // files that were open stay open
      close(file);
    }
    if (!fg::system_topology().cpus.empty()) {
      return complain("there is a topology, so there are files");
    }
    fg::relic relic;
    if (!relic.inline_mode() && relic.placement().reason != "topology unknown") {
      return complain("a CPU was chosen because of '" + relic.placement().reason + "'");
    }
    if (!works(relic)) {
      return complain("wrong result");
    }
    for (const fg::test::pool_setting& setting : fg::test::pool_settings({0, 3})) {
      fg::pool pool{setting.options()};
      if (!works(pool)) {
        return complain("wrong result");
      }
    }
    fg::hybrid_pool hybrid;
    const auto [a, b] =
        hybrid.run([&hybrid] { return hybrid.fork_join_fine([] { return 1; }, [] { return 2; }); });
    return static_cast<int>(a + b == 3 ? right : wrong);
  });
  ASSERT_NE(said, not_possible_here);
  EXPECT_EQ(said, right);
}

// ---- memory ----

// Bytes of address space of this process.
rlim_t address_space() {
  std::size_t pages = 0;
  std::ifstream{"/proc/self/statm"} >> pages;
  return static_cast<rlim_t>(pages) * static_cast<rlim_t>(sysconf(_SC_PAGESIZE));
}

// The main thread's stack grows when it is used, which a limit on the address space prevents: then
// every function call may fault. So it is used before, as far as helping may go.
[[gnu::noinline]] void grow_stack() {
  std::array<volatile char, std::size_t{6} << 20U> used;  // of the usual 8 MiB
  for (std::size_t i = 0; i < used.size(); i += 1024) {
    used[i] = 0;
  }
}

class little_memory : public testing::TestWithParam<rlim_t> {};

// Fewer workers and the reason, or std::bad_alloc; a relic works inline.
TEST_P(little_memory, is_an_error_or_fewer_threads) {
  if (fg::test::kSanitized) {
    GTEST_SKIP() << "a sanitizer needs more address space than can be limited";
  }
  const int said = in_child([] {
    grow_stack();
    if (!limit(RLIMIT_AS, address_space() + (GetParam() << 20U))) {
      return static_cast<int>(not_possible_here);
    }
    try {
      fg::relic relic;
      if (!works(relic) || relic.inline_mode() == relic.inline_reason().empty()) {
        return complain("relic: " + relic.inline_reason());
      }
    } catch (const std::bad_alloc&) {
      if (GetParam() > 16) {
        return complain("that was enough for a relic");
      }
    }
    for (const fg::test::pool_setting& setting : fg::test::pool_settings({2, 64})) {
      try {
        fg::pool pool{setting.options()};
        if (!works(pool) || (pool.size() < setting.workers) == pool.shortage().empty()) {
          return complain("pool: " + pool.shortage());
        }
      } catch (const std::bad_alloc&) {
        if (GetParam() > 16 && setting.workers == 2) {
          return complain("that was enough for two workers");
        }
      }
    }
    return static_cast<int>(right);
  });
  ASSERT_NE(said, not_possible_here);
  EXPECT_EQ(said, right);
}

INSTANTIATE_TEST_SUITE_P(mib, little_memory, testing::Values(0, 1, 4, 9, 12, 20, 40, 100, 300),
                         testing::PrintToStringParamName());

}  // namespace
