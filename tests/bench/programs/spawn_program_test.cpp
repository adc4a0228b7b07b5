// The frame of the spawn programs: which results of a runtime it accepts, and which not.
// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <fstream>
#include <nlohmann/json.hpp>
#include <string>
#include <utility>
#include <vector>

#include "bench/programs/spawn_test_runner.hpp"
#include "kernels/uts/search.hpp"
#include "programs/frame/thread_census.hpp"
#include "programs/spawn/cases/work_unit.hpp"
#include "programs/spawn/spawn_runtime.hpp"
#include "programs/spawn/workloads/balanced_walks.hpp"
#include "programs/spawn/workloads/flat_job.hpp"
#include "programs/spawn/workloads/leaves.hpp"
#include "programs/spawn/workloads/serial_forms.hpp"
#include "programs/spawn/workloads/tile_job.hpp"
#include "programs/spawn/workloads/uts_walks.hpp"

namespace {

using namespace fg::bench::spawn_test;  // NOLINT(google-build-using-namespace)
using fg::bench::spawn_setup;
using fg::bench::task_runner;

// Loses the last task of each producer, from the given loop on.
class forgetful_runner : public test_runner {
 public:
  explicit forgetful_runner(int from_loop) : from_loop_{from_loop} {}

  void flat(const fg::bench::flat_job& job) override {
    fg::bench::flat_job other = job;
    other.tasks_each -= ++loops_ < from_loop_ ? 0U : 1U;
    test_runner::flat(other);
  }

 private:
  int from_loop_;
  int loops_ = 0;
};

// Reports the same amount of work done elsewhere, whenever it is asked for.
class accompanied_runner : public test_runner {
 public:
  [[nodiscard]] std::uint64_t done_beside() const override { return asked_++ * 1'000'000'000; }

 private:
  mutable std::uint64_t asked_ = 0;
};

TEST(spawn_program, prints_a_number_a_batch) {
  test_runner runner;
  const outcome ended = run(runner, {"fib", "--n", "12", "--batches", "3", "--threads", "2"});
  ASSERT_EQ(ended.status, 0) << ended.complaint;
  const nlohmann::json line = nlohmann::json::parse(ended.output);
  EXPECT_EQ(line["runtime"], "test");
  EXPECT_EQ(line["threads"], 2);
  EXPECT_EQ(line["n"], 12);
  EXPECT_EQ(line["tasks"], 232);  // fib(13) - 1
  EXPECT_EQ(line["ns"].size(), 3U);
  EXPECT_GT(line["ns"][0], 0.0);
  EXPECT_EQ(line["version"], "7");
}

TEST(spawn_program, counts_the_leaves_by_thread) {
  test_runner runner;
  const outcome ended = run(runner, {"fib", "--n", "12", "--threads", "2"});
  ASSERT_EQ(ended.status, 0) << ended.complaint;
  // fib(11) and fib(12) of fib(13) leaves, in the order of the threads' first tasks in this
  // process.
  std::vector<std::vector<std::uint64_t>> counts = ended.line()["tasks_by_thread"];
  ASSERT_EQ(counts.size(), 1U);
  std::ranges::sort(counts.front());
  EXPECT_EQ(counts.front(), (std::vector<std::uint64_t>{89, 144}));
  EXPECT_DOUBLE_EQ(ended.line()["offloaded_share"], 89.0 / 233.0);
}

TEST(spawn_program, waits_a_while_for_the_other_threads) {
  class late_runner : public test_runner {
   public:
    std::uint64_t counted_fib(int n) override {
      return ++trees_ < 20 ? fg::bench::called_fib<fg::bench::census_leaf>(n)
                           : test_runner::counted_fib(n);
    }

   private:
    int trees_ = 0;
  };
  const auto share_of = [](const char* threads) -> double {
    late_runner runner;
    const outcome ended = run(runner, {"fib", "--n", "12", "--threads", threads});
    return nlohmann::json::parse(ended.output)["offloaded_share"];
  };
  EXPECT_DOUBLE_EQ(share_of("2"), 89.0 / 233.0);
  EXPECT_EQ(share_of("1"), 0.0);
}

TEST(spawn_program, counts_what_was_done_beside) {
  test_runner alone;
  accompanied_runner accompanied;
  const std::vector<std::string> arguments{"fib", "--n", "20", "--batches", "1", "--threads", "2"};
  const auto ns_of = [&](task_runner& runner) -> double {
    return nlohmann::json::parse(run(runner, arguments).output)["ns"][0];
  };
  // 10^9 spawns in addition to the 10945 of the tree.
  EXPECT_LT(ns_of(accompanied), ns_of(alone) / 1000);
}

TEST(spawn_program, takes_an_n_that_fills_the_batch) {
  test_runner runner;
  const outcome ended = run(runner, {"fib", "--batch-ms", "1", "--batches", "1", "--threads", "2"});
  ASSERT_EQ(ended.status, 0) << ended.complaint;
  const nlohmann::json line = nlohmann::json::parse(ended.output);
  EXPECT_GT(line["n"], 10);
  EXPECT_LT(line["n"], 40);
}

TEST(spawn_program, refuses_a_wrong_result_in_every_run) {
  for (const int wrong_from :
       {1, 2, 4, 5}) {  // the untimed one, the first batch, the last, counted
    test_runner runner{{.wrong_from = wrong_from}};
    const outcome ended = run(runner, {"fib", "--n", "12", "--batches", "3", "--threads", "2"});
    EXPECT_EQ(ended.status, 3) << wrong_from;
    EXPECT_EQ(ended.output, "");
    EXPECT_EQ(ended.complaint, "spawn-test: fib(12) is 144, not 145\n");
  }
}

// Counts one task too many in every counted run; its results are right.
class boasting_runner : public test_runner {
 public:
  std::uint64_t counted_fib(int n) override { return boast(test_runner::counted_fib(n)); }
  void flat(const fg::bench::flat_job& job) override {
    test_runner::flat(job);
    boast(0);
  }
  using test_runner::walk;
  std::uint64_t walk(const fg::bench::balanced_census& tree) override {
    return boast(test_runner::walk(tree));
  }
  fg::bench::uts::count walk(const fg::bench::uts_census& tree) override {
    return boast(test_runner::walk(tree));
  }
  void run(const fg::bench::application_run& asked) override {
    test_runner::run(asked);
    boast(0);
  }
  void run(const fg::bench::tile_job& job) override {
    test_runner::run(job);
    boast(0);
  }

