// spawn-pool: fg::pool under any of its policies.
// SPDX-License-Identifier: Apache-2.0
#include "finegrain/pool/pool.hpp"

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <stdexcept>
#include <string>
#include <vector>

#include "finegrain/algorithm/pool/broadcast.hpp"
#include "finegrain/algorithm/pool/fork_join.hpp"
#include "finegrain/core/config.hpp"
#include "finegrain/pool/policies.hpp"
#include "finegrain/pool/task_group.hpp"
#include "programs/frame/pinning.hpp"
#include "programs/spawn/plain_runner.hpp"
#include "programs/spawn/spawn_runtime.hpp"
#include "programs/spawn/workloads/flat_job.hpp"
#include "programs/spawn/workloads/group_tasks.hpp"
#include "programs/spawn/workloads/thread_sums.hpp"
#include "programs/spawn/workloads/tile_graph.hpp"
#include "programs/spawn/workloads/tile_job.hpp"
#include "programs/spawn/workloads/walk.hpp"

namespace {

template <class Leaf>
std::uint64_t forked_fib(int n) {
  if (n < 2) {
    return Leaf::value(n);
  }
  const auto [first, second] = fg::fork_join([n] { return forked_fib<Leaf>(n - 1); },
                                             [n] { return forked_fib<Leaf>(n - 2); });
  return first + second;
}

void produce(const fg::bench::flat_job& job, std::size_t producer) {
  fg::task_group group;
  const std::uint64_t end = job.end_of(producer);
  for (std::uint64_t i = job.first_of(producer); i < end; ++i) {
    group.spawn([&job, i] { job.run(i); });
  }
  group.wait();
}

void run_flat(const fg::bench::flat_job& job) {
  fg::broadcast([&job](std::size_t worker) {
    if (worker < job.producers) {
      produce(job, worker);
    }
  });
}

// The remaining children of a node; lives on the stack of the worker that forks.
template <class Walk>
struct siblings {
  const Walk& walk;
  const typename Walk::node& parent;
  std::uint32_t index;  // of the first one
  std::uint32_t end;
  fg::worker* owner;
  std::optional<typename Walk::result> elsewhere{};  // another worker's result for the rest
};

template <fg::bench::tree_walk Walk>
void fork_below(const Walk& walk, const typename Walk::node& at, typename Walk::result& sum);

// Forks into one child here and the rest of them. Only another worker runs the rest as a whole, the
// owner continues with it in this loop: that keeps one frame per level on the stack. A search took
// 50.1 ns per node on one thread, by plain calls 49.1; with the rest as a recursive call of its own
// 57.5, by halves 53.8 (T1 to depth 7, 2 vCPUs of an AMD EPYC). 11 instructions per node more than
// calls.
template <fg::bench::tree_walk Walk>
void fork_children(const Walk& walk, const typename Walk::node& parent, std::uint32_t first,
                   std::uint32_t end, typename Walk::result& sum) {
  siblings<Walk> left{
      .walk = walk, .parent = parent, .index = first, .end = end, .owner = fg::worker::current()};
  const auto child = [&left, &sum] {
    fork_below(left.walk, left.walk.child(left.parent, left.index), sum);
  };
  const auto rest = [&left] {
    if (fg::worker::current() != left.owner) {
      fork_children(left.walk, left.parent, left.index + 1, left.end, left.elsewhere.emplace());
    }
  };
  for (; left.index + 1 < end; ++left.index) {
    fg::fork_join(child, rest);
    if (left.elsewhere) {
      sum += *left.elsewhere;
      return;
    }
  }
  child();
}

template <fg::bench::tree_walk Walk>
void fork_below(const Walk& walk, const typename Walk::node& at, typename Walk::result& sum) {
  const std::uint32_t children = walk.children(at);
  walk.visit(at, children, sum);
  if (children > 0) {
    fork_children(walk, at, 0, children, sum);
  }
}

// One task per child, all spawned before the first one runs. For the policies that hand tasks to
// other workers unasked, with which the rest of the children is too much at once: 40 to 44 ns per
// node on 2 threads under X-OpenMP's three, where forking took 116, 136 and more (as above).
template <fg::bench::tree_walk Walk>
void spawn_below(const Walk& walk, const typename Walk::node& at) {
  const std::uint32_t children = walk.children(at);
  walk.visit(at, children, fg::bench::thread_sums<Walk>::own());
  if (children == 0) {
    return;
  }
  fg::task_group group;
  for (std::uint32_t index = 1; index < children; ++index) {
    group.spawn([&walk, &at, index] { spawn_below(walk, walk.child(at, index)); });
  }
  spawn_below(walk, walk.child(at, 0));
  group.wait();
}

struct forms;

// The same for all policies.
using pool_tasks = fg::bench::group_tasks<fg::task_group, forms>;

struct forms {
  bool forks_walks;

