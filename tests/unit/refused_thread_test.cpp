// The system refuses threads: a relic works inline, a pool with fewer workers, and both report why.
// SPDX-License-Identifier: Apache-2.0
#include <dlfcn.h>
#include <gtest/gtest.h>
#include <pthread.h>

#include <algorithm>
#include <cerrno>
#include <cstddef>
#include <string>

#include "finegrain/algorithm/pool/fork_join.hpp"
#include "finegrain/host/affinity.hpp"
#include "finegrain/host/cpu_registry.hpp"
#include "finegrain/pool/pool.hpp"
#include "finegrain/relic/relic.hpp"

namespace {

bool refuse_threads = false;
int threads_until_refusal = 0;

}  // namespace

// Replaces the C library's, also for std::thread.
// NOLINTNEXTLINE(readability-inconsistent-declaration-parameter-name): glibc's are reserved names
extern "C" int pthread_create(pthread_t* thread, const pthread_attr_t* attributes,
                              void* (*routine)(void*), void* argument) {
  using create = int (*)(pthread_t*, const pthread_attr_t*, void* (*)(void*), void*);
  static const auto real = reinterpret_cast<create>(dlsym(RTLD_NEXT, "pthread_create"));
  if (refuse_threads && threads_until_refusal-- <= 0) {
    return EAGAIN;
  }
  return real(thread, attributes, routine, argument);
}

namespace {

TEST(relic, works_inline_when_a_thread_is_refused) {
  refuse_threads = true;
  int ran = 0;
  {
    fg::relic relic;
    refuse_threads = false;
    EXPECT_TRUE(relic.inline_mode());
    EXPECT_EQ(relic.inline_reason().find("the system refused a thread: "), 0U)
        << relic.inline_reason();
    relic.submit([&ran] { ++ran; });
    EXPECT_EQ(ran, 1);
    relic.sleep_hint();
    EXPECT_TRUE(relic.try_submit([&ran] { ++ran; }));
    relic.wait();
    relic.submit([&ran] { ++ran; });
  }
  EXPECT_EQ(ran, 3);
}

TEST(relic, works_inline_on_a_refused_thread_also_with_a_cpu_asked_for) {
  refuse_threads = true;
  const fg::relic relic{{.assistant_cpu = 0}};
  refuse_threads = false;
  EXPECT_TRUE(relic.inline_mode());
}

TEST(pool, has_as_many_workers_as_threads_are_granted) {
  for (const int granted : {0, 1, 2}) {
    fg::pool_options options;
    options.workers = 4;
    refuse_threads = true;
    threads_until_refusal = granted;
    fg::pool pool{options};
    refuse_threads = false;
    threads_until_refusal = 0;
    EXPECT_EQ(pool.size(), static_cast<std::size_t>(granted) + 1);
    EXPECT_EQ(pool.cpus().size(), pool.size());
    EXPECT_EQ(pool.shortage().find("the system refused thread " + std::to_string(granted + 1)), 0U)
        << pool.shortage();
    EXPECT_EQ(pool.run([] {
      const auto [a, b] = fg::fork_join([] { return 1; }, [] { return 2; });
      return a + b;
    }),
              3);
  }
}

// 4 workers, or as many as there are CPUs: each of them would be pinned.
TEST(pool, claims_no_cpu_for_a_thread_that_is_refused) {
  fg::pool_options options;
  options.workers = std::min<std::size_t>(4, fg::allowed_cpus().size());
  options.placement = fg::worker_placement::every_cpu;
  for (int granted = 0; granted < static_cast<int>(options.workers); ++granted) {
    refuse_threads = true;
    threads_until_refusal = granted;
    const fg::pool pool{options};
    refuse_threads = false;
    threads_until_refusal = 0;
    // The caller's, too, if any worker is pinned.
    EXPECT_EQ(fg::detail::cpu_registry::of_process().cpus_of_pools().size(),
              static_cast<std::size_t>(granted == 0 ? 0 : granted + 1));
  }
}

TEST(relic, has_an_assistant_when_threads_are_granted) {
  const fg::relic relic;
  EXPECT_FALSE(relic.inline_mode()) << relic.inline_reason();
}

}  // namespace
