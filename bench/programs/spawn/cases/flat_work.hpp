// The work of the tasks of a flat loop.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <vector>

#include "finegrain/core/atomic.hpp"
#include "kernels/spin/lcg_chain.hpp"
#include "programs/frame/thread_census.hpp"
#include "programs/spawn/cases/work_unit.hpp"

namespace fg::bench {

/// A given number of steps of the spin kernel.
struct delay_work {
  std::uint64_t steps;
  void operator()(std::uint64_t index) const {
    const std::uint64_t walked = walk_lcg_chain(index, steps);
    asm volatile("" ::"r"(walked));  // so that it is computed
  }
};

/// A loop of 0 to `max_load` turns, pseudo-random by the task's number and the same on every runtime
/// (ompi-tasking-2012, section 4.1).
///
/// The paper's counter is volatile, which keeps the compiler from removing the loop, and so in
/// memory. There the same instructions took 13 us a task under one runtime and 36 under another
/// (Xeon, family 6, model 207): one cycle a turn or three, as if the processor had passed the last
/// store on at once or not. This one is kept from the compiler in a register.
struct loop_work {
  std::uint64_t max_load;
  void operator()(std::uint64_t index) const {
    const std::uint64_t turns = mixed(index) % (max_load + 1);
    for (std::uint64_t turn = 0; turn < turns; ++turn) {
      asm volatile("" : "+r"(turn));
    }
  }

 private:
  static std::uint64_t mixed(std::uint64_t x) {  // splitmix64 (Steele, Lea, Flood 2014)
    x += 0x9e3779b97f4a7c15U;
    x = (x ^ (x >> 30U)) * 0xbf58476d1ce4e5b9U;
    x = (x ^ (x >> 27U)) * 0x94d049bb133111ebU;
    return x ^ (x >> 31U);
  }
};

/// The many-tasking paper's work unit, of a given number of iterations.
struct unit_work {
  std::uint64_t iterations;
  void operator()(std::uint64_t /*index*/) const { run_work_unit(iterations); }
};

/// The same, with the number of iterations listed for each task.
struct listed_work {
  const std::vector<std::uint64_t>* iterations;
  void operator()(std::uint64_t index) const { run_work_unit((*iterations)[index]); }
};

/// The first `long_tasks` are long, the others do the work of `rest`.
template <class Rest>
struct with_long_ahead {
  std::uint64_t long_tasks;
  delay_work long_work;
  Rest rest;
  void operator()(std::uint64_t index) const {
    if (index < long_tasks) {
      long_work(index);
    } else {
      rest(index);
    }
  }
};

/// Counts the task by thread.
template <class Work>
struct counted_work {
  Work work;
  void operator()(std::uint64_t index) const {
    thread_census::count();
    work(index);
  }
};

/// Marks the task's index: in the end each must be marked exactly once.
struct marking_work {
  std::vector<atomic<std::uint8_t>>* marks;
  void operator()(std::uint64_t index) const { ++marks->at(index); }
};

}  // namespace fg::bench
