// spawn-onetbb: oneAPI Threading Building Blocks.
// SPDX-License-Identifier: Apache-2.0
#include <oneapi/tbb/global_control.h>
#include <oneapi/tbb/parallel_invoke.h>
#include <oneapi/tbb/task_arena.h>
#include <oneapi/tbb/task_group.h>
#include <oneapi/tbb/task_scheduler_observer.h>
#include <oneapi/tbb/version.h>

#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "programs/frame/pinning.hpp"
#include "programs/spawn/deep_stacks.hpp"
#include "programs/spawn/plain_runner.hpp"
#include "programs/spawn/spawn_runtime.hpp"
#include "programs/spawn/workloads/flat_job.hpp"
#include "programs/spawn/workloads/group_tasks.hpp"
#include "programs/spawn/workloads/thread_sums.hpp"
#include "programs/spawn/workloads/tile_graph.hpp"
#include "programs/spawn/workloads/tile_job.hpp"
#include "programs/spawn/workloads/walk.hpp"

namespace {

// parallel_invoke was the fastest of three forms here (2 vCPUs of an AMD EPYC, oneTBB 2023.2, wall
// ns per spawn on 1 and 2 threads): this 81 and 41, task_group's run and wait 96 and 48, run and
// run_and_wait 124 and 62.
template <class Leaf>
std::uint64_t invoked_fib(int n) {
  if (n < 2) {
    return Leaf::value(n);
  }
  std::uint64_t first = 0;
  std::uint64_t second = 0;
  tbb::parallel_invoke([&] { first = invoked_fib<Leaf>(n - 1); },
                       [&] { second = invoked_fib<Leaf>(n - 2); });
  return first + second;
}

void produce(const fg::bench::flat_job& job, std::size_t producer) {
  tbb::task_group group;
  const std::uint64_t end = job.end_of(producer);
  for (std::uint64_t i = job.first_of(producer); i < end; ++i) {
    group.run([&job, i] { job.run(i); });
  }
  group.wait();
}

void run_flat(const fg::bench::flat_job& job) {
  fg::bench::start_gate gate{job.producers};
  tbb::task_group others;
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
  walk.visit(at, children, fg::bench::thread_sums<Walk>::own());
  if (children == 0) {
    return;
  }
  tbb::task_group group;
  for (std::uint32_t index = 1; index < children; ++index) {
    group.run([&walk, &at, index] { group_walk(walk, walk.child(at, index)); });
  }
  group_walk(walk, walk.child(at, 0));
  group.wait();
}

// One group for all: 39 ns per node of T1 on 2 threads and 76 on one, where one group per node
// takes 45 and 90, parallel_for over the children 46 and 88, parallel_invoke of one child and the
// rest 68 and 117 (T1 to depth 7, otherwise as above).
template <fg::bench::tree_walk Walk>
void walk_in(tbb::task_group& group, const Walk& walk, const typename Walk::node& at) {
  const std::uint32_t children = walk.children(at);
  walk.visit(at, children, fg::bench::thread_sums<Walk>::own());
  for (std::uint32_t index = 1; index < children; ++index) {
    group.run([&group, &walk, at, index] { walk_in(group, walk, walk.child(at, index)); });
  }
  if (children > 0) {
    walk_in(group, walk, walk.child(at, 0));
  }
}

template <fg::bench::tree_walk Walk>
void run_walk(const Walk& walk) {
  if constexpr (Walk::kWaitsAtEveryNode) {
    group_walk(walk, walk.root());
  } else {
    tbb::task_group group;
    walk_in(group, walk, walk.root());
    group.wait();
  }
}

struct forms;

// As the manual recommends for tasks whose number is not known beforehand.
using onetbb_tasks = fg::bench::group_tasks<tbb::task_group, forms>;

struct forms {
  template <class Leaf>
  static std::uint64_t fib(int n) {
    return invoked_fib<Leaf>(n);
  }
  static void flat(const fg::bench::flat_job& job) { run_flat(job); }
  template <fg::bench::tree_walk Walk>
  static typename Walk::result walk(const Walk& tree) {
    return fg::bench::summed<Walk>([&tree] { run_walk(tree); });
  }
  template <class Root>
  static void with_tasks(bool /*tied*/, const Root& root) {
    root(onetbb_tasks{});
  }
  // cholesky of 1024 rows on 2 threads in tiles of 32, 64, 128 and 256 rows: 78, 93, 77 and 58
  // GFLOP/s; with a flow graph's continue_nodes 53, 87, 76 and 62 (2 vCPUs of an Intel Xeon, model
  // 207).
  static void run(const fg::bench::tile_job& job) { fg::bench::tile_run{job, onetbb_tasks{}}(); }
};

// Pins every thread that enters the arena to the CPU of its slot. A failed pin shows in the sample,
// which reports where the threads ran.
class place_threads : public tbb::task_scheduler_observer {
 public:
  place_threads(tbb::task_arena& arena, const std::vector<int>& cpus)
      : task_scheduler_observer{arena}, cpus_{cpus} {
    observe(true);
  }
  ~place_threads() override { observe(false); }
  place_threads(const place_threads&) = delete;
  place_threads& operator=(const place_threads&) = delete;

  void on_scheduler_entry(bool /*is_worker*/) override {
    const int place = tbb::this_task_arena::current_thread_index();
    static_cast<void>(fg::pin_this_thread(cpus_.at(static_cast<std::size_t>(place))));
  }

 private:
  const std::vector<int>& cpus_;
};

void session(const fg::bench::spawn_setup& setup,
             const std::function<void(fg::bench::task_runner&)>& body) {
  const std::size_t threads = setup.cpus.size();
  const tbb::global_control limit{tbb::global_control::max_allowed_parallelism, threads};
  const tbb::global_control stacks{tbb::global_control::thread_stack_size,
                                   fg::bench::kDeepStackBytes};
  tbb::task_arena arena{static_cast<int>(threads), 1};
  arena.initialize();
  std::optional<place_threads> placement;
  if (setup.tied) {
    placement.emplace(arena, setup.cpus);
  }
  arena.execute([&body] {
    fg::bench::plain_runner runner{forms{}};
    body(runner);
  });
}

}  // namespace

int main(int argc, char** argv) {
  return fg::bench::spawn_main({.name = "onetbb",
                                .version = std::string{"oneTBB "} + TBB_runtime_version(),
                                .policies = {},
                                .session = session},
                               argc, argv);
}
