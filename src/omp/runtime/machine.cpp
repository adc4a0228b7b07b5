// SPDX-License-Identifier: Apache-2.0
#include "machine.hpp"

#include <algorithm>
#include <map>

namespace fg::omp::runtime {
namespace {

constexpr std::array kAllLayers{layer::socket, layer::numa_domain, layer::l3,
                                layer::l2,     layer::core,        layer::thread};

// What names its part of each layer.
std::array<int, kLayers> names_of(const logical_cpu& cpu) noexcept {
  return {cpu.package, cpu.numa_node, cpu.l3, cpu.l2, cpu.core, cpu.id};
}

}  // namespace

machine::machine(const topology& of, const std::vector<int>& cpus) {
  std::vector<logical_cpu> known;
  known.reserve(cpus.size());
  for (const int id : cpus) {
    const logical_cpu* const found = of.find(id);
    known.push_back(found != nullptr ? *found : logical_cpu{.id = id, .core = id});
  }
  std::ranges::sort(known, {}, names_of);
  // The numbers of parts in the order of their first CPUs.
  std::array<std::map<int, int>, kLayers> numbers;
  for (const logical_cpu& each : known) {
    located one{.cpu = each.id};
    const std::array<int, kLayers> names = names_of(each);
    for (std::size_t i = 0; i < kLayers; ++i) {
      one.in_whole[i] = numbers[i].emplace(names[i], counts_[i]).first->second;
      counts_[i] = static_cast<int>(numbers[i].size());
      is_described_[i] = is_described_[i] || names[i] >= 0;
    }
    cpus_.push_back(one);
  }
  number_within_parents();
}

// The part around a thread is its core; around others the smallest that has several of them: caches
// and NUMA domains are often the same as cores or sockets, or not described.
void machine::number_within_parents() noexcept {
  for (const layer which : kAllLayers) {
    const auto at = static_cast<std::size_t>(which);
    std::size_t parent = which == layer::thread ? at - 1 : at;
    if (which != layer::thread) {
      do {
        --parent;  // beyond the socket: the whole machine
      } while (parent < kLayers &&
               (!is_described_[parent] || count(kAllLayers[parent]) == count(which)));
      if (which == layer::core && parent >= kLayers) {
        parent = 0;
      }
    }
    int first = 0;
    for (std::size_t i = 0; i < cpus_.size(); ++i) {
      const bool is_new_parent = i == 0 || (parent < kLayers && cpus_[i].in_whole[parent] !=
                                                                    cpus_[i - 1].in_whole[parent]);
      first = is_new_parent ? cpus_[i].in_whole[at] : first;
      cpus_[i].in_parent[at] = cpus_[i].in_whole[at] - first;
    }
  }
}

std::vector<place> machine::parts(layer which) const { return parts_by_distance(which, 0); }

layer machine::last_cache() const noexcept {
  for (const layer cache : {layer::l3, layer::l2}) {
    if (is_described_[static_cast<std::size_t>(cache)]) {
      return cache;
    }
  }
  return layer::socket;
}

// Layers that divide the machine further than those around them. Sockets, cores and threads always
// count.
std::vector<layer> machine::told_apart() const {
  std::vector<layer> found{layer::socket};
  for (const layer between : {layer::numa_domain, layer::l3, layer::l2}) {
    if (count(between) > count(found.back()) && count(between) < count(layer::core)) {
      found.push_back(between);
    }
  }
  found.insert(found.end(), {layer::core, layer::thread});
  return found;
}

std::vector<place> machine::parts_by_distance(layer which, std::size_t innermost) const {
  std::vector<layer> order = told_apart();
  std::ranges::reverse(order);
  innermost = std::min(innermost, order.size());
  std::reverse(order.begin() + static_cast<std::ptrdiff_t>(innermost), order.end());
  std::vector<located> sorted = cpus_;
  std::ranges::sort(sorted, [&order](const located& a, const located& b) {
    const auto differs = [&](layer each) { return a.relative(each) != b.relative(each); };
    const auto at = std::ranges::find_if(order, differs);
    return at != order.end() ? a.relative(*at) < b.relative(*at)
                             : a.whole(layer::thread) < b.whole(layer::thread);
  });
  std::vector<place> found;
  std::vector<std::size_t> place_of(static_cast<std::size_t>(count(which)), sorted.size());
  for (const located& each : sorted) {
    std::size_t& its = place_of[static_cast<std::size_t>(each.whole(which))];
    if (its == sorted.size()) {
      its = found.size();
      found.emplace_back();
    }
    found[its].push_back(each.cpu);
  }
  for (place& each : found) {
    std::ranges::sort(each);
  }
  return found;
}

}  // namespace fg::omp::runtime
