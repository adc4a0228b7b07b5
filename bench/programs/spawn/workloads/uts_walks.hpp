// The Unbalanced Tree Search's trees.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cstdint>

#include "finegrain/core/clock.hpp"
#include "kernels/uts/search.hpp"
#include "kernels/uts/tree.hpp"
#include "programs/frame/thread_census.hpp"
#include "programs/spawn/workloads/timeline.hpp"
#include "programs/spawn/workloads/walk.hpp"
#include "programs/spawn/workloads/work_counter.hpp"

namespace fg::bench {

/// The search as it is timed.
struct uts_walk {
  using node = uts::node;
  using result = uts::count;
  static constexpr bool kWaitsAtEveryNode = false;  // only the sum is needed

  uts::tree_spec tree;

  [[nodiscard]] node root() const noexcept { return uts::root(tree); }
  [[nodiscard]] std::uint32_t children(const node& at) const noexcept {
    return uts::children(tree, at);
  }
  [[nodiscard]] node child(const node& at, std::uint32_t index) const noexcept {
    return uts::child(tree, at, index);
  }
  static void visit(const node& at, std::uint32_t children, result& found) noexcept {
    ++found.nodes;
    found.leaves += children == 0 ? 1 : 0;
    found.depth = std::max(found.depth, at.depth);
  }
};
static_assert(tree_walk<uts_walk>);

/// The same, with its nodes counted by thread.
struct uts_census : uts_walk {
  static void visit(const node& at, std::uint32_t children, result& found) {
    thread_census::count();
    uts_walk::visit(at, children, found);
  }
};
static_assert(tree_walk<uts_census>);

/// The same, with a record of when each node was computed, and by which thread.
struct uts_timeline : uts_walk {
  [[nodiscard]] node child(const node& at, std::uint32_t index) const {
    const std::uint64_t begin = ticks();
    const node made = uts_walk::child(at, index);
    timeline::note(begin, ticks());
    return made;
  }
  static void visit(const node& at, std::uint32_t children, result& found) {
    if (at.depth == 0) {  // has no parent
      const std::uint64_t now = ticks();
      timeline::note(now, now);
    }
    uts_walk::visit(at, children, found);
  }
};
static_assert(tree_walk<uts_timeline>);

/// The search of a process beside this one, which reports its progress: a subtree may be a quarter
/// of the whole, so its nodes count as they are visited. On one thread and with one sum.
struct uts_told_walk : uts_walk {
  /// 13 us of nodes (EPYC 9004).
  static constexpr std::uint64_t kTellEvery = 256;

  work_counter* told;

  void visit(const node& at, std::uint32_t children, result& found) const noexcept {
    uts_walk::visit(at, children, found);
    if (found.nodes % kTellEvery == 0) {
      told->add(kTellEvery);
    }
  }
};
static_assert(tree_walk<uts_told_walk>);

}  // namespace fg::bench
