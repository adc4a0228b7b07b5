// A runtime for tests of the frame of the spawn programs.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <gtest/gtest.h>

#include <cstddef>
#include <cstdint>
#include <functional>
#include <nlohmann/json.hpp>
#include <string>
#include <thread>
#include <type_traits>
#include <utility>
#include <vector>

#include "programs/spawn/plain_runner.hpp"
#include "programs/spawn/spawn_runtime.hpp"
#include "programs/spawn/workloads/balanced_walks.hpp"
#include "programs/spawn/workloads/flat_job.hpp"
#include "programs/spawn/workloads/leaves.hpp"
#include "programs/spawn/workloads/serial_forms.hpp"
#include "programs/spawn/workloads/tile_job.hpp"
#include "programs/spawn/workloads/uts_walks.hpp"
#include "programs/spawn/workloads/walk.hpp"

namespace fg::bench::spawn_test {

/// Tasks that are plain calls, except for the first one if it is to be lost.
struct losing_tasks {
  bool* loses;

  class group {
   public:
    explicit group(losing_tasks tasks) : loses_{tasks.loses} {}

    template <class Task>
    void spawn(Task task) {
      if (!std::exchange(*loses_, false)) {
        task(losing_tasks{loses_});
      }
    }
    void wait() {}

   private:
    bool* loses_;
  };
};

/// Serial, except that part of a counted run is on a thread of its own. Timed runs start no thread,
/// because that may take any time. `wrong_from` is the first fib with a wrong result;
/// `incomplete_from` the first walk that loses the root's last child; `losing_run` the run of an
/// application, if any, that loses its first task; `lossy_run` the one tile program that loses its
/// last task.
struct test_forms {
  int wrong_from = 1'000'000;
  int incomplete_from = 1'000'000;
  int lossy_run = 1'000'000;
  int fibs = 0;
  int walks = 0;
  int losing_run = 0;
  int runs = 0;
  int tile_runs = 0;

  // The whole right half of a counted tree on another thread.
  template <class Leaf>
  std::uint64_t fib(int n) {
    std::uint64_t right = 0;
    run_beside<std::is_same_v<Leaf, census_leaf>>([&] { right = called_fib<Leaf>(n - 2); });
    return called_fib<Leaf>(n - 1) + right + (++fibs >= wrong_from ? 1 : 0);
  }

  // Each producer on a thread of its own.
  static void flat(const flat_job& job) {
    std::vector<std::thread> others;
    const auto produce = [&job](std::size_t producer) {
      call_tasks(job, job.first_of(producer), job.end_of(producer));
    };
    for (std::size_t producer = 1; producer < job.producers; ++producer) {
      others.emplace_back(produce, producer);
    }
    produce(0);
    for (std::thread& other : others) {
      other.join();
    }
  }

  // The root's first child and its subtree run on another thread if it is counted.
  template <tree_walk Walk>
  typename Walk::result walk(const Walk& tree) {
    const typename Walk::node root = tree.root();
    const std::uint32_t children = tree.children(root);
    typename Walk::result sum{};
    tree.visit(root, children, sum);
    typename Walk::result first{};
    constexpr bool kIsTimed = std::is_same_v<Walk, balanced_walk> || std::is_same_v<Walk, uts_walk>;
    run_beside<!kIsTimed>([&] { call_below(tree, tree.child(root, 0), first); });
    sum += first;
    const std::uint32_t run = ++walks >= incomplete_from ? children - 1 : children;
    for (std::uint32_t index = 1; index < run; ++index) {
      call_below(tree, tree.child(root, index), sum);
    }
    return sum;
  }

  template <class Root>
  void with_tasks(bool /*tied*/, const Root& root) {
    bool loses = ++runs == losing_run;
    root(losing_tasks{&loses});
  }

  // The first half runs on another thread.
  void run(const tile_job& job) {
    const std::uint32_t lost = ++tile_runs == lossy_run ? 1 : 0;
    const auto part = [&job](std::uint32_t first, std::uint32_t last) {
      for (std::uint32_t task = first; task < last; ++task) {
        job.run(task);
      }
    };
    run_beside<true>([&] { part(0, job.tasks() / 2); });
    part(job.tasks() / 2, job.tasks() - lost);
  }

 private:
  template <bool OnThread, class Part>
  static void run_beside(Part part) {
    if constexpr (OnThread) {
      std::thread{part}.join();
    } else {
      part();
    }
  }
};

class test_runner : public plain_runner<test_forms> {
 public:
  explicit test_runner(test_forms forms = {}) : plain_runner{forms} {}
};

struct outcome {
  int status;
  std::string output;
  std::string complaint;

  [[nodiscard]] nlohmann::json line() const { return nlohmann::json::parse(output); }
};

/// The result of a program with such a `main` and these arguments.
inline outcome run_main(const std::function<int(int, char**)>& main,
                        std::vector<std::string> arguments) {
  arguments.insert(arguments.begin(), "spawn-test");
  std::vector<char*> pointers;
  pointers.reserve(arguments.size() + 1);
  for (std::string& argument : arguments) {
    pointers.push_back(argument.data());
  }
  pointers.push_back(nullptr);
  testing::internal::CaptureStdout();
  testing::internal::CaptureStderr();
  const int status = main(static_cast<int>(arguments.size()), pointers.data());
  return {status, testing::internal::GetCapturedStdout(), testing::internal::GetCapturedStderr()};
}

/// The frame over `runner`.
inline outcome run(task_runner& runner, std::vector<std::string> arguments,
                   std::vector<std::string> policies = {}, spawn_setup* seen = nullptr) {
  const spawn_runtime runtime{
      .name = "test",
      .version = "7",
      .policies = std::move(policies),
      .session =
          [&](const spawn_setup& setup, const std::function<void(task_runner&)>& body) {
            if (seen != nullptr) {
              *seen = setup;
            }
            body(runner);
          },
      .sets_queue_capacity = [](const std::string& policy) { return policy == "second"; }};
  return run_main([&](int argc, char** argv) { return spawn_main(runtime, argc, argv); },
                  std::move(arguments));
}

}  // namespace fg::bench::spawn_test
