// SPDX-License-Identifier: Apache-2.0
#include "programs/pipeline/timed_runs.hpp"

#include <algorithm>

#include "finegrain/host/affinity.hpp"

namespace fg::bench {

token_result timed_runs(const token_plan& plan, token_stages& stages, const run_tokens& run) {
  using clock = std::chrono::steady_clock;
  const auto timed_run = [&] {
    stages.begin(plan.tokens);
    const clock::time_point begin = clock::now();
    run();
    const std::chrono::duration<double, std::nano> taken = clock::now() - begin;
    stages.check();
    return taken.count() / static_cast<double>(plan.tokens);
  };

  const clock::time_point end = clock::now() + plan.warmup;
  do {
    static_cast<void>(timed_run());
  } while (clock::now() < end);
  token_result result;
  for (int i = 0; i < plan.runs; ++i) {
    result.ns.push_back(timed_run());
  }

  stages.watch(plan.tokens);
  static_cast<void>(timed_run());
  const std::vector<int> cpus = stages.cpus();
  const auto here = static_cast<double>(std::ranges::count(cpus, current_cpu()));
  result.elsewhere = 1 - here / static_cast<double>(cpus.size());
  result.cpus = {cpus.begin(), cpus.end()};
  return result;
}

}  // namespace fg::bench
