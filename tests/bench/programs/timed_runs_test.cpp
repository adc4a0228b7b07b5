// Tokens pass the stages that a line has, their runs are timed, and what is wrong has no number.
// SPDX-License-Identifier: Apache-2.0
#include "programs/pipeline/timed_runs.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstddef>
#include <functional>
#include <iterator>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "finegrain/host/affinity.hpp"
#include "programs/frame/program_errors.hpp"
#include "programs/pipeline/pipeline_process.hpp"
#include "programs/pipeline/token_stages.hpp"

namespace {

using fg::bench::token;
using fg::bench::token_plan;
using fg::bench::token_stages;

constexpr token_plan kPlan{.tokens = 10, .runs = 4};
constexpr int kAllRuns = 1 + 4 + 1;  // to warm up, timed, watched

std::vector<token> made_by(token_stages& stages) {
  std::vector<token> all;
  while (const auto made = stages.make()) {
    all.push_back(stages.has_middle() ? stages.work(*made) : *made);
  }
  return all;
}

void finish(token_stages& stages, const std::vector<token>& all) {
  for (const token& each : all) {
    stages.finish(each);
  }
}

TEST(timed_runs, all_is_timed) {
  const int here = fg::usable_cpus().front();
  ASSERT_FALSE(fg::pin_this_thread(here));
  for (const std::string& line : fg::bench::token_lines()) {
    token_stages stages{line, 50};
    EXPECT_EQ(stages.has_middle(), line == "s-p-s");
    int runs = 0;
    const fg::bench::token_result result = fg::bench::timed_runs(kPlan, stages, [&] {
      ++runs;
      finish(stages, made_by(stages));
    });
    EXPECT_EQ(runs, kAllRuns);
    EXPECT_EQ(result.ns.size(), 4U);
    EXPECT_GT(std::ranges::min(result.ns), 0);
    EXPECT_EQ(result.elsewhere, 0);
    EXPECT_EQ(result.cpus, std::set<int>{here});
  }
}

// Runs that are all right but one, in which the last stage gets what `change` leaves.
void expect_wrong(const std::function<void(std::vector<token>&)>& change) {
  for (const std::string& line : fg::bench::token_lines()) {
    for (int which = 1; which <= kAllRuns; ++which) {
      token_stages stages{line, 50};
      int runs = 0;
      EXPECT_THROW(static_cast<void>(fg::bench::timed_runs(kPlan, stages,
                                                           [&] {
                                                             std::vector<token> all =
                                                                 made_by(stages);
                                                             if (++runs == which) {
                                                               change(all);
                                                             }
                                                             finish(stages, all);
                                                           })),
                   fg::bench::wrong_result)
          << line << ", run " << which;
    }
  }
}

TEST(timed_runs, a_token_that_is_lost_is_a_wrong_result) {
  expect_wrong([](std::vector<token>& all) { all.pop_back(); });
}

TEST(timed_runs, a_token_that_comes_twice_is_a_wrong_result) {
  expect_wrong([](std::vector<token>& all) { all.push_back(all.back()); });
  expect_wrong([](std::vector<token>& all) { all.back() = all.front(); });
}

TEST(timed_runs, another_order_is_a_wrong_result) {
  expect_wrong([](std::vector<token>& all) { std::swap(all[3], all[4]); });
}

TEST(timed_runs, a_stage_that_is_left_out_is_a_wrong_result) {
  token_stages stages{"s-p-s", 50};
  EXPECT_THROW(static_cast<void>(fg::bench::timed_runs(kPlan, stages,
                                                       [&stages] {
                                                         while (const auto made = stages.make()) {
                                                           stages.finish(*made);
                                                         }
                                                       })),
               fg::bench::wrong_result);
}

TEST(timed_runs, a_broken_runtime_ends_the_process_with_its_status) {
  const fg::bench::pipeline_runtime broken{
      .name = "broken",
      .version = "1",
      .session = [](fg::bench::cpu_pair, token_stages&, const fg::bench::measure_runs& measure) {
        measure([] {});
      }};
  std::vector<std::string> words{"pipeline-broken", "--line", "s-s", "--warmup-ms", "0"};
  std::vector<char*> arguments;
  std::ranges::transform(words, std::back_inserter(arguments), [](auto& it) { return it.data(); });
  EXPECT_EQ(fg::bench::pipeline_main(static_cast<int>(arguments.size()), arguments.data(), broken),
            3);
}

}  // namespace
