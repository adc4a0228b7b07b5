// The frame of the programs omp-RUNTIME: which results of a kernel it accepts, and which not.
// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <thread>
#include <vector>

#include "bench/programs/spawn_test_runner.hpp"
#include "programs/frame/program_errors.hpp"
#include "programs/omp/cases.hpp"
#include "programs/omp/omp_kernel.hpp"
#include "programs/omp/omp_main.hpp"

namespace {

using fg::bench::counted_by_thread;
using fg::bench::omp_case;
using fg::bench::omp_kernel;
using fg::bench::omp_request;
using fg::bench::spawn_test::outcome;
using fg::bench::spawn_test::run_main;

// The kernel's faults, and its record of calls.
struct behaviour {
  int wrong_run = 1'000'000;  // from this one on
  bool forgets_a_task = false;
  bool knows_its_tasks = true;
  bool is_slow_to_share = false;
  int prepared = 0;
  int runs = 0;
  std::optional<omp_request> request;
};
behaviour now;

// As many tasks as its size, the last quarter of them on another thread when they are counted.
class test_kernel final : public omp_kernel {
 public:
  explicit test_kernel(const omp_request& request) : tasks_(request.size) {}

  void prepare() override {
    ++now.prepared;
    is_right_ = false;
  }
  double run_ns() override {
    is_right_ = ++now.runs < now.wrong_run;
    return 100.0 + now.runs;
  }
  void run_counted() override {
    is_right_ = ++now.runs < now.wrong_run;
    const bool shares = !now.is_slow_to_share || now.runs > 10;
    const std::uint64_t elsewhere = shares ? tasks_ / 4 : 0;
    const auto count = [](std::uint64_t tasks) {
      for (std::uint64_t i = 0; i < tasks; ++i) {
        counted_by_thread::count();
      }
    };
    count(tasks_ - elsewhere - (now.forgets_a_task ? 1 : 0));
    if (elsewhere > 0) {
      std::thread{[&] { count(elsewhere); }}.join();
    }
  }
  void check() const override {
    if (!is_right_) {
      throw fg::bench::wrong_result("that is wrong");
    }
  }
  [[nodiscard]] std::optional<std::uint64_t> tasks() const override {
    return now.knows_its_tasks ? std::optional{tasks_} : std::nullopt;
  }
  [[nodiscard]] std::uint64_t loops() const override { return 7; }