  template <class Leaf>
  static std::uint64_t fib(int n) {
    return forked_fib<Leaf>(n);
  }
  static void flat(const fg::bench::flat_job& job) { run_flat(job); }
  template <fg::bench::tree_walk Walk>
  [[nodiscard]] typename Walk::result walk(const Walk& tree) const {
    if (forks_walks) {
      typename Walk::result sum{};
      fork_below(tree, tree.root(), sum);
      return sum;
    }
    return fg::bench::summed<Walk>([&tree] { spawn_below(tree, tree.root()); });
  }
  template <class Root>
  static void with_tasks(bool /*tied*/, const Root& root) {
    root(pool_tasks{});
  }
  // cholesky of 1024 rows on 2 threads in tiles of 32, 64, 128 and 256 rows: 64, 64, 56 and 53
  // GFLOP/s; with the others spawned in the program's order 52, 64, 54 and 51 (2 vCPUs of a busy
  // Intel Xeon, model 207). Spawning all, or continuing with the last one: no difference beyond the
  // noise.
  static void run(const fg::bench::tile_job& job) { fg::bench::tile_run{job, pool_tasks{}}(); }
};

// Whether a worker under that policy keeps spawned tasks until another worker takes them, in a
// queue that grows.
bool keeps_tasks(const std::string& policy) {
  return policy == "private_deque" || policy == "chase_lev";
}

class runner final : public fg::bench::plain_runner<forms> {
 public:
  runner(const fg::pool& pool, const fg::bench::spawn_setup& setup)
      : plain_runner{forms{keeps_tasks(setup.policy)}} {
    if (setup.queue_capacity != 0 && pool.queue_capacity() != setup.queue_capacity) {
      note_ = "a queue holds " + std::to_string(pool.queue_capacity()) + " tasks";
    }
  }

  [[nodiscard]] std::string note() const override { return note_; }

 private:
  std::string note_;
};

void session(const fg::bench::spawn_setup& setup,
             const std::function<void(fg::bench::task_runner&)>& body) {
  if (setup.tied) {
    fg::bench::use_only(setup.cpus);
    fg::bench::require_cpu(setup.cpus.front());
  }
  fg::pool pool{
      {.workers = setup.cpus.size(),
       .policy = setup.policy,
       .queue_capacity = setup.queue_capacity,
       .placement = setup.tied ? fg::worker_placement::every_cpu : fg::worker_placement::untied}};
  if (!pool.shortage().empty()) {
    throw std::runtime_error(pool.shortage());
  }
  runner runner{pool, setup};
  pool.run([&] { body(runner); });
}

}  // namespace

int main(int argc, char** argv) {
  std::vector<std::string> policies;
  policies.reserve(fg::detail::kBalancingPolicies.size());
  for (const fg::detail::balancing_policy& policy : fg::detail::kBalancingPolicies) {
    policies.emplace_back(policy.name);
  }
  return fg::bench::spawn_main(
      {.name = "pool",
       .version = "finegrain " FINEGRAIN_VERSION,
       .policies = policies,
       .session = session,
       .sets_queue_capacity = [](const std::string& policy) { return !keeps_tasks(policy); }},
      argc, argv);
}
