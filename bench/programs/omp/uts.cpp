// Unbalanced Tree Search: one task per node, and a wait at every node for the counts of its
// children. Source: A. Duran, X. Teruel, R. Ferrer, X. Martorell, E. Ayguade, "Barcelona OpenMP
// Tasks Suite", whose search computes the children before it makes a task of each. The trees:
// bench/kernels/uts.
// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>

#include "kernels/uts/sample_trees.hpp"
#include "kernels/uts/search.hpp"
#include "kernels/uts/tree.hpp"
#include "programs/frame/program_errors.hpp"
#include "programs/omp/cases.hpp"
#include "programs/omp/omp_kernel.hpp"

namespace fg::bench {

namespace {

// A child and the result of its subtree. Members are set only when needed, because there is room
// for the greatest number of children that any node may have.
struct branch {
  uts::node top;
  std::uint64_t nodes;
  std::uint64_t leaves;
  std::uint32_t depth;
};

template <class Tally>
void search(const uts::tree_spec& tree, branch& from) {
  const std::uint32_t children = uts::children(tree, from.top);
  from.nodes = 1;
  from.leaves = children == 0 ? 1 : 0;
  from.depth = from.top.depth;
  if (children == 0) {
    return;
  }
  std::array<branch, uts::geometric_fixed::kMostChildren> below;
  for (std::uint32_t index = 0; index < children; ++index) {
    below[index].top = uts::child(tree, from.top, index);
#pragma omp task default(none) shared(tree, below) firstprivate(index)
    {
      Tally::count();
      search<Tally>(tree, below[index]);
    }
  }
#pragma omp taskwait
  for (std::uint32_t index = 0; index < children; ++index) {
    from.nodes += below[index].nodes;
    from.leaves += below[index].leaves;
    from.depth = std::max(from.depth, below[index].depth);
  }
}

template <class Tally>
uts::count region_search(const uts::tree_spec& tree) {
  branch whole{.top = uts::root(tree), .nodes = 0, .leaves = 0, .depth = 0};
#pragma omp parallel default(none) shared(tree, whole)
#pragma omp single
  search<Tally>(tree, whole);
  return {.nodes = whole.nodes, .leaves = whole.leaves, .depth = whole.depth};
}

class uts_kernel final : public omp_kernel {
 public:
  explicit uts_kernel(const uts::sample_tree& sample) : sample_(sample) {}

  void prepare() override { found_ = {}; }
  double run_ns() override {
    return elapsed_ns([this] { found_ = region_search<uncounted>(sample_.tree); });
  }
  void run_counted() override { found_ = region_search<counted_by_thread>(sample_.tree); }
  void check() const override {
    if (found_ != sample_.published) {
      throw wrong_result(std::string{sample_.name} + " has " +
                         std::to_string(sample_.published.nodes) + " nodes of depth " +
                         std::to_string(sample_.published.depth) + ", not " +
                         std::to_string(found_.nodes) + " of " + std::to_string(found_.depth));
    }
  }
  [[nodiscard]] std::optional<std::uint64_t> tasks() const override {
    return sample_.published.nodes - 1;  // the root is called
  }

 private:
  uts::sample_tree sample_;
  uts::count found_;
};

}  // namespace

std::unique_ptr<omp_kernel> make_uts_t1(const omp_request&) {
  return std::make_unique<uts_kernel>(uts::find_sample_tree("T1"));
}

}  // namespace fg::bench
