// SPDX-License-Identifier: Apache-2.0
#include "kernels/cc/cc_kernel.hpp"

#include <algorithm>
#include <limits>
#include <numeric>
#include <utility>

#include "kernels/cc/cc_check.hpp"

namespace fg::bench {

cc_kernel::cc_kernel(csr_graph graph) : graph_(std::move(graph)), labels_(graph_.num_nodes()) {
  clear();
}

void cc_kernel::run() noexcept {
  std::iota(labels_.data(), labels_.data() + labels_.size(), node_id{0});
  while (hook()) {
    compress();
  }
}

/// Hooks along every edge. Returns whether any label changed.
bool cc_kernel::hook() noexcept {
  bool changed = false;
  for (node_id node = 0; node < graph_.num_nodes(); ++node) {
    for (const node_id neighbor : graph_.neighbors(node)) {
      // Reloaded for each edge: the previous hook may have changed the label of `node`.
      const node_id label = labels_[node];
      const node_id other = labels_[neighbor];
      const node_id low = std::min(label, other);
      const node_id high = std::max(label, other);
      if (low != high && labels_[high] == high) {
        labels_[high] = low;
        changed = true;
      }
    }
  }
  return changed;
}

/// Makes every label a root.
void cc_kernel::compress() noexcept {
  for (node_id& label : labels_.span()) {
    while (label != labels_[label]) {
      label = labels_[label];
    }
  }
}

std::optional<std::string> cc_kernel::check() const { return check_cc(graph_, labels()); }

void cc_kernel::clear() noexcept {
  std::fill_n(labels_.data(), labels_.size(), std::numeric_limits<node_id>::max());
}

}  // namespace fg::bench
