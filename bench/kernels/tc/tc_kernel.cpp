// SPDX-License-Identifier: Apache-2.0
#include "kernels/tc/tc_kernel.hpp"

#include <utility>

#include "kernels/tc/tc_check.hpp"

namespace fg::bench {

tc_kernel::tc_kernel(csr_graph graph) : graph_(std::move(graph)) {}

void tc_kernel::run() noexcept {
  std::uint64_t total = 0;
  for (node_id node = 0; node < graph_.num_nodes(); ++node) {
    for (const node_id neighbor : graph_.neighbors(node)) {
      if (neighbor > node) {
        break;
      }
      total += count_common_below(node, neighbor);
    }
  }
  num_triangles_ = total;
}

/// The nodes below `neighbor` that are neighbours of both. Requires `neighbor` < `node`.
std::uint64_t tc_kernel::count_common_below(node_id node, node_id neighbor) const noexcept {
  std::uint64_t common = 0;
  // Never runs past its end: `node` itself is in the list, and above all values that are compared.
  const node_id* candidate = graph_.neighbors(neighbor).data();
  for (const node_id third : graph_.neighbors(node)) {
    if (third >= neighbor) {
      break;
    }
    while (*candidate < third) {
      ++candidate;
    }
    common += *candidate == third ? 1 : 0;
  }
  return common;
}

std::optional<std::string> tc_kernel::check() const { return check_tc(graph_, num_triangles_); }

void tc_kernel::clear() noexcept { num_triangles_ = kNotCounted; }

}  // namespace fg::bench
