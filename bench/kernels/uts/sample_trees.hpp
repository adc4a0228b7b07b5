// The sample trees that come with the Unbalanced Tree Search benchmark.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>
#include <string_view>

#include "kernels/uts/search.hpp"
#include "kernels/uts/tree.hpp"

namespace fg::bench::uts {

/// A tree and its published results.
struct sample_tree {
  std::string_view name;
  tree_spec tree;   // with granularity 1
  count published;  // by the authors of the benchmark; every search is compared with it
};

/// T1, geometric, and T3, binomial, of 4.1 million nodes each; T3L, binomial, of 111 million, the
/// one of X-OpenMP's Figs 13 and 14. Any thread.
[[nodiscard]] std::span<const sample_tree> sample_trees();

/// The tree of that name. Throws std::invalid_argument with a one-line message for any other name.
[[nodiscard]] const sample_tree& find_sample_tree(std::string_view name);

}  // namespace fg::bench::uts
