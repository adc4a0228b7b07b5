// The frame of the spawn programs: what it believes of a runtime, and what not.
#include <gtest/gtest.h>

#include <cstddef>
#include <cstdint>
#include <functional>
#include <nlohmann/json.hpp>
#include <string>
#include <thread>
#include <vector>

#include "micro/spawn/flat_job.hpp"
#include "micro/spawn/leaves.hpp"
#include "micro/spawn/spawn_runtime.hpp"

namespace {

using fg::bench::leaf_census;
using fg::bench::spawn_runtime;
using fg::bench::spawn_setup;
using fg::bench::task_runner;

template <class Leaf>
std::uint64_t plain_fib(int n) {
  return n < 2 ? Leaf::value(n) : plain_fib<Leaf>(n - 1) + plain_fib<Leaf>(n - 2);
}

// Serial; `wrong_from` is the first call of fib that lies.
class test_runner : public task_runner {
 public:
  explicit test_runner(int wrong_from = 1'000'000) : wrong_from_{wrong_from} {}

  std::uint64_t fib(int n) override {
    const bool lies = ++calls_ >= wrong_from_;
    return plain_fib<fg::bench::fib_leaf>(n) + (lies ? 1 : 0);
  }
  // The whole right half of the tree on another thread.
  std::uint64_t leaves_elsewhere(int n) override {
    leaf_census::begin();
    std::uint64_t right = 0;
    std::thread other{[&] { right = plain_fib<fg::bench::census_leaf>(n - 2); }};
    other.join();
    return plain_fib<fg::bench::census_leaf>(n - 1) + right;
  }
  // Each producer on a thread of its own.
  void flat(const fg::bench::flat_job& job) override {
    std::vector<std::thread> others;
    const auto produce = [&job](std::size_t producer) {
      for (std::uint64_t i = 0; i < job.tasks_each; ++i) {
        job.run(job.first_of(producer) + i);
      }
    };
    for (std::size_t producer = 1; producer < job.producers; ++producer) {
      others.emplace_back(produce, producer);
    }
    produce(0);
    for (std::thread& other : others) {
      other.join();
    }
  }

