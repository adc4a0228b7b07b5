// The spawn programs of the serial runtime, of the pool and of a peer, on small work of every kind.
// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <cstdio>
#include <memory>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "bench/programs/spawn_mains.hpp"
#include "bench/programs/spawn_test_runner.hpp"
#include "finegrain/host/affinity.hpp"

namespace {

using fg::bench::spawn_test::outcome;
using fg::bench::spawn_test::run_main;

const std::vector<std::vector<std::string>>& kinds_of_work() {
  static const std::vector<std::vector<std::string>> kinds{
      {"fib", "--n", "18"},
      {"tree", "--children", "3", "--depth", "7"},
      {"flat", "--tasks", "2000", "--producers", "2", "--max-load", "50", "--by-thread"},
      {"uts", "--tree", "T3", "--timeline"},
      {"cholesky", "--n", "230", "--tile", "12"},
      {"syrk", "--n", "150", "--tile", "12"}};
  return kinds;
}

std::vector<std::string> arguments_for(const std::vector<std::string>& kind,
                                       const std::vector<std::string>& more) {
  static const std::vector<int> cpus = fg::usable_cpus();
  std::vector<std::string> all{"--threads", "2", "--batches", "1", "--cpus"};
  all.push_back(std::to_string(cpus.front()) + "," + std::to_string(cpus.back()));
  all.insert(all.end(), more.begin(), more.end());
  all.insert(all.end(), kind.begin(), kind.end());
  return all;
}

void expect_line(const nlohmann::json& line, const std::string& runtime,
                 const std::vector<std::string>& kind) {
  EXPECT_EQ(line["runtime"], runtime);
  EXPECT_EQ(line["threads"], 2);
  ASSERT_EQ(line["ns"].size(), 1U);
  EXPECT_GT(line["ns"][0], 0.0);
  EXPECT_GT(line["tasks"], 1000U);
  EXPECT_TRUE(line["cpus"].is_array());
  ASSERT_EQ(line["tasks_by_thread"].size(), 1U);
  EXPECT_EQ(line["tasks_by_thread"][0].size(), 2U);
  if (kind.front() == "uts") {
    EXPECT_EQ(line["nodes"], 4'112'897);
    EXPECT_FALSE(line["timeline"]["threads"].empty());
  }
}

TEST(spawn_runtimes, untied_threads_keep_all_their_cpus) {
  const std::vector<int> before = fg::usable_cpus();
  for (const auto main : {spawn_serial, spawn_pool}) {
    const outcome ended = run_main(main, arguments_for(kinds_of_work().front(), {"--untied"}));
    ASSERT_EQ(ended.status, 0) << ended.complaint;
    EXPECT_EQ(fg::usable_cpus(), before);
  }
}

TEST(spawn_runtimes, serial_with_a_neighbour) {
  for (const std::vector<std::string>& kind : kinds_of_work()) {
    const outcome ended = run_main(spawn_serial, arguments_for(kind, {}));
    ASSERT_EQ(ended.status, 0) << kind.front() << ": " << ended.complaint;
    expect_line(ended.line(), "serial", kind);
    EXPECT_EQ(ended.line()["offloaded_share"], 0.0);
  }
}

class pool_policy : public testing::TestWithParam<std::string> {};

TEST_P(pool_policy, runs_every_kind) {
  for (const std::vector<std::string>& kind : kinds_of_work()) {
    const outcome ended = run_main(spawn_pool, arguments_for(kind, {"--policy", GetParam()}));
    ASSERT_EQ(ended.status, 0) << kind.front() << ": " << ended.complaint;
    expect_line(ended.line(), "pool-" + GetParam(), kind);
  }
}

// One that forks its walks, and one that spawns them.
INSTANTIATE_TEST_SUITE_P(spawn, pool_policy, testing::Values("private_deque", "xqueue_nowait"),
                         [](const auto& policy) { return policy.param; });

TEST(spawn_runtimes, the_pool_takes_a_capacity) {
  const std::vector<std::string>& fib = kinds_of_work().front();
  const outcome ended =
      run_main(spawn_pool, arguments_for(fib, {"--policy", "combining", "--queue-capacity", "8"}));
  EXPECT_EQ(ended.status, 0) << ended.complaint;
  EXPECT_EQ(ended.line()["note"], "");
  const outcome rounded = run_main(
      spawn_pool, arguments_for(fib, {"--policy", "xqueue_static", "--queue-capacity", "9"}));
  EXPECT_EQ(rounded.line()["note"], "a queue holds 16 tasks");
  const outcome refused = run_main(spawn_pool, arguments_for(fib, {"--queue-capacity", "8"}));
  EXPECT_EQ(refused.status, 2);
}

#ifdef FINEGRAIN_SPAWN_PEER
TEST(spawn_runtimes, a_peer) {
  for (const std::vector<std::string>& kind : kinds_of_work()) {
    std::string command = "OMP_NUM_THREADS=2 " FINEGRAIN_SPAWN_PEER;
    for (const std::string& argument : arguments_for(kind, {})) {
      command += " " + argument;
    }
    const std::unique_ptr<FILE, int (*)(FILE*)> output{popen(command.c_str(), "r"), pclose};
    ASSERT_NE(output, nullptr);
    std::string text;
    for (int read = std::fgetc(output.get()); read != EOF; read = std::fgetc(output.get())) {
      text += static_cast<char>(read);
    }
    ASSERT_FALSE(text.empty()) << command;
    expect_line(nlohmann::json::parse(text), "gnu-openmp", kind);
  }
}
#endif

}  // namespace
