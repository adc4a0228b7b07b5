// spawn-hpx: HPX.
// SPDX-License-Identifier: Apache-2.0
#include <cstddef>
#include <cstdint>
#include <functional>
#include <hpx/experimental/task_group.hpp>
#include <hpx/future.hpp>
#include <hpx/init.hpp>
#include <hpx/runtime.hpp>
#include <hpx/version.hpp>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

#include "finegrain/host/affinity.hpp"
#include "programs/spawn/plain_runner.hpp"
#include "programs/spawn/spawn_runtime.hpp"
#include "programs/spawn/workloads/flat_job.hpp"
#include "programs/spawn/workloads/group_tasks.hpp"
#include "programs/spawn/workloads/thread_sums.hpp"
#include "programs/spawn/workloads/tile_graph.hpp"
#include "programs/spawn/workloads/tile_job.hpp"
#include "programs/spawn/workloads/walk.hpp"

// Tried with HPX 2.0 as of April 2026, built without optimization: all forms run, but which are the
// fastest is not known.

namespace {

// The form of HPX's own fib.
template <class Leaf>
std::uint64_t async_fib(int n) {
  if (n < 2) {
    return Leaf::value(n);
  }
  hpx::future<std::uint64_t> spawned = hpx::async(&async_fib<Leaf>, n - 1);
  const std::uint64_t own = async_fib<Leaf>(n - 2);
  return spawned.get() + own;
}

void produce(const fg::bench::flat_job& job, std::size_t producer) {
  hpx::experimental::task_group group;
  const std::uint64_t end = job.end_of(producer);
  for (std::uint64_t i = job.first_of(producer); i < end; ++i) {
    group.run([&job, i] { job.run(i); });
  }
  group.wait();
}

void run_flat(const fg::bench::flat_job& job) {
  fg::bench::start_gate gate{job.producers};
  hpx::experimental::task_group others;
  for (std::size_t producer = 1; producer < job.producers; ++producer) {
    others.run([&job, &gate, producer] {
      gate.arrive_and_wait();
      produce(job, producer);
    });
  }
  gate.arrive_and_wait();
  produce(job, 0);
  others.wait();
}

// One group per node, in which the first child is called.
template <fg::bench::tree_walk Walk>
void group_walk(const Walk& walk, const typename Walk::node& at) {
  const std::uint32_t children = walk.children(at);
  fg::bench::visit_in_call(walk, at, children);
  if (children == 0) {
    return;
  }
  hpx::experimental::task_group group;
  for (std::uint32_t index = 1; index < children; ++index) {
    group.run([&walk, &at, index] { group_walk(walk, walk.child(at, index)); });
  }
  group_walk(walk, walk.child(at, 0));
  group.wait();
}

// One group for all. A node continues with its first child: a task's stack is small, and the tree
// may be deep.
template <fg::bench::tree_walk Walk>
void walk_in(hpx::experimental::task_group& group, const Walk& walk, typename Walk::node at) {
  for (;;) {
    const std::uint32_t children = walk.children(at);
    fg::bench::visit_in_call(walk, at, children);
    if (children == 0) {
      return;
    }
    for (std::uint32_t index = 1; index < children; ++index) {
      group.run([&group, &walk, child = walk.child(at, index)] { walk_in(group, walk, child); });
    }
    at = walk.child(at, 0);
  }
}

template <fg::bench::tree_walk Walk>
void run_walk(const Walk& walk) {
  if constexpr (Walk::kWaitsAtEveryNode) {
    group_walk(walk, walk.root());
  } else {
    hpx::experimental::task_group group;
    walk_in(group, walk, walk.root());
    group.wait();
  }
}

struct forms;

using hpx_tasks = fg::bench::group_tasks<hpx::experimental::task_group, forms>;

// A tree's root is a task too: the main thread is not a worker.
struct forms {
  template <class Leaf>
  static std::uint64_t fib(int n) {
    std::uint64_t value = 0;
    hpx::run_as_hpx_thread([n, &value] { value = async_fib<Leaf>(n); });
    return value;
  }
  static void flat(const fg::bench::flat_job& job) {
    hpx::run_as_hpx_thread([&job] { run_flat(job); });
  }
  template <fg::bench::tree_walk Walk>
  static typename Walk::result walk(const Walk& tree) {
    return fg::bench::summed<Walk>(
        [&tree] { hpx::run_as_hpx_thread([&tree] { run_walk(tree); }); });
  }
  template <class Root>
  static void with_tasks(bool /*tied*/, const Root& root) {
    hpx::run_as_hpx_thread([&root] { root(hpx_tasks{}); });
  }
  static void run(const fg::bench::tile_job& job) {
    hpx::run_as_hpx_thread([&job] { fg::bench::tile_run{job, hpx_tasks{}}(); });
  }
};

// Pins each worker to its CPU, once it has begun. A failed pin shows in the sample, which reports
// where the threads ran.
void place_workers(const std::vector<int>& cpus) {
  hpx::register_thread_on_start_func(
      [&cpus](std::size_t worker, std::size_t /*of_all*/, const char* /*pool*/, const char* kind) {
        if (std::string_view{kind} == "worker-thread") {
          static_cast<void>(fg::pin_this_thread(cpus.at(worker)));
        }
      });
}

void session(const fg::bench::spawn_setup& setup,
             const std::function<void(fg::bench::task_runner&)>& body) {
  const std::size_t threads = setup.cpus.size();
  if (setup.tied) {
    place_workers(setup.cpus);
  }
  std::string name = "spawn-hpx";
  std::string count = "--hpx:threads=" + std::to_string(threads);
  std::string unbound = "--hpx:bind=none";  // place_workers pins them
  std::vector<char*> arguments{name.data(), count.data(), unbound.data(), nullptr};
  if (!hpx::start(nullptr, 3, arguments.data())) {
    throw std::runtime_error("HPX can not start " + std::to_string(threads) + " threads");
  }
  {
    fg::bench::plain_runner runner{forms{}};
    body(runner);
  }
  hpx::post([] { hpx::finalize(); });
  hpx::stop();
}

}  // namespace

int main(int argc, char** argv) {
  return fg::bench::spawn_main({.name = "hpx",
                                .version = "HPX " + hpx::full_version_as_string(),
                                .policies = {},
                                .session = session},
                               argc, argv);
}
