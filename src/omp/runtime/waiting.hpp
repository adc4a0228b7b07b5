// Waiting for other threads of a region: spin, then sleep or yield.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <sched.h>

#include <cstdint>

#include "finegrain/core/pause.hpp"
#include "finegrain/wait/wait.hpp"

namespace fg::omp::runtime {

/// One wait between two looks. In a region of more threads than CPUs the thread waited for may need
/// this one's CPU.
inline void relax(bool crowded) noexcept {
  if (crowded) {
    sched_yield();
  } else {
    pause();
  }
}

/// Waits until `done()`, which must read with acquire what others release. For waits that are short
/// unless the other thread has lost its CPU: it spins, and yields the CPU now and then.
template <class Done>
void wait_until(Done done) noexcept {
  spin_wait<> idle;
  while (!done()) {
    idle();
  }
}

}  // namespace fg::omp::runtime
