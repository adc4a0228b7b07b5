// The cost of a construct: a loop of delays with it, minus the loop without it.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>

#include "programs/omp/omp_kernel.hpp"
#include "programs/omp/thread_delays.hpp"

namespace fg::bench {

/// Runs `region()` untimed, then timed; it makes `delays` delays on each of `threads` threads.
/// Returns the wall time of one delay, ns. Throws wrong_result unless all were made.
template <class Region>
double ns_per_delay(std::size_t threads, std::uint64_t delays, const Region& region) {
  region();  // wakes the threads
  thread_delays::begin();
  const double ns = elapsed_ns(region);
  thread_delays::require(threads, delays);
  return ns / static_cast<double>(delays);
}

/// The cost of one construct, ns. Source: J. M. Bull, "Measuring synchronisation and scheduling
/// overheads in OpenMP", EWOMP 1999 (EPCC's syncbench): the reference is the same loop on one
/// thread.
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
