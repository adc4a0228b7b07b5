// Pipelines by the C interface.
// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <array>
#include <cstddef>
#include <functional>
#include <stdexcept>
#include <string>
#include <utility>

#include "finegrain/finegrain.h"

namespace {

// Numbers in cells of the program's own: a token is the address of one.
struct counting {
  static constexpr std::size_t kTokens = 8;

  std::size_t end = 0;
  std::size_t made = 0;
  std::size_t throws_at = ~std::size_t{0};
  std::array<std::size_t, kTokens> cells{};
  std::size_t passed = 0;
  bool in_order = true;

  static void* make(void* arguments, void* token) {
    auto& self = *static_cast<counting*>(arguments);
    EXPECT_EQ(token, nullptr);
    if (self.made == self.end) {
      return nullptr;
    }
    std::size_t& cell = self.cells[self.made % kTokens];
    cell = self.made++;
    return &cell;
  }
  static void* doubled(void* arguments, void* token) {
    auto& cell = *static_cast<std::size_t*>(token);
    if (cell == static_cast<counting*>(arguments)->throws_at) {
      throw std::runtime_error{"that one"};
    }
    cell *= 2;
    return token;
  }
  static void* take(void* arguments, void* token) {
    auto& self = *static_cast<counting*>(arguments);
    self.in_order = self.in_order && *static_cast<std::size_t*>(token) == 2 * self.passed;
    ++self.passed;
    return nullptr;
  }
};

struct c_pipeline {
  c_pipeline() { EXPECT_EQ(fg_pipeline_create(&handle), FG_OK) << fg_last_error(); }
  ~c_pipeline() { fg_pipeline_destroy(handle); }
  c_pipeline(const c_pipeline&) = delete;
  c_pipeline& operator=(const c_pipeline&) = delete;

  void add(fg_stage_mode mode, fg_stage_routine routine, void* arguments) {
    EXPECT_EQ(fg_pipeline_add_stage(handle, mode, routine, arguments), FG_OK) << fg_last_error();
  }

