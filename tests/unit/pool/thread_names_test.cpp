// The names of a pool's threads in debuggers and `top`.
// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "finegrain/pool/pool.hpp"
#include "finegrain/relic/relic.hpp"
#include "support/process_threads.hpp"

#if defined(__linux__) || defined(_WIN32)
namespace {

using fg::test::names_of_threads;

TEST(thread_names, workers_are_numbered) {
  const fg::pool pool{{.workers = 4}};
  ASSERT_EQ(pool.size(), 4U);
  EXPECT_EQ(names_of_threads("fg-worker"),
            (std::vector<std::string>{"fg-worker-1", "fg-worker-2", "fg-worker-3"}));
}

TEST(thread_names, may_be_chosen) {
  const fg::pool pool{{.workers = 3, .thread_name = "a_name_that_is_long"}};
  EXPECT_EQ(names_of_threads("a_name"),
            (std::vector<std::string>{"a_name_that_i-1", "a_name_that_i-2"}));
  const fg::relic relic{{.thread_name = "my assistant, renamed"}};
  EXPECT_EQ(names_of_threads("my as").size(), relic.inline_mode() ? 0U : 1U);
}

}  // namespace
#endif