 private:
  template <class Result>
  static Result boast(Result result) {
    fg::bench::thread_census::count();
    return result;
  }
};

std::string complaint_of(int ran, int tasks) {
  return "spawn-test: " + std::to_string(ran) + " tasks ran, not " + std::to_string(tasks) + "\n";
}

TEST(spawn_program, refuses_more_tasks_than_there_are) {
  const std::vector<std::pair<int, std::vector<std::string>>> kinds{
      {233, {"fib", "--n", "12"}},
      {81, {"tree", "--children", "3", "--depth", "4"}},
      {1000, {"flat", "--tasks", "1000"}},
      {4112897, {"uts", "--tree", "T3"}},
      {176, {"bots", "--application", "fib", "--size", "10"}},
      {35, {"cholesky", "--n", "70", "--tile", "16"}}};
  for (const auto& [tasks, kind] : kinds) {
    std::vector<std::string> arguments{"--batches", "1", "--threads", "2"};
    arguments.insert(arguments.end(), kind.begin(), kind.end());
    boasting_runner runner;
    const outcome ended = run(runner, arguments);
    EXPECT_EQ(ended.status, 3) << kind.front();
    EXPECT_EQ(ended.complaint, complaint_of(tasks + 1, tasks));
  }
}

TEST(spawn_program, runs_a_flat_loop) {
  test_runner runner;
  const outcome ended =
      run(runner, {"flat", "--producers", "2", "--threads", "2", "--tasks", "500", "--batches", "3",
                   "--delay-ns", "10", "--spin-steps-per-us", "1000", "--by-thread"});
  ASSERT_EQ(ended.status, 0) << ended.complaint;
  const nlohmann::json line = nlohmann::json::parse(ended.output);
  EXPECT_EQ(line["producers"], 2);
  EXPECT_EQ(line["tasks"], 1000);
  EXPECT_EQ(line["ns"].size(), 3U);
  ASSERT_EQ(line["tasks_by_thread"].size(), 3U);
  EXPECT_EQ(line["offloaded_share"], 0.5);
}

TEST(spawn_program, takes_as_many_flat_tasks_as_fill_the_batch) {
  test_runner runner;
  const auto tasks_of = [&](const char* batch_ms) -> std::uint64_t {
    const outcome ended = run(runner, {"flat", "--max-load", "100", "--batch-ms", batch_ms});
    return nlohmann::json::parse(ended.output)["tasks"];
  };
  EXPECT_LT(tasks_of("1"), tasks_of("40"));
}

TEST(spawn_program, refuses_a_flat_loop_that_forgets_a_task) {
  const auto complaint_of = [](int from_loop) {
    forgetful_runner runner{from_loop};
    const outcome ended =
        run(runner, {"flat", "--tasks", "500", "--batches", "1", "--threads", "1"});
    EXPECT_EQ(ended.status, 3);
    return ended.complaint;
  };
  EXPECT_EQ(complaint_of(1), "spawn-test: task 999 ran 0 times\n");    // the check's loop
  EXPECT_EQ(complaint_of(4), "spawn-test: 499 tasks ran, not 500\n");  // the counted one
}

TEST(spawn_program, refuses_more_producers_than_threads) {
  test_runner runner;
  const outcome ended = run(runner, {"flat", "--producers", "2", "--threads", "1"});
  EXPECT_EQ(ended.status, 2);
  EXPECT_EQ(ended.complaint, "spawn-test: there are more producers than threads\n");
}

TEST(spawn_program, sets_up_the_runtime_as_asked) {
  test_runner runner;
  spawn_setup seen;
  const std::vector<std::string> policies{"first", "second"};
  const std::vector<std::string> three{"fib", "--n", "10", "--threads", "2", "--cpus", "3,1,2"};
  ASSERT_EQ(run(runner, three, policies, &seen).status, 0);
  EXPECT_EQ(seen.cpus, (std::vector<int>{3, 1}));
  EXPECT_EQ(seen.policy, "first");
  const outcome ended =
      run(runner, {"fib", "--n", "10", "--threads", "2", "--policy", "second"}, policies, &seen);
  EXPECT_EQ(seen.policy, "second");
  EXPECT_EQ(nlohmann::json::parse(ended.output)["runtime"], "test-second");
}

TEST(spawn_program, ties_the_threads_unless_told_not_to) {
  test_runner runner;
  spawn_setup seen;
  ASSERT_EQ(run(runner, {"fib", "--n", "10", "--threads", "2"}, {}, &seen).status, 0);
  EXPECT_TRUE(seen.tied);
  ASSERT_EQ(run(runner, {"--untied", "fib", "--n", "10", "--threads", "2"}, {}, &seen).status, 0);
  EXPECT_FALSE(seen.tied);
}

TEST(spawn_program, lists_the_policies) {
  test_runner runner;
  const outcome ended = run(runner, {"--list"}, {"first", "second"});
  EXPECT_EQ(ended.output, "{\"runtime\":\"test\",\"policies\":[\"first\",\"second\"]}\n");
}

TEST(spawn_program, refuses_a_policy_that_there_is_not) {
  test_runner runner;
  const outcome ended = run(runner, {"fib", "--policy", "third"}, {"first", "second"});
  EXPECT_EQ(ended.status, 2);
  EXPECT_EQ(ended.complaint, "spawn-test: test has no policy 'third'\n");
}

TEST(spawn_program, wants_to_be_told_what_to_measure) {
  test_runner runner;
  const outcome ended = run(runner, {"--batches", "1"});
  EXPECT_EQ(ended.status, 2);
  EXPECT_EQ(ended.complaint,
            "spawn-test: say what to measure: fib, tree, flat, uts, bots, cholesky or syrk\n");
  EXPECT_EQ(run(runner, {"fib", "flat"}).status, 2);
}

TEST(spawn_program, sets_a_capacity_only_where_it_can) {
  test_runner runner;
  spawn_setup seen;
  const std::vector<std::string> policies{"first", "second"};
  const std::vector<std::string> asked{"--queue-capacity", "16", "fib", "--n", "10"};
  const outcome refused = run(runner, asked, policies);
  EXPECT_EQ(refused.status, 2);
  EXPECT_EQ(refused.complaint,
            "spawn-test: the capacity of the queues of test-first can not be set\n");
  EXPECT_EQ(
      run(runner,
          {"--queue-capacity", "16", "--policy", "second", "fib", "--n", "10", "--threads", "2"},
          policies, &seen)
          .status,
      0);
  EXPECT_EQ(seen.queue_capacity, 16U);
}

TEST(spawn_program, runs_long_tasks_ahead) {
  test_runner runner;
  const outcome ended =
      run(runner, {"flat", "--producers", "2", "--threads", "2", "--tasks", "500", "--batches", "1",
                   "--long-tasks", "3", "--long-ns", "2e6", "--spin-steps-per-us", "100"});
  ASSERT_EQ(ended.status, 0) << ended.complaint;
  EXPECT_EQ(ended.line()["tasks"], 1003);
  // 3 times 200,000 steps: at least 0.2 ms each on any machine, within the time of one thread.
  EXPECT_GT(ended.line()["ns"][0], 100.0);
}

TEST(spawn_program, refuses_long_tasks_of_no_known_share) {
  test_runner runner;
  const std::vector<std::string> flat{"flat", "--long-tasks", "3", "--long-ns", "2"};
  const auto complaint_with = [&](const std::vector<std::string>& more) {
    std::vector<std::string> all = flat;
    all.insert(all.end(), more.begin(), more.end());
    const outcome ended = run(runner, all);
    EXPECT_EQ(ended.status, 2);
    return ended.complaint;
  };
  EXPECT_EQ(complaint_with({"--tasks", "5"}),
            "spawn-test: --long-tasks needs --spin-steps-per-us\n");
  EXPECT_EQ(complaint_with({"--spin-steps-per-us", "1"}),
            "spawn-test: --long-tasks needs --tasks: it says what they are mixed with\n");
}

// ---- the many-tasking paper's work unit ----

TEST(spawn_program, adds_up_one_over_the_odd_numbers) {
  EXPECT_EQ(fg::bench::run_work_unit(0), 0.0);
  EXPECT_EQ(fg::bench::run_work_unit(1), 1.0);
  EXPECT_DOUBLE_EQ(fg::bench::run_work_unit(4), 1 + 1.0 / 3 + 1.0 / 5 + 1.0 / 7);
}

double ns_of_flat(const std::vector<std::string>& words) {
  test_runner runner;
  std::vector<std::string> all{"flat", "--tasks", "100", "--batches", "1"};
  all.insert(all.end(), words.begin(), words.end());
  const outcome ended = run(runner, all);
  EXPECT_EQ(ended.status, 0) << ended.complaint;
  return ended.line()["ns"][0];
}

// A file that is removed with the test.
class numbers_file {
 public:
  explicit numbers_file(const std::string& text)
      : path_{testing::TempDir() + "spawn_program_numbers"} {
    std::ofstream{path_} << text;
  }
  ~numbers_file() { std::remove(path_.c_str()); }
  numbers_file(const numbers_file&) = delete;
  numbers_file& operator=(const numbers_file&) = delete;