 private:
  std::uint64_t tasks_;
  bool is_right_ = false;
};

std::unique_ptr<omp_kernel> make_test_kernel(const omp_request& request) {
  now.request = request;
  return std::make_unique<test_kernel>(request);
}

constexpr std::array<omp_case, 2> kCases{{
    {"tasks", 400, 4, 1000, true, make_test_kernel},
    {"construct", 400, 4, 1000, false, make_test_kernel},
}};

outcome run(const std::vector<std::string>& arguments, bool is_serial = false) {
  now.runs = 0;
  now.prepared = 0;
  const fg::bench::omp_program program{.runtime = "test",
                                       .version = "7",
                                       .is_serial = is_serial,
                                       .cases = kCases,
                                       .threads_of_a_region = [] { return std::size_t{2}; }};
  return run_main([&](int argc, char** argv) { return omp_main(program, argc, argv); }, arguments);
}

class omp_program : public testing::Test {
 protected:
  omp_program() { now = {}; }
};

TEST_F(omp_program, prints_a_number_a_batch) {
  const outcome ended = run({"--case", "tasks", "--threads", "2", "--batches", "3"});
  ASSERT_EQ(ended.status, 0) << ended.complaint;
  EXPECT_EQ(ended.line()["runtime"], "test");
  EXPECT_EQ(ended.line()["case"], "tasks");
  EXPECT_EQ(ended.line()["size"], 400);
  EXPECT_EQ(ended.line()["threads"], 2);
  EXPECT_EQ(ended.line()["tasks"], 400);
  EXPECT_EQ(ended.line()["loops"], 7);
  EXPECT_EQ(ended.line()["ns"], (std::vector{102.0, 103.0, 104.0}));  // not the first
  EXPECT_EQ(ended.line()["offloaded_share"], 0.25);
  EXPECT_TRUE(ended.line()["cpus"].is_array());
  EXPECT_EQ(ended.line()["version"], "7");
  EXPECT_EQ(ended.line()["note"], "");
  EXPECT_EQ(now.runs, 5);
  EXPECT_EQ(now.prepared, 5);
}

TEST_F(omp_program, tells_the_kernel_what_was_asked_for) {
  run({"--case", "tasks", "--size", "12", "--threads", "2", "--spin-steps-per-us", "5.5"});
  EXPECT_EQ(now.request->size, 12U);
  EXPECT_EQ(now.request->threads, 2U);
  EXPECT_EQ(now.request->spin_steps_per_us, 5.5);
}

TEST_F(omp_program, refuses_a_wrong_result_of_any_batch) {
  for (const int wrong_run : {1, 2, 4, 5}) {  // the untimed one, the first, the last, the counted
    now.wrong_run = wrong_run;
    const outcome ended = run({"--case", "tasks", "--threads", "2", "--batches", "3"});
    EXPECT_EQ(ended.status, 3) << wrong_run;
    EXPECT_EQ(ended.output, "");
    EXPECT_EQ(ended.complaint, "omp-test: that is wrong\n");
    EXPECT_EQ(now.runs, wrong_run);
  }
}

TEST_F(omp_program, refuses_another_number_of_tasks) {
  now.forgets_a_task = true;
  const outcome ended = run({"--case", "tasks", "--threads", "2"});
  EXPECT_EQ(ended.status, 3);
  EXPECT_EQ(ended.complaint, "omp-test: 399 tasks ran, not 400\n");
}

TEST_F(omp_program, counts_tasks_that_the_kernel_does_not_know) {
  now.forgets_a_task = true;
  now.knows_its_tasks = false;
  const outcome ended = run({"--case", "tasks", "--threads", "2"});
  ASSERT_EQ(ended.status, 0) << ended.complaint;
  EXPECT_EQ(ended.line()["tasks"], 399);
  EXPECT_EQ(ended.line()["offloaded_share"], 100.0 / 399);
}

TEST_F(omp_program, waits_a_while_for_the_other_threads) {
  now.is_slow_to_share = true;
  const outcome ended = run({"--case", "tasks", "--threads", "2"});
  ASSERT_EQ(ended.status, 0) << ended.complaint;
  EXPECT_EQ(ended.line()["offloaded_share"], 0.25);
}

TEST_F(omp_program, refuses_another_number_of_threads) {
  for (const char* threads : {"1", "3"}) {
    const outcome ended = run({"--case", "tasks", "--threads", threads});
    EXPECT_EQ(ended.status, 1);
    EXPECT_EQ(ended.output, "");
    EXPECT_EQ(ended.complaint,
              "omp-test: threads of a region: 2, not " + std::string{threads} + "\n");
    EXPECT_EQ(now.runs, 0);
  }
}

TEST_F(omp_program, refuses_what_makes_no_sense) {
  for (const std::vector<std::string>& wrong :
       {std::vector<std::string>{},
        {"--case", "none"},
        {"--case", "tasks", "--size", "3"},
        {"--case", "tasks", "--size", "1001"},
        {"--case", "tasks", "--threads", "0"},
        {"--case", "tasks", "--batches", "0"},
        {"--case", "tasks", "--spin-steps-per-us", "0"},
        {"--case", "tasks", "--cpus", "-1"},
        {"--case", "tasks", "--threads", "2", "--cpus", "0"}}) {
    const outcome ended = run(wrong);
    EXPECT_EQ(ended.status, 2) << ended.complaint;
    EXPECT_EQ(ended.output, "");
    EXPECT_EQ(now.runs, 0);
  }
}

TEST_F(omp_program, has_no_constructs_without_a_runtime) {
  EXPECT_EQ(run({"--case", "construct", "--threads", "2"}).status, 0);
  EXPECT_EQ(run({"--case", "tasks", "--threads", "2"}, true).status, 0);
  const outcome ended = run({"--case", "construct", "--threads", "2"}, true);
  EXPECT_EQ(ended.status, 2);
  EXPECT_EQ(ended.complaint, "omp-test: construct is nothing without a runtime\n");
}

TEST_F(omp_program, ties_itself_where_no_runtime_does) {
  EXPECT_EQ(run({"--case", "tasks", "--threads", "2", "--cpus", "5000,5001"}).status, 0);
  const outcome ended = run({"--case", "tasks", "--threads", "2", "--cpus", "5000,5001"}, true);
  EXPECT_EQ(ended.status, 1);
  EXPECT_NE(ended.complaint.find("cannot run on CPU 5000"), std::string::npos);
}

}  // namespace