 private:
  int wrong_from_;
  int calls_ = 0;
};

// Forgets the last task of each producer, from the so-manieth loop on.
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

// As much work again was done elsewhere, whenever it is asked for.
class accompanied_runner : public test_runner {
 public:
  [[nodiscard]] std::uint64_t spawns_beside() const override { return asked_++ * 1'000'000'000; }

 private:
  mutable std::uint64_t asked_ = 0;
};

struct outcome {
  int status;
  std::string output;
  std::string complaint;
};

outcome run(task_runner& runner, std::vector<std::string> arguments,
            std::vector<std::string> policies = {}, spawn_setup* seen = nullptr) {
  const spawn_runtime runtime{
      .name = "test",
      .version = "7",
      .policies = std::move(policies),
      .session = [&](const spawn_setup& setup, const std::function<void(task_runner&)>& body) {
        if (seen != nullptr) {
          *seen = setup;
        }
        body(runner);
      }};
  arguments.insert(arguments.begin(), "spawn-test");
  std::vector<char*> pointers;
  pointers.reserve(arguments.size());
  for (std::string& argument : arguments) {
    pointers.push_back(argument.data());
  }
  testing::internal::CaptureStdout();
  testing::internal::CaptureStderr();
  const int status =
      fg::bench::spawn_main(runtime, static_cast<int>(pointers.size()), pointers.data());
  return {status, testing::internal::GetCapturedStdout(), testing::internal::GetCapturedStderr()};
}

TEST(spawn_program, prints_a_number_a_batch) {
  test_runner runner;
  const outcome ended = run(runner, {"--n", "12", "--batches", "3", "--threads", "2"});
  ASSERT_EQ(ended.status, 0) << ended.complaint;
  const nlohmann::json line = nlohmann::json::parse(ended.output);
  EXPECT_EQ(line["runtime"], "test");
  EXPECT_EQ(line["threads"], 2);
  EXPECT_EQ(line["n"], 12);
  EXPECT_EQ(line["spawns"], 232);  // fib(13) - 1
  EXPECT_EQ(line["ns"].size(), 3U);
  EXPECT_GT(line["ns"][0], 0.0);
  EXPECT_EQ(line["version"], "7");
}

TEST(spawn_program, tells_the_share_of_leaves_elsewhere) {
  test_runner runner;
  const outcome ended = run(runner, {"--n", "12"});
  ASSERT_EQ(ended.status, 0) << ended.complaint;
  // fib(11) of fib(13) leaves.
  EXPECT_DOUBLE_EQ(nlohmann::json::parse(ended.output)["offloaded_share"], 89.0 / 233.0);
}

TEST(spawn_program, waits_a_while_for_the_other_threads) {
  class late_runner : public test_runner {
   public:
    std::uint64_t leaves_elsewhere(int) override { return ++trees_ < 20 ? 0 : 1; }

   private:
    int trees_ = 0;
  };
  const auto share_of = [](const char* threads) -> double {
    late_runner runner;
    const outcome ended = run(runner, {"--n", "12", "--threads", threads});
    return nlohmann::json::parse(ended.output)["offloaded_share"];
  };
  EXPECT_DOUBLE_EQ(share_of("2"), 1.0 / 233.0);
  EXPECT_EQ(share_of("1"), 0.0);
}

TEST(spawn_program, counts_what_was_done_beside) {
  test_runner alone;
  accompanied_runner accompanied;
  const std::vector<std::string> arguments{"--n", "20", "--batches", "1"};
  const auto ns_of = [&](task_runner& runner) -> double {
    return nlohmann::json::parse(run(runner, arguments).output)["ns"][0];
  };
  // 10^9 spawns beside the 10945 of the tree.
  EXPECT_LT(ns_of(accompanied), ns_of(alone) / 1000);
}

TEST(spawn_program, takes_an_n_that_fills_the_batch) {
  test_runner runner;
  const outcome ended = run(runner, {"--batch-ms", "1", "--batches", "1"});
  ASSERT_EQ(ended.status, 0) << ended.complaint;
  const nlohmann::json line = nlohmann::json::parse(ended.output);
  EXPECT_GT(line["n"], 10);
  EXPECT_LT(line["n"], 40);
}

TEST(spawn_program, refuses_a_wrong_result_before_and_after_the_timing) {
  for (const int wrong_from : {1, 2, 4}) {  // the check, the first batch, the last one
    test_runner runner{wrong_from};
    const outcome ended = run(runner, {"--n", "12", "--batches", "3"});
    EXPECT_EQ(ended.status, 3) << wrong_from;
    EXPECT_EQ(ended.output, "");
    EXPECT_EQ(ended.complaint, "spawn-test: fib(12) is 144, not 145\n");
  }
}

TEST(spawn_program, refuses_more_leaves_than_there_are) {
  class boasting_runner : public test_runner {
   public:
    std::uint64_t leaves_elsewhere(int) override { return 234; }
  } runner;
  const outcome ended = run(runner, {"--n", "12"});
  EXPECT_EQ(ended.status, 3);
  EXPECT_EQ(ended.complaint, "spawn-test: 234 of 233 leaves ran elsewhere\n");
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
  EXPECT_EQ(line["wall_ns"].size(), 3U);
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
  const std::vector<std::string> three{"--n", "10", "--threads", "2", "--cpus", "3,1,2"};
  ASSERT_EQ(run(runner, three, policies, &seen).status, 0);
  EXPECT_EQ(seen.cpus, (std::vector<int>{3, 1}));
  EXPECT_EQ(seen.policy, "first");
  const outcome ended = run(runner, {"--n", "10", "--policy", "second"}, policies, &seen);
  EXPECT_EQ(seen.policy, "second");
  EXPECT_EQ(nlohmann::json::parse(ended.output)["runtime"], "test-second");
}

TEST(spawn_program, lists_the_policies) {
  test_runner runner;
  const outcome ended = run(runner, {"--list"}, {"first", "second"});
  EXPECT_EQ(ended.output, "{\"runtime\":\"test\",\"policies\":[\"first\",\"second\"]}\n");
}

TEST(spawn_program, refuses_a_policy_that_there_is_not) {
  test_runner runner;
  const outcome ended = run(runner, {"--policy", "third"}, {"first", "second"});
  EXPECT_EQ(ended.status, 2);
  EXPECT_EQ(ended.complaint, "spawn-test: test has no policy 'third'\n");
}

}  // namespace