  [[nodiscard]] const std::string& path() const { return path_; }

 private:
  std::string path_;
};

std::string lines_of(int count, const std::string& line) {
  std::string text;
  for (int i = 0; i < count; ++i) {
    text += line + "\n";
  }
  return text;
}

TEST(spawn_program, runs_tasks_of_so_many_iterations) {
  // A division each: at least 0.1 ns on any machine.
  EXPECT_GT(ns_of_flat({"--iterations", "100000"}), 10'000);
}

TEST(spawn_program, runs_tasks_of_as_many_iterations_as_a_file_has) {
  // The last task has enough iterations for the mean to show them, wherever it is.
  const numbers_file numbers{lines_of(99, "0") + "10000000"};
  EXPECT_GT(ns_of_flat({"--iterations-from", numbers.path()}), 10'000);
}

TEST(spawn_program, refuses_a_list_that_is_none_or_too_short) {
  const auto refusal_of = [](const std::string& text, const std::vector<std::string>& more) {
    const numbers_file numbers{text};
    test_runner runner;
    std::vector<std::string> all{"flat", "--iterations-from", numbers.path()};
    all.insert(all.end(), more.begin(), more.end());
    const outcome ended = run(runner, all);
    EXPECT_EQ(ended.status, 2);
    return ended.complaint;
  };
  const std::vector<std::string> three{"--tasks", "3"};
  EXPECT_NE(refusal_of("1 2 x", three).find("'x' is no number"), std::string::npos);
  EXPECT_NE(refusal_of("1 -2 3", three).find("'-2' is no number"), std::string::npos);
  EXPECT_NE(refusal_of("1 99999999999999999999", three).find("is no number"), std::string::npos);
  EXPECT_NE(refusal_of("", three).find("no numbers in"), std::string::npos);
  EXPECT_EQ(refusal_of("1 2", three),
            "spawn-test: --iterations-from has numbers for 2 tasks only\n");
  EXPECT_EQ(refusal_of("1 2", {}),
            "spawn-test: --iterations-from needs --tasks, and goes with no --long-tasks\n");
}

TEST(spawn_program, runs_a_complete_tree) {
  test_runner runner;
  const outcome ended =
      run(runner, {"tree", "--children", "3", "--depth", "4", "--batches", "2", "--threads", "2"});
  ASSERT_EQ(ended.status, 0) << ended.complaint;
  EXPECT_EQ(ended.line()["children"], 3);
  EXPECT_EQ(ended.line()["depth"], 4);
  EXPECT_EQ(ended.line()["tasks"], 3 + 9 + 27 + 81);
  EXPECT_EQ(ended.line()["ns"].size(), 2U);
  EXPECT_DOUBLE_EQ(ended.line()["offloaded_share"], 1.0 / 3);
}

TEST(spawn_program, takes_a_depth_that_fills_the_batch) {
  test_runner runner;
  const outcome ended =
      run(runner, {"tree", "--batch-ms", "20", "--batches", "1", "--threads", "2"});
  ASSERT_EQ(ended.status, 0) << ended.complaint;
  EXPECT_GT(ended.line()["depth"], 5);
  EXPECT_LT(ended.line()["depth"], 40);
}

TEST(spawn_program, refuses_a_tree_that_loses_a_child) {
  for (const int incomplete_from : {1, 2, 3, 4}) {  // the untimed one, two batches, counted
    test_runner runner{{.incomplete_from = incomplete_from}};
    const outcome ended = run(
        runner, {"tree", "--children", "3", "--depth", "4", "--batches", "2", "--threads", "2"});
    EXPECT_EQ(ended.status, 3);
    EXPECT_EQ(ended.complaint, "spawn-test: the tree has 81 leaves, not 54\n");
  }
}

TEST(spawn_program, refuses_trees_that_take_days) {
  test_runner runner;
  EXPECT_EQ(run(runner, {"tree", "--children", "100", "--depth", "7"}).status, 2);
  EXPECT_EQ(run(runner, {"tree", "--children", "1", "--depth", "7"}).status, 2);
}

TEST(spawn_program, refuses_a_wrong_search) {
  test_runner runner;
  for (const std::vector<std::string>& wrong : {std::vector<std::string>{"uts"},
                                                {"uts", "--tree", "T2"},
                                                {"uts", "--tree", "T1", "--granularity", "11"}}) {
    const outcome ended = run(runner, wrong);
    EXPECT_EQ(ended.status, 2);
    EXPECT_EQ(ended.output, "");
  }
}

}  // namespace
