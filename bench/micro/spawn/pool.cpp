// spawn-pool: fg::pool under any of its policies.
#include "finegrain/pool/pool.hpp"

#include <sched.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <stdexcept>
#include <string>
#include <vector>

#include "finegrain/algorithm/pool_broadcast.hpp"
#include "finegrain/algorithm/pool_fork_join.hpp"
#include "finegrain/core/config.hpp"
#include "finegrain/pool/policies.hpp"
#include "finegrain/pool/task_group.hpp"
#include "micro/spawn/flat_job.hpp"
#include "micro/spawn/plain_runner.hpp"
#include "micro/spawn/spawn_runtime.hpp"
#include "runtimes/pinning.hpp"

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
  const std::uint64_t first = job.first_of(producer);
  for (std::uint64_t i = first; i < first + job.tasks_each; ++i) {
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

// The pool takes its workers' CPUs from those that its maker may use. The kernel leaves out what it
// does not have.
void use_only(const std::vector<int>& cpus) {
  cpu_set_t set;
  CPU_ZERO(&set);
  for (const int cpu : cpus) {
    CPU_SET(static_cast<std::size_t>(cpu), &set);
  }
  static_cast<void>(sched_setaffinity(0, sizeof set, &set));
  const std::vector<int> usable = fg::usable_cpus();
  for (const int cpu : cpus) {
    if (std::ranges::find(usable, cpu) == usable.end()) {
      throw std::runtime_error("can not run on CPU " + std::to_string(cpu));
    }
  }
}

void session(const fg::bench::spawn_setup& setup,
             const std::function<void(fg::bench::task_runner&)>& body) {
  use_only(setup.cpus);
  fg::bench::require_cpu(setup.cpus.front());
  fg::pool pool{{.workers = setup.cpus.size(),
                 .policy = setup.policy,
                 .placement = fg::worker_placement::every_cpu}};
  if (!pool.shortage().empty()) {
    throw std::runtime_error(pool.shortage());
  }
  fg::bench::plain_runner runner{[]<class Leaf>(int n) { return forked_fib<Leaf>(n); }, run_flat};
  pool.run([&] { body(runner); });
}

}  // namespace

int main(int argc, char** argv) {
  std::vector<std::string> policies;
  policies.reserve(fg::kBalancingPolicies.size());
  for (const fg::balancing_policy& policy : fg::kBalancingPolicies) {
    policies.emplace_back(policy.name);
  }
  return fg::bench::spawn_main({.name = "pool",
                                .version = "finegrain " FINEGRAIN_VERSION,
                                .policies = policies,
                                .session = session},
                               argc, argv);
}
