// Everything by plain calls: the baseline for a spawn.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "programs/spawn/workloads/flat_job.hpp"
#include "programs/spawn/workloads/tile_job.hpp"
#include "programs/spawn/workloads/walk.hpp"

namespace fg::bench {

template <class Leaf>
[[gnu::noinline]] std::uint64_t called_fib(int n) {
  return n < 2 ? Leaf::value(n) : called_fib<Leaf>(n - 1) + called_fib<Leaf>(n - 2);
}

/// Tasks `first` to `last` - 1 of a job.
inline void call_tasks(const flat_job& job, std::uint64_t first, std::uint64_t last) {
  for (std::uint64_t i = first; i < last; ++i) {
    job.run(i);
  }
}

/// Adds to one sum instead of returning one, to keep the frame small: there is one per level.
template <tree_walk Walk>
void call_below(const Walk& walk, const typename Walk::node& at, typename Walk::result& sum) {
  const std::uint32_t children = walk.children(at);
  walk.visit(at, children, sum);
  for (std::uint32_t index = 0; index < children; ++index) {
    call_below(walk, walk.child(at, index), sum);
  }
}

template <tree_walk Walk>
typename Walk::result called_walk(const Walk& walk) {
  typename Walk::result sum{};
  call_below(walk, walk.root(), sum);
  return sum;
}

/// A tile program, in its order.
inline void call_tiles(const tile_job& job) {
  for (const tiles::task& task : job.program.tasks) {
    job.run(task);
  }
}

}  // namespace fg::bench
