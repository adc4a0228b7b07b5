// spawn-taskflow: Taskflow.
// SPDX-License-Identifier: Apache-2.0
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <taskflow/taskflow.hpp>
#include <vector>

#include "programs/frame/taskflow_places.hpp"
#include "programs/spawn/plain_runner.hpp"
#include "programs/spawn/spawn_runtime.hpp"
#include "programs/spawn/workloads/flat_job.hpp"
#include "programs/spawn/workloads/thread_sums.hpp"
#include "programs/spawn/workloads/tile_job.hpp"
#include "programs/spawn/workloads/walk.hpp"

namespace {

// The form of Taskflow's own fib: the caller's half runs in its runtime, not in a new one. Spawning
// the smaller half is faster than the reverse (2 vCPUs of an AMD EPYC, Taskflow 3.9, wall ns per
// spawn on 2 threads): 40 against 43.
template <class Leaf>
std::uint64_t async_fib(int n, tf::Runtime& runtime) {
  if (n < 2) {
    return Leaf::value(n);
  }
  std::uint64_t spawned = 0;
  runtime.silent_async(
      [n, &spawned](tf::Runtime& child) { spawned = async_fib<Leaf>(n - 2, child); });
  const std::uint64_t own = async_fib<Leaf>(n - 1, runtime);
  runtime.corun_all();
  return spawned + own;
}

void produce(const fg::bench::flat_job& job, std::size_t producer, tf::Runtime& runtime) {
  const std::uint64_t end = job.end_of(producer);
  for (std::uint64_t i = job.first_of(producer); i < end; ++i) {
    runtime.silent_async([&job, i] { job.run(i); });
  }
  runtime.corun_all();
}

void run_flat(const fg::bench::flat_job& job, tf::Runtime& runtime) {
  fg::bench::start_gate gate{job.producers};
  for (std::size_t producer = 1; producer < job.producers; ++producer) {
    runtime.silent_async([&job, &gate, producer](tf::Runtime& child) {
      gate.arrive_and_wait();
      produce(job, producer, child);
    });
  }
  gate.arrive_and_wait();
  produce(job, 0, runtime);  // and the other producers
}

// One task per child, each with a runtime of its own: T3 took 159 to 175 ns per node on 2 threads
// (as above), 204 to 270 in the form below, 232 to 257 with one runtime for all and a wait at the
// root.
template <fg::bench::tree_walk Walk>
void async_walk(const Walk& walk, const typename Walk::node& at, tf::Runtime& runtime) {
  const std::uint32_t children = walk.children(at);
  walk.visit(at, children, fg::bench::thread_sums<Walk>::own());
  if (children == 0) {
    return;
  }
  for (std::uint32_t index = 0; index < children; ++index) {
    runtime.silent_async([&walk, &at, index](tf::Runtime& child) {
      async_walk(walk, walk.child(at, index), child);
    });
  }
  runtime.corun_all();
}

// With the first child called in its parent's runtime, as in fib: 29 to 36 ns per node of a
// complete binary tree on 2 threads, where the form above takes 50 to 229. A wait is for everything
// that was spawned in the runtime, also further up, which costs more than it gains if a root has
// 2000 children.
template <fg::bench::tree_walk Walk>
void async_walk_with_call(const Walk& walk, const typename Walk::node& at, tf::Runtime& runtime) {
  const std::uint32_t children = walk.children(at);
  walk.visit(at, children, fg::bench::thread_sums<Walk>::own());
  if (children == 0) {
    return;
  }
  for (std::uint32_t index = 1; index < children; ++index) {
    runtime.silent_async([&walk, &at, index](tf::Runtime& child) {
      async_walk_with_call(walk, walk.child(at, index), child);
    });
  }
  async_walk_with_call(walk, walk.child(at, 0), runtime);
  runtime.corun_all();
}

template <fg::bench::tree_walk Walk>
void run_walk(const Walk& walk, tf::Runtime& runtime) {
  if constexpr (Walk::kWaitsAtEveryNode) {
    async_walk_with_call(walk, walk.root(), runtime);
  } else {
    async_walk(walk, walk.root(), runtime);
  }
}

// A task with a runtime of its own, through which it spawns and waits, as Taskflow's manual
// recommends for recursive tasks.
class taskflow_tasks {
 public:
  explicit taskflow_tasks(tf::Runtime& runtime) : runtime_{&runtime} {}

  class group {
   public:
    explicit group(taskflow_tasks tasks) : runtime_{tasks.runtime_} {}

    template <class Task>
    void spawn(Task task) {
      runtime_->silent_async([task](tf::Runtime& own) { task(taskflow_tasks{own}); });
    }
    void wait() { runtime_->corun_all(); }

   private:
    tf::Runtime* runtime_;
  };

 private:
  tf::Runtime* runtime_;
};

// A graph with one node per task.
tf::Taskflow flow_of(const fg::bench::tile_job& job) {
  tf::Taskflow flow;
  std::vector<tf::Task> nodes;
  nodes.reserve(job.tasks());
  for (const fg::bench::tiles::task& task : job.program.tasks) {
    nodes.push_back(flow.emplace([&job, &task] { job.run(task); }));
  }
  fg::bench::each_dependence(job.program, [&nodes](std::uint32_t before, std::uint32_t after) {
    nodes[before].precede(nodes[after]);
  });
  return flow;
}

// A tree's root is a task too: the main thread is not a worker.
class forms {
 public:
  explicit forms(tf::Executor& executor) : executor_{&executor} {}

  template <class Leaf>
  [[nodiscard]] std::uint64_t fib(int n) const {
    std::uint64_t value = 0;
    run_root([n, &value](tf::Runtime& runtime) { value = async_fib<Leaf>(n, runtime); });
    return value;
  }
  void flat(const fg::bench::flat_job& job) const {
    run_root([&job](tf::Runtime& runtime) { run_flat(job, runtime); });
  }
  template <fg::bench::tree_walk Walk>
  [[nodiscard]] typename Walk::result walk(const Walk& tree) const {
    return fg::bench::summed<Walk>(
        [&] { run_root([&tree](tf::Runtime& runtime) { run_walk(tree, runtime); }); });
  }
  template <class Root>
  void with_tasks(bool /*tied*/, const Root& root) const {
    run_root([&root](tf::Runtime& runtime) { root(taskflow_tasks{runtime}); });
  }
  void run(const fg::bench::tile_job& job) const { executor_->run(flow_of(job)).wait(); }

 private:
  template <class Root>
  void run_root(Root root) const {
    executor_->async(root).get();
  }

  tf::Executor* executor_;
};

void session(const fg::bench::spawn_setup& setup,
             const std::function<void(fg::bench::task_runner&)>& body) {
  tf::Executor executor{
      setup.cpus.size(),
      setup.tied ? std::make_shared<fg::bench::taskflow_places>(setup.cpus) : nullptr};
  fg::bench::plain_runner runner{forms{executor}};
  body(runner);
}

}  // namespace

int main(int argc, char** argv) {
  return fg::bench::spawn_main({.name = "taskflow",
                                .version = std::string{"Taskflow "} + tf::version(),
                                .policies = {},
                                .session = session},
                               argc, argv);
}
