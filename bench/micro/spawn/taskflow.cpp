// spawn-taskflow: Taskflow.
#include <cstdint>
#include <exception>
#include <functional>
#include <memory>
#include <string>
#include <taskflow/taskflow.hpp>
#include <vector>

#include "micro/spawn/flat_job.hpp"
#include "micro/spawn/leaves.hpp"
#include "micro/spawn/spawn_runtime.hpp"
#include "runtimes/pinning.hpp"

namespace {

// The form of Taskflow's own fib: the caller's half runs in its runtime, not in a new one. Spawning
// the smaller half is the faster way round (2 vCPUs of an AMD EPYC, Taskflow 3.9, wall ns per spawn
// on 2 threads): 40 against 43.
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
  const std::uint64_t first = job.first_of(producer);
  for (std::uint64_t i = first; i < first + job.tasks_each; ++i) {
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

// The tree's root is a task too: the main thread is none of the workers.
struct runner : fg::bench::task_runner {
  explicit runner(tf::Executor& executor) : executor_{executor} {}

  std::uint64_t fib(int n) override {
    std::uint64_t value = 0;
    executor_
        .async([n, &value](tf::Runtime& runtime) {
          value = async_fib<fg::bench::fib_leaf>(n, runtime);
        })
        .get();
    return value;
  }
  std::uint64_t leaves_elsewhere(int n) override {
    std::uint64_t leaves = 0;
    executor_
        .async([n, &leaves](tf::Runtime& runtime) {
          fg::bench::leaf_census::begin();
          leaves = async_fib<fg::bench::census_leaf>(n, runtime);
        })
        .get();
    return leaves;
  }
  void flat(const fg::bench::flat_job& job) override {
    executor_.async([&job](tf::Runtime& runtime) { run_flat(job, runtime); }).get();
  }

 private:
  tf::Executor& executor_;
};

// Ties every worker to its CPU. A refused CPU shows in the sample, which reports where they were.
struct place_workers : tf::WorkerInterface {
  explicit place_workers(std::vector<int> cpus) : cpus_{std::move(cpus)} {}
  void scheduler_prologue(tf::Worker& worker) override {
    static_cast<void>(fg::pin_this_thread(cpus_.at(worker.id())));
  }
  void scheduler_epilogue(tf::Worker& /*worker*/, std::exception_ptr /*error*/) override {}

 private:
  std::vector<int> cpus_;
};

void session(const fg::bench::spawn_setup& setup,
             const std::function<void(fg::bench::task_runner&)>& body) {
  tf::Executor executor{setup.cpus.size(), std::make_shared<place_workers>(setup.cpus)};
  runner runner{executor};
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