  fg_pipeline* handle = nullptr;
};

// Calls `test(run)` for each way to run a pipeline.
void on_each_runner_of_pipelines(
    const std::function<void(const std::function<fg_status(fg_pipeline*)>&)>& test) {
  test(fg_pipeline_run);
  fg_relic* relic = nullptr;
  ASSERT_EQ(fg_relic_create(nullptr, &relic), FG_OK) << fg_last_error();
  test([relic](fg_pipeline* pipeline) {
    return fg_pipeline_run_on_relic(pipeline, relic, counting::kTokens);
  });
  fg_relic_destroy(relic);
  for (const auto& [workers, assistants] : {std::pair{1U, 0}, {3U, 0}, {2U, 1}}) {
    fg_pool_options options = FG_POOL_OPTIONS_INIT;
    options.workers = workers;
    options.assistants = assistants;
    fg_pool* pool = nullptr;
    ASSERT_EQ(fg_pool_create(&options, &pool), FG_OK) << fg_last_error();
    test([pool](fg_pipeline* pipeline) {
      return fg_pipeline_run_on_pool(pipeline, pool, counting::kTokens);
    });
    fg_pool_destroy(pool);
  }
}

TEST(c_pipeline, passes_each_token_once_in_order) {
  on_each_runner_of_pipelines([](const auto& run) {
    counting numbers;
    c_pipeline pipeline;
    pipeline.add(FG_SERIAL_IN_ORDER, counting::make, &numbers);
    pipeline.add(FG_PARALLEL, counting::doubled, &numbers);
    pipeline.add(FG_SERIAL_IN_ORDER, counting::take, &numbers);
    for (const std::size_t tokens : {0U, 1U, 1000U, 5U}) {
      numbers = {.end = tokens};
      ASSERT_EQ(run(pipeline.handle), FG_OK) << fg_last_error();
      EXPECT_EQ(numbers.passed, tokens);
      EXPECT_TRUE(numbers.in_order);
    }
  });
}

TEST(c_pipeline, a_stage_that_throws_ends_the_run) {
  on_each_runner_of_pipelines([](const auto& run) {
    counting numbers{.end = 1000, .throws_at = 100};
    c_pipeline pipeline;
    pipeline.add(FG_SERIAL_OUT_OF_ORDER, counting::make, &numbers);
    pipeline.add(FG_SERIAL_IN_ORDER, counting::doubled, &numbers);
    pipeline.add(FG_SERIAL_IN_ORDER, counting::take, &numbers);
    EXPECT_EQ(run(pipeline.handle), FG_TASK_THREW);
    EXPECT_EQ(std::string{fg_last_error()}, "that one");
    EXPECT_LE(numbers.passed, 100U);
    numbers = {.end = 1000};
    EXPECT_EQ(run(pipeline.handle), FG_OK) << fg_last_error();
    EXPECT_EQ(numbers.passed, 1000U) << "it can be run again";
  });
}

TEST(c_pipeline, stages_are_added_between_runs) {
  counting numbers{.end = 3};
  c_pipeline pipeline;
  pipeline.add(FG_SERIAL_IN_ORDER, counting::make, &numbers);
  pipeline.add(FG_PARALLEL, counting::doubled, &numbers);
  EXPECT_EQ(fg_pipeline_run(pipeline.handle), FG_OK) << fg_last_error();
  EXPECT_EQ(numbers.passed, 0U);
  pipeline.add(FG_SERIAL_IN_ORDER, counting::take, &numbers);
  numbers = {.end = 3};
  EXPECT_EQ(fg_pipeline_run(pipeline.handle), FG_OK) << fg_last_error();
  EXPECT_EQ(numbers.passed, 3U);
}

TEST(c_pipeline, explains_itself) {
  counting numbers{.end = 1000};
  c_pipeline pipeline;
  pipeline.add(FG_SERIAL_IN_ORDER, counting::make, &numbers);
  pipeline.add(FG_PARALLEL, counting::doubled, &numbers);
  const char* text = nullptr;
  ASSERT_EQ(fg_pipeline_explain(pipeline.handle, &text), FG_OK);
  const std::string before = text;
  EXPECT_EQ(before.substr(0, before.find(':')), "2 stages");
  EXPECT_NE(before.find("stage 2, parallel"), std::string::npos) << before;
  EXPECT_EQ(before.find(" ns"), std::string::npos) << "nothing was measured: " << before;
  on_each_runner_of_pipelines([&](const auto& run) {
    numbers = {.end = 1000};
    ASSERT_EQ(run(pipeline.handle), FG_OK) << fg_last_error();
  });
  ASSERT_EQ(fg_pipeline_explain(pipeline.handle, &text), FG_OK);
  EXPECT_NE(std::string{text}.find("a value takes "), std::string::npos) << text;
}

TEST(c_pipeline, says_what_is_wrong) {
  counting numbers;
  c_pipeline pipeline;
  const auto refuses = [](fg_status status, const std::string& why) {
    EXPECT_EQ(status, FG_INVALID_ARGUMENT);
    EXPECT_EQ(fg_last_error(), why);
  };
  refuses(fg_pipeline_create(nullptr), "pipeline is a null pointer");
  refuses(fg_pipeline_add_stage(nullptr, FG_PARALLEL, counting::make, nullptr),
          "pipeline is a null pointer");
  refuses(fg_pipeline_add_stage(pipeline.handle, FG_PARALLEL, nullptr, nullptr),
          "routine is a null pointer");
  refuses(fg_pipeline_add_stage(pipeline.handle, 3, counting::make, &numbers),
          "no such mode of a stage");
  refuses(fg_pipeline_add_stage(pipeline.handle, FG_PARALLEL, counting::make, &numbers),
          "the first stage of a pipeline is serial");
  refuses(fg_pipeline_run(pipeline.handle), "a pipeline has two stages or more");
  pipeline.add(FG_SERIAL_IN_ORDER, counting::make, &numbers);
  refuses(fg_pipeline_run(pipeline.handle), "a pipeline has two stages or more");
  refuses(fg_pipeline_run(nullptr), "pipeline is a null pointer");
  refuses(fg_pipeline_run_on_relic(pipeline.handle, nullptr, 0), "relic is a null pointer");
  refuses(fg_pipeline_run_on_pool(pipeline.handle, nullptr, 0), "pool is a null pointer");
  const char* text = nullptr;
  refuses(fg_pipeline_explain(nullptr, &text), "pipeline is a null pointer");
  refuses(fg_pipeline_explain(pipeline.handle, nullptr), "text is a null pointer");
  refuses(fg_pipeline_explain(pipeline.handle, &text), "a pipeline has two stages or more");
  fg_pipeline_destroy(nullptr);
}

}  // namespace
