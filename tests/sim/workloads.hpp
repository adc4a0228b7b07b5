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
  /// Otherwise it has threads of its own, and is run outside of any pool.
  bool is_of_pool = true;
};

/// fib: forks of a recursion without a cut-off, whose argument is the largest one that makes no more
/// than so many. flat-one, flat-all: tasks of 500 ns, spawned into a group by one worker, or by each
/// into one of its own. parallel-for: elements of 100 ns. tree: a search of an unbalanced tree, as
/// in the Unbalanced Tree Search, each node of 100 ns with a group for its children. graph: a square
/// wavefront of nodes of 500 ns, built once and run four times. regions, barriers: so many empty
/// parallel regions of the OpenMP library, or one region with so many barriers, each of all threads;
/// a task is one thread's part of one. handoff, handoff-64: tasks handed to a relic's assistant one
/// by one, or 64 at a time; queue-one-way, queue-throughput: items through a ring to another thread,
/// which sends each back, or does not. These four are of two threads, whatever is asked for.
// NOLINTNEXTLINE(readability-identifier-naming): a constant
extern const std::array<workload, 12> kWorkloads;

// omp/regions.cpp
std::uint64_t run_regions(std::uint64_t threads, std::uint64_t times);
std::uint64_t run_barriers(std::uint64_t threads, std::uint64_t times);

// pairs.cpp
std::uint64_t hand_over_one_by_one(std::uint64_t threads, std::uint64_t times);
std::uint64_t hand_over_bursts(std::uint64_t threads, std::uint64_t times);
std::uint64_t pass_to_and_fro(std::uint64_t threads, std::uint64_t times);
std::uint64_t pass_on(std::uint64_t threads, std::uint64_t times);

}  // namespace sim
