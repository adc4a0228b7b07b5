// SPDX-License-Identifier: Apache-2.0
#include "finegrain_info/machine_report.hpp"

#include <algorithm>

#include "finegrain/host/affinity.hpp"
#include "finegrain/pool/pool_cpus.hpp"

namespace fg::info {

std::vector<example_pair> find_example_pairs(const topology& cpus,
                                             const std::vector<int>& allowed) {
  std::vector<example_pair> found;
  for (std::size_t i = 0; i < allowed.size(); ++i) {
    for (std::size_t j = i + 1; j < allowed.size(); ++j) {
      const logical_cpu* const main = cpus.find(allowed[i]);
      const logical_cpu* const assistant = cpus.find(allowed[j]);
      if (main == nullptr || assistant == nullptr) {
        continue;
      }
      const proximity kind = proximity_of(*main, *assistant);
      if (std::ranges::find(found, kind, &example_pair::kind) == found.end()) {
        found.push_back({kind, main->id, assistant->id});
      }
    }
  }
  std::ranges::sort(found, {}, &example_pair::kind);
  return found;
}

machine_report describe_machine() {
  const host_view host = system_host_view();
  std::vector<int> allowed = allowed_cpus();
  placement pair = choose_placement(host, allowed, current_cpu(), {});
  std::vector<example_pair> placements = find_example_pairs(*host.cpus, allowed);
  std::vector<int> worker_cpus =
      detail::choose_pool_cpus(host, allowed, pair.main_cpu, worker_placement::one_per_core, 0)
          .cpus;
  worker_cpus.front() = pair.main_cpu;
  std::vector<detail::hybrid_cpus> workers =
      detail::add_assistants(*host.cpus, allowed, worker_cpus);
  return {.host = host,
          .allowed = std::move(allowed),
          .pair = std::move(pair),
          .placements = std::move(placements),
          .workers = std::move(workers)};
}

}  // namespace fg::info
