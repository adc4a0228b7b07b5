// The applications in the spawn programs: the frame over the test's own runtime, and every
// application on the real ones.
// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <cstdint>
#include <limits>
#include <string>
#include <vector>

#include "bench/programs/spawn_mains.hpp"
#include "bench/programs/spawn_test_runner.hpp"
#include "finegrain/host/affinity.hpp"
#include "kernels/bots/applications.hpp"

namespace {

using fg::bench::spawn_test::outcome;
using fg::bench::spawn_test::run;
using fg::bench::spawn_test::run_main;
using fg::bench::spawn_test::test_forms;
using fg::bench::spawn_test::test_runner;

const std::vector<std::string>& small_fib() {
  static const std::vector<std::string> arguments{"--threads", "1",      "--cpus", "0",
                                                  "--batches", "2",      "bots",   "--application",
                                                  "fib",       "--size", "10"};
  return arguments;
}

TEST(spawn_bots, count_their_tasks_and_time_them) {
  test_runner runner;
  const outcome ended = run(runner, small_fib());
  ASSERT_EQ(ended.status, 0) << ended.complaint;
  const nlohmann::json line = ended.line();
  EXPECT_EQ(line["application"], "fib");
  EXPECT_EQ(line["size"], 10);
  EXPECT_EQ(line["tasks"], 176);  // two for each of the 88 calls with n >= 2
  EXPECT_EQ(line["tied"], true);
  EXPECT_EQ(line["ns"].size(), 2U);
  EXPECT_EQ(line["tasks_by_thread"], nlohmann::json::parse("[[176]]"));
  EXPECT_EQ(line["offloaded_share"], 0.0);
}

// The first run is the warm-up, the fourth the counted one.
TEST(spawn_bots, refuse_a_run_that_loses_tasks) {
  for (int run_number = 1; run_number <= 4; ++run_number) {
    test_forms forms;
    forms.losing_run = run_number;
    test_runner runner{forms};
    const outcome ended = run(runner, small_fib());
    EXPECT_EQ(ended.status, 3) << run_number;
    EXPECT_NE(ended.complaint.find("fib(10) is 55, not "), std::string::npos) << ended.complaint;
    EXPECT_TRUE(ended.output.empty());
  }
}

TEST(spawn_bots, refuse_what_has_no_sense) {
  const auto expect_refused = [](std::vector<std::string> arguments, const std::string& why) {
    test_runner runner;
    arguments.insert(arguments.begin(), "bots");
    const outcome ended = run(runner, arguments);
    EXPECT_EQ(ended.status, 2) << why;
    EXPECT_NE(ended.complaint.find(why), std::string::npos) << ended.complaint;
  };
  expect_refused({}, "--application");
  expect_refused({"--application", "knapsack"}, "knapsack");
  expect_refused({"--application", "fib", "--size", "51"}, "fib takes 2 to 50");
  expect_refused({"--application", "fib", "--base", "8"}, "--base is strassen's");
  expect_refused({"--application", "strassen", "--base", "0"}, "--base");
  expect_refused({"--application", "strassen", "--size", "100"}, "64 rows times a power of two");
  expect_refused({"--application", "fft", "--size", "100"}, "powers of two");
  expect_refused({"--application", "sort", "--size", "10"}, "has no tasks");
}

std::vector<std::string> small_run(const fg::bench::bots::application_kind& kind,
                                   const std::vector<std::string>& more) {
  static const std::vector<int> cpus = fg::usable_cpus();
  std::vector<std::string> all{"--threads", "2", "--batches", "1", "--cpus"};
  all.push_back(std::to_string(cpus.front()) + "," + std::to_string(cpus.back()));
  all.insert(all.end(), more.begin(), more.end());
  all.insert(all.end(), {"bots", "--application", std::string{kind.name}});
  if (kind.name == "fib") {
    all.insert(all.end(), {"--size", "18"});
  }
  return all;
}

class bots_on_pool : public testing::TestWithParam<std::string> {};

TEST_P(bots_on_pool, come_to_their_results) {
  for (const fg::bench::bots::application_kind& kind : fg::bench::bots::applications()) {
    const outcome ended = run_main(spawn_pool, small_run(kind, {"--policy", GetParam()}));
    ASSERT_EQ(ended.status, 0) << kind.name << ": " << ended.complaint;
    EXPECT_EQ(ended.line()["application"], kind.name);
    EXPECT_EQ(ended.line()["tasks_vary"], kind.name == "floorplan");
  }
}

INSTANTIATE_TEST_SUITE_P(spawn, bots_on_pool, testing::Values("private_deque", "xqueue_nowait"),
                         [](const auto& policy) { return policy.param; });

TEST(spawn_bots, run_by_plain_calls_in_one_process_only) {
  const auto& fib = fg::bench::bots::applications().front();
  std::vector<std::string> arguments = small_run(fib, {});
  const outcome refused = run_main(spawn_serial, arguments);
  EXPECT_EQ(refused.status, 2);
  EXPECT_NE(refused.complaint.find("have no unit of this work"), std::string::npos);
  arguments[1] = "1";
  const outcome ended = run_main(spawn_serial, arguments);
  EXPECT_EQ(ended.status, 0) << ended.complaint;
}

}  // namespace
