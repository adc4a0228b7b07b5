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

#include "finegrain/algorithm/pool_fork_join.hpp"
#include "finegrain/core/config.hpp"
#include "finegrain/pool/policies.hpp"
#include "micro/spawn/leaves.hpp"
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

struct runner : fg::bench::fib_runner {
  std::uint64_t fib(int n) override { return forked_fib<fg::bench::fib_leaf>(n); }
  std::uint64_t leaves_elsewhere(int n) override {
    fg::bench::leaf_census::begin();
    return forked_fib<fg::bench::census_leaf>(n);
  }
};

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
             const std::function<void(fg::bench::fib_runner&)>& body) {
  use_only(setup.cpus);
  fg::bench::require_cpu(setup.cpus.front());
  fg::pool pool{{.workers = setup.cpus.size(),
                 .policy = setup.policy,
                 .placement = fg::worker_placement::every_cpu}};
  if (!pool.shortage().empty()) {
    throw std::runtime_error(pool.shortage());
  }
  runner runner;
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
