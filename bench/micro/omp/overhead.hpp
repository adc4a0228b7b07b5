// What a construct costs: a loop of delays with it, less the loop without.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>

#include "micro/omp/omp_kernel.hpp"
#include "micro/omp/thread_delays.hpp"

namespace fg::bench {

/// Untimed, then timed: `region()` makes `delays` delays on each of `threads` threads. Returns the
/// wall time of one delay, ns. Throws wrong_result unless all were made.
template <class Region>
double ns_per_delay(std::size_t threads, std::uint64_t delays, const Region& region) {
  region();  // the threads are awake
  thread_delays::begin();
  const double ns = elapsed_ns(region);
  thread_delays::require(threads, delays);
  return ns / static_cast<double>(delays);
}

/// ns for one construct. Source: J. M. Bull, "Measuring synchronisation and scheduling overheads in
/// OpenMP", EWOMP 1999 (EPCC's syncbench): the reference is the same loop on one thread.
template <class Region>
double construct_ns(std::size_t threads, std::uint64_t delays, const Region& region) {
  const double reference_ns = ns_per_delay(1, delays, [delays] {
    for (std::uint64_t i = 0; i < delays; ++i) {
      thread_delays::delay();
    }
  });
  return ns_per_delay(threads, delays, region) - reference_ns;
}

}  // namespace fg::bench
