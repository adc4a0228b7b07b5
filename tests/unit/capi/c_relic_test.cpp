// A relic by the C interface.
// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>
#include <pthread.h>
#include <sched.h>
#include <unistd.h>

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <numeric>
#include <stdexcept>
#include <string>
#include <vector>

#include "finegrain/finegrain.h"

namespace {

class c_relic : public testing::Test {
 protected:
  c_relic() { EXPECT_EQ(fg_relic_create(nullptr, &relic_), FG_OK) << fg_last_error(); }
  ~c_relic() override { fg_relic_destroy(relic_); }

  fg_relic* relic_ = nullptr;
};

void count_up(void* number) { ++*static_cast<int*>(number); }
void fails(void* /*arguments*/) { throw std::runtime_error{"no luck"}; }

TEST_F(c_relic, runs_what_is_submitted_in_order) {
  static std::vector<int> order;
  order.clear();
  std::array<int, 300> numbers{};
  std::iota(numbers.begin(), numbers.end(), 0);
  for (int& each : numbers) {
    ASSERT_EQ(fg_relic_submit(
                  relic_, [](void* number) { order.push_back(*static_cast<int*>(number)); }, &each),
              FG_OK);
  }
  ASSERT_EQ(fg_relic_wait(relic_), FG_OK);
  EXPECT_EQ(order, std::vector<int>(numbers.begin(), numbers.end()));
}

TEST_F(c_relic, carries_arguments_and_results_by_value) {
  struct pair {
    std::int64_t a;
    std::int64_t b;
  };
  const auto swapped = [](const void* arguments, void* result) {
    const pair given = *static_cast<const pair*>(arguments);
    *static_cast<pair*>(result) = {given.b, given.a};
  };
  std::vector<pair> results(300);
  pair given{};
  for (std::size_t i = 0; i < results.size(); ++i) {
    given = {static_cast<std::int64_t>(i), -1};
    ASSERT_EQ(fg_relic_submit_values(relic_, swapped, &given, sizeof given, &results[i],
                                     sizeof results[i]),
              FG_OK);
  }
  ASSERT_EQ(fg_relic_wait(relic_), FG_OK);
  for (std::size_t i = 0; i < results.size(); ++i) {
    ASSERT_EQ(results[i].a, -1);
    ASSERT_EQ(results[i].b, static_cast<std::int64_t>(i));
  }
}

TEST_F(c_relic, carries_values_of_all_sizes_and_writes_no_byte_beyond) {
  for (std::size_t size = 0; size <= FG_VALUE_BYTES; ++size) {
    std::array<unsigned char, FG_VALUE_BYTES + 1> given{};
    std::array<unsigned char, FG_VALUE_BYTES + 1> result{};
    given.fill(7);
    const auto copy = [](const void* arguments, void* there) {
      std::memcpy(there, arguments, FG_VALUE_BYTES);
    };
    ASSERT_EQ(fg_relic_submit_values(relic_, copy, size == 0 ? nullptr : given.data(), size,
                                     size == 0 ? nullptr : result.data(), size),
              FG_OK);
    ASSERT_EQ(fg_relic_wait(relic_), FG_OK);
    for (std::size_t i = 0; i < result.size(); ++i) {
      ASSERT_EQ(result[i], i < size ? 7 : 0) << "byte " << i << " of " << size;
    }
  }
}

TEST_F(c_relic, refuses_values_that_are_too_large_or_not_there) {
  const auto nothing = [](const void* /*arguments*/, void* /*result*/) {};
  std::array<unsigned char, FG_VALUE_BYTES + 1> room{};
  const auto submit = [&](const void* from, std::size_t from_size, void* to, std::size_t to_size) {
    return fg_relic_submit_values(relic_, nothing, from, from_size, to, to_size);
  };
  EXPECT_EQ(submit(room.data(), room.size(), nullptr, 0), FG_INVALID_ARGUMENT);
  EXPECT_EQ(submit(nullptr, 0, room.data(), room.size()), FG_INVALID_ARGUMENT);
  EXPECT_STREQ(fg_last_error(), "a task gets and gives at most 32 bytes by value");
  EXPECT_EQ(submit(nullptr, 1, nullptr, 0), FG_INVALID_ARGUMENT);
  EXPECT_EQ(submit(nullptr, 0, nullptr, 1), FG_INVALID_ARGUMENT);
  EXPECT_EQ(fg_relic_submit_values(relic_, nullptr, nullptr, 0, nullptr, 0), FG_INVALID_ARGUMENT);
  EXPECT_EQ(fg_relic_submit_values(nullptr, nothing, nullptr, 0, nullptr, 0), FG_INVALID_ARGUMENT);
}

TEST_F(c_relic, leaves_the_result_of_a_routine_that_throws_as_it_was) {
  std::int64_t result = 5;
  const auto throws = [](const void* /*arguments*/, void* there) {
    *static_cast<std::int64_t*>(there) = 6;
    throw std::runtime_error{"no luck"};
  };
  ASSERT_EQ(fg_relic_submit_values(relic_, throws, nullptr, 0, &result, sizeof result), FG_OK);
  EXPECT_EQ(fg_relic_wait(relic_), FG_TASK_THREW);
  EXPECT_EQ(result, 5);
}

TEST(c_relic_options, without_help_another_thread_runs_all_tasks_unless_it_says_why_not) {
  fg_relic_options options = FG_RELIC_OPTIONS_INIT;
  EXPECT_NE(options.main_helps, 0);
  options.main_helps = 0;
  options.spin_budget_us = 0;  // asleep most of the time
  fg_relic* relic = nullptr;
  ASSERT_EQ(fg_relic_create(&options, &relic), FG_OK) << fg_last_error();
  for (int i = 0; i < 20; ++i) {
    pthread_t ran_on = pthread_self();
    usleep(1000);
    fg_relic_submit(
        relic, [](void* id) { *static_cast<pthread_t*>(id) = pthread_self(); }, &ran_on);
    fg_relic_wait(relic);
    const bool is_inline = *fg_relic_inline_reason(relic) != '\0';
    EXPECT_EQ(pthread_equal(ran_on, pthread_self()) != 0, is_inline);
  }
  fg_relic_destroy(relic);
}

TEST_F(c_relic, says_when_its_queue_is_full) {
  if (*fg_relic_inline_reason(relic_) != '\0') {
    GTEST_SKIP() << "inline: " << fg_relic_inline_reason(relic_);
  }
  std::atomic<bool> go_on{false};
  fg_relic_submit(
      relic_,
      [](void* flag) {
        while (!static_cast<std::atomic<bool>*>(flag)->load()) {
        }
      },
      &go_on);
  int ran = 0;
  int submitted = 0;
  fg_status status = FG_OK;
  while ((status = fg_relic_try_submit(relic_, count_up, &ran)) == FG_OK) {
    ++submitted;
  }
  EXPECT_EQ(status, FG_QUEUE_FULL);
  EXPECT_EQ(submitted, 127);
  go_on.store(true);
  EXPECT_EQ(fg_relic_wait(relic_), FG_OK);
  EXPECT_EQ(ran, submitted);
}

TEST_F(c_relic, tells_of_exceptions_and_works_on) {
  int ran = 0;
  fg_relic_submit(relic_, fails, nullptr);
  fg_relic_submit(relic_, count_up, &ran);
  EXPECT_EQ(fg_relic_wait(relic_), FG_TASK_THREW);
  EXPECT_STREQ(fg_last_error(), "no luck");
  EXPECT_EQ(ran, 1);
  EXPECT_EQ(fg_relic_wait(relic_), FG_OK);
}

TEST_F(c_relic, forks_and_joins_with_a_site_and_without) {
  fg_site site{};
  int f = 0;
  int g = 0;
  for (int i = 0; i < 3000; ++i) {
    ASSERT_EQ(fg_relic_fork_join(relic_, &site, count_up, &f, count_up, &g), FG_OK);
    ASSERT_EQ(fg_relic_fork_join(relic_, nullptr, count_up, &f, count_up, &g), FG_OK);
  }
  EXPECT_EQ(f, 6000);
  EXPECT_EQ(g, 6000);
  EXPECT_EQ(fg_relic_fork_join(relic_, nullptr, fails, nullptr, count_up, &g), FG_TASK_THREW);
  EXPECT_EQ(g, 6001) << "both have run";
}

TEST_F(c_relic, loops_over_each_index_once) {
  fg_site site{};
  std::vector<int> seen(1000);
  const auto count = [](void* numbers, std::size_t begin, std::size_t end) {
    for (std::size_t i = begin; i < end; ++i) {
      ++(*static_cast<std::vector<int>*>(numbers))[i];
    }
  };
  for (int i = 0; i < 100; ++i) {
    ASSERT_EQ(fg_relic_parallel_for(relic_, &site, 10, 1000, count, &seen, 0), FG_OK);
    ASSERT_EQ(fg_relic_parallel_for(relic_, nullptr, 10, 1000, count, &seen, 7), FG_OK);
  }
  for (std::size_t i = 0; i < seen.size(); ++i) {
    EXPECT_EQ(seen[i], i < 10 ? 0 : 200) << i;
  }
  EXPECT_EQ(fg_relic_parallel_for(relic_, &site, 5, 5, count, &seen, 0), FG_OK);
}

TEST_F(c_relic, a_site_is_for_one_kind_of_calls) {
  fg_site site{};
  int f = 0;
  int g = 0;
  ASSERT_EQ(fg_relic_fork_join(relic_, &site, count_up, &f, count_up, &g), FG_OK);
  EXPECT_EQ(fg_relic_parallel_for(
                relic_, &site, 0, 1, [](void*, std::size_t, std::size_t) {}, nullptr, 0),
            FG_INVALID_ARGUMENT);
}

TEST_F(c_relic, says_where_it_runs_and_what_it_has_done) {
  int ran = 0;
  for (int i = 0; i < 10; ++i) {
    fg_relic_submit(relic_, count_up, &ran);
  }
  fg_relic_wake_up_hint(relic_);
  fg_relic_sleep_hint(relic_);
  fg_relic_wait(relic_);
  fg_relic_counters counters = FG_RELIC_COUNTERS_INIT;
  ASSERT_EQ(fg_relic_get_counters(relic_, &counters), FG_OK);
  EXPECT_EQ(counters.tasks + counters.tasks_inlined, 10U);
  fg_placement placement = FG_PLACEMENT_INIT;
  ASSERT_EQ(fg_relic_get_placement(relic_, &placement), FG_OK);
  EXPECT_EQ(placement.assistant_cpu == -1, *fg_relic_inline_reason(relic_) != '\0');
  EXPECT_NE(placement.nearness, nullptr);
  EXPECT_EQ(std::strchr(placement.reason, '\n'), nullptr);
}

// A program compiled with other headers than the library.
TEST_F(c_relic, writes_results_as_far_as_the_program_knows_them) {
  fg_placement unset{};
  EXPECT_EQ(fg_relic_get_placement(relic_, &unset), FG_INVALID_ARGUMENT);
  EXPECT_NE(std::string{fg_last_error()}.find("_INIT"), std::string::npos) << fg_last_error();

  const char text[] = "not the library's";
  fg_placement older = FG_PLACEMENT_INIT;
  older.size = offsetof(fg_placement, reason);
  older.reason = text;
  ASSERT_EQ(fg_relic_get_placement(relic_, &older), FG_OK);
  EXPECT_NE(older.nearness, nullptr);
  EXPECT_EQ(older.reason, text);

  struct {
    fg_relic_counters known = FG_RELIC_COUNTERS_INIT;
    std::uint64_t added_later = 17;
  } newer;
  newer.known.size = sizeof newer;
  ASSERT_EQ(fg_relic_get_counters(relic_, &newer.known), FG_OK);
  EXPECT_EQ(newer.known.size, sizeof newer);
  EXPECT_EQ(newer.added_later, 17U);
}

TEST(c_relic_options, are_checked) {
  fg_relic* relic = nullptr;
  fg_relic_options options = FG_RELIC_OPTIONS_INIT;
  options.assistant_cpu = 100000;
  EXPECT_EQ(fg_relic_create(&options, &relic), FG_SYSTEM_ERROR);
  EXPECT_NE(std::string{fg_last_error()}.find("100000"), std::string::npos) << fg_last_error();
  options.assistant_cpu = -2;
  EXPECT_EQ(fg_relic_create(&options, &relic), FG_INVALID_ARGUMENT);
  options = FG_RELIC_OPTIONS_INIT;
  options.anticipation_share = 1.5;
  EXPECT_EQ(fg_relic_create(&options, &relic), FG_INVALID_ARGUMENT);
  options.anticipation_share = 0;
  options.spin_budget_us = -1;
  EXPECT_EQ(fg_relic_create(&options, &relic), FG_INVALID_ARGUMENT);
  options = FG_RELIC_OPTIONS_INIT;
  options.scheduling = 6;
  EXPECT_EQ(fg_relic_create(&options, &relic), FG_INVALID_ARGUMENT);
  options = FG_RELIC_OPTIONS_INIT;
  options.size = 0;
  EXPECT_EQ(fg_relic_create(&options, &relic), FG_INVALID_ARGUMENT);
  options.size = sizeof options + 8;
  EXPECT_EQ(fg_relic_create(&options, &relic), FG_INVALID_ARGUMENT);
  EXPECT_EQ(relic, nullptr);
}

TEST(c_relic_options, of_a_thread) {
  fg_relic_options options = FG_RELIC_OPTIONS_INIT;
  options.scheduling = FG_BATCH;
  options.thread_name = "beside";
  options.main_helps = 0;
  fg_relic* relic = nullptr;
  ASSERT_EQ(fg_relic_create(&options, &relic), FG_OK) << fg_last_error();
  EXPECT_STREQ(fg_relic_scheduling_refusal(relic), "");
  EXPECT_EQ(fg_relic_scheduling_refusal(nullptr), nullptr);
#if defined(__linux__)
  if (*fg_relic_inline_reason(relic) == '\0') {
    struct seen {
      int policy;
      char name[16];
    } seen{};
    const auto look = [](void* into) {
      static_cast<struct seen*>(into)->policy = sched_getscheduler(0);
      pthread_getname_np(pthread_self(), static_cast<struct seen*>(into)->name, 16);
    };
    EXPECT_EQ(fg_relic_submit(relic, look, &seen), FG_OK);
    EXPECT_EQ(fg_relic_wait(relic), FG_OK);
    EXPECT_EQ(seen.policy, SCHED_BATCH);
    EXPECT_STREQ(seen.name, "beside");
  }
#endif
  fg_relic_destroy(relic);
}

// A program built with an older header, whose options ended earlier.
TEST(c_relic_options, of_an_older_program_are_completed) {
  fg_relic_options options = FG_RELIC_OPTIONS_INIT;
  options.size = offsetof(fg_relic_options, spin_budget_us);
  options.spin_budget_us = -1;  // not read
  fg_relic* relic = nullptr;
  EXPECT_EQ(fg_relic_create(&options, &relic), FG_OK) << fg_last_error();
  fg_relic_destroy(relic);
}

TEST(c_status, null_pointers_are_told) {
  fg_relic_destroy(nullptr);
  EXPECT_EQ(fg_relic_create(nullptr, nullptr), FG_INVALID_ARGUMENT);
  EXPECT_STREQ(fg_last_error(), "relic is a null pointer");
  EXPECT_EQ(fg_relic_submit(nullptr, count_up, nullptr), FG_INVALID_ARGUMENT);
  EXPECT_EQ(fg_relic_try_submit(nullptr, count_up, nullptr), FG_INVALID_ARGUMENT);
  EXPECT_EQ(fg_relic_wait(nullptr), FG_INVALID_ARGUMENT);
  EXPECT_EQ(fg_relic_wake_up_hint(nullptr), FG_INVALID_ARGUMENT);
  EXPECT_EQ(fg_relic_sleep_hint(nullptr), FG_INVALID_ARGUMENT);
  EXPECT_EQ(fg_relic_inline_reason(nullptr), nullptr);
  EXPECT_EQ(fg_relic_get_placement(nullptr, nullptr), FG_INVALID_ARGUMENT);
  EXPECT_EQ(fg_relic_get_counters(nullptr, nullptr), FG_INVALID_ARGUMENT);
}

TEST(c_status, each_has_a_text) {
  for (int status = FG_OK; status <= FG_CANCELLED; ++status) {
    EXPECT_STRNE(fg_strerror(status), fg_strerror(-1)) << status;
  }
  EXPECT_STREQ(fg_strerror(FG_CANCELLED + 1), fg_strerror(-1));
  EXPECT_STREQ(fg_version(), FINEGRAIN_VERSION);
}

}  // namespace
