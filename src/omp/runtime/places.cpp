// SPDX-License-Identifier: Apache-2.0
#include "places.hpp"

#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <iterator>
#include <optional>
#include <string>
#include <utility>

#include "binding_request.hpp"
#include "bound_at_load.hpp"
#include "finegrain/core/atomic.hpp"
#include "finegrain/host/affinity.hpp"
#include "finegrain/host/host_view.hpp"
#include "finegrain/thread/no_cancellation.hpp"

namespace fg::omp::runtime {
namespace {

struct cpus_at_start {
  std::vector<int> ids;
  int count = 1;  // more, if some cannot be told
};

cpus_at_start find_cpus() {
  const bound_at_load native = find_bound_at_load();
  cpus_at_start found;
  std::ranges::set_union(usable_cpus(), native.cpus, std::back_inserter(found.ids));
  found.count = std::max({1, native.all, static_cast<int>(found.ids.size())});
  if (found.ids.empty()) {
    found.count = static_cast<int>(std::max(sysconf(_SC_NPROCESSORS_ONLN), 1L));
  }
  return found;
}

// Outlives all threads, as the table below. Without memory for it the program ends.
const cpus_at_start& at_start() {
  // NOLINTNEXTLINE(bugprone-unhandled-exception-at-new)
  static const auto* const cpus = new cpus_at_start{find_cpus()};
  return *cpus;
}

// Once, although more than one function asks.
void tell_no_cpu_left() {
  static constinit atomic<bool> is_told{false};
  if (!is_told.exchange(true, memory_order_relaxed)) {  // it orders nothing
    std::fputs("finegrain-omp: KMP_HW_SUBSET is ignored: it leaves no CPU\n", stderr);
  }
}

std::vector<int> all_cpus(const topology& known) {
  std::vector<int> ids;
  std::ranges::transform(known.cpus, std::back_inserter(ids), &logical_cpu::id);
  return ids;
}

std::optional<hw_subset> subset_now() {
  const char* const text = std::getenv("KMP_HW_SUBSET");
  return text != nullptr ? read_hw_subset(text) : std::nullopt;
}

layer layer_of(abstract_places name, const machine& here) noexcept {
  switch (name) {
    case abstract_places::threads:
      return layer::thread;
    case abstract_places::ll_caches:
      return here.last_cache();
    case abstract_places::numa_domains:
      return layer::numa_domain;
    case abstract_places::sockets:
      return layer::socket;
    case abstract_places::cores:
      break;
  }
  return layer::core;
}

// Without the CPUs that the process may not use.
std::vector<place> usable_part(const std::vector<place>& listed, const place& cpus) {
  std::vector<place> found;
  for (const place& each : listed) {
    place usable;
    std::ranges::set_intersection(each, cpus, std::back_inserter(usable));
    if (!usable.empty()) {
      found.push_back(std::move(usable));
    }
  }
  return found;
}

std::vector<place> by_distance(const kmp_affinity& asked, const machine& here) {
  const auto permute = static_cast<std::size_t>(asked.permute);
  const std::size_t most = here.depth() - 1;
  std::size_t innermost = std::min(permute, most);
  if (asked.type == kmp_affinity::order::scatter) {
    innermost = most - innermost;
  } else if (asked.type == kmp_affinity::order::balanced) {
    innermost = 0;
  }
  std::vector<place> found = here.parts_by_distance(asked.places.in(here), innermost);
  if (!found.empty()) {
    const auto offset = static_cast<std::size_t>(asked.offset) % found.size();
    std::ranges::rotate(found, found.begin() + static_cast<std::ptrdiff_t>(offset));
  }
  return found;
}

std::vector<place> find_places(const binding_request& asked, const place& cpus) {
  if (!asked.listed.empty()) {
    return usable_part(asked.listed, cpus);
  }
  const machine here{system_topology(), cpus};
  if (asked.by_distance) {
    return by_distance(*asked.by_distance, here);
  }
  if (!asked.named) {
    return {cpus};
  }
  std::vector<place> found = here.parts(layer_of(asked.named->name, here));
  if (asked.named->most && *asked.named->most < found.size()) {
    found.resize(*asked.named->most);
  }
  return found;
}

cpu_set mask_of(const place& cpus) {
  cpu_set mask;
  for (const int cpu : cpus) {
    if (cpu < cpu_set::most()) {
      mask.add(cpu);
    }
  }
  return mask;
}

place_table make_table() {
  const fg::detail::no_cancellation guard;  // it reads files
  const binding_request& asked = requested_binding();
  if (!asked.is_wanted) {
    return {};
  }
  const place cpus = cpus_of_process();
  place_table made{.places = find_places(asked, cpus), .masks = {}, .at_start = mask_of(cpus)};
  std::ranges::transform(made.places, std::back_inserter(made.masks), mask_of);
  if (made.places.empty()) {
    std::fprintf(stderr,
                 "finegrain-omp: threads are not bound: no place has a CPU that the process may "
                 "use\n");
  } else if (asked.is_verbose) {
    std::fprintf(stderr, "finegrain-omp: KMP_AFFINITY: %zu CPUs, %zu places: %s\n", cpus.size(),
                 made.places.size(), to_text(made.places).c_str());
  }
  return made;
}

}  // namespace

std::vector<int> cpus_of_process() {
  const std::optional<hw_subset> subset = subset_now();
  const bool respects = requested_binding().respects;
  if (!subset && respects) {
    return at_start().ids;
  }
  const topology known = system_topology();
  std::vector<int> cpus = respects ? at_start().ids : all_cpus(known);
  if (subset) {
    std::vector<int> kept = subset->cpus_of(machine{known, cpus});
    if (!kept.empty()) {
      return kept;
    }
    tell_no_cpu_left();
  }
  return cpus;
}

int count_cpus_of_process() {
  const std::vector<int> cpus = cpus_of_process();
  return cpus.size() == at_start().ids.size() ? at_start().count : static_cast<int>(cpus.size());
}

const place_table& places() noexcept {
  // NOLINTNEXTLINE(bugprone-unhandled-exception-at-new)
  static const auto* const table = new place_table{make_table()};
  return *table;
}

}  // namespace fg::omp::runtime
