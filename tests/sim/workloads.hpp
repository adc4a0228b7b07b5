// What simulated pools run.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstdint>
#include <string_view>

namespace sim {

/// A program for a pool of a number of workers. The work a worker stays about the same.
struct workload {
  std::string_view name;
  std::uint64_t tasks_a_worker;  ///< unless it is told otherwise
  /// Within `pool::run`. Returns the number of tasks, which is close to workers * tasks_a_worker.
  std::uint64_t (*run)(std::uint64_t workers, std::uint64_t tasks_a_worker);
};

/// fib: forks of a recursion without a cut-off, whose argument is the largest one that makes no more
/// than so many. flat-one, flat-all: tasks of 500 ns, spawned into a group by one worker, or by each
/// into one of its own. parallel-for: elements of 100 ns. tree: a search of an unbalanced tree, as
/// in the Unbalanced Tree Search, each node of 100 ns with a group for its children. graph: a square
/// wavefront of nodes of 500 ns, built once and run four times.
// NOLINTNEXTLINE(readability-identifier-naming): a constant
extern const std::array<workload, 6> kWorkloads;

}  // namespace sim
