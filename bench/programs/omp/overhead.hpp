// The cost of a construct: a loop of delays with it, minus the loop without it. Source: J. M. Bull,
// "Measuring synchronisation and scheduling overheads in OpenMP", EWOMP 1999 (EPCC's syncbench and
// schedbench).
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "programs/omp/omp_kernel.hpp"
#include "programs/omp/thread_delays.hpp"

namespace fg::bench {

/// The delays of a run of constructs. `even` ones are the same number on every thread.
struct construct_load {
  std::uint64_t constructs;  ///< the cost is that of one of them
  std::uint64_t in_a_row;    ///< delays that would follow each other if the constructs cost nothing
  std::uint64_t delays;      ///< of all threads
  bool is_even;
};

/// A delay on every thread in each construct.
[[nodiscard]] constexpr construct_load one_each(std::uint64_t threads, std::uint64_t constructs) {
  return {constructs, constructs, threads * constructs, true};
}

/// Runs `region()` untimed, then timed. Returns its wall time, ns. Throws wrong_result unless the
/// timed run has made the delays, on `threads` threads if they are even.
template <class Region>
double delayed_ns(std::uint64_t threads, std::uint64_t delays, bool is_even, const Region& region) {
  region();  // wakes the threads
  thread_delays::begin();
  const double ns = elapsed_ns(region);
  if (is_even) {
    thread_delays::require(threads, delays / threads);
  } else {
    thread_delays::require_in_all(delays);
  }
  return ns;
}

/// The cost of one construct, ns: of `region()`, which has as many as the load says, minus the same
/// delays in a row on one thread.
template <class Region>
double construct_ns(std::uint64_t threads, const construct_load& load, const Region& region) {
  const double reference_ns = delayed_ns(1, load.in_a_row, true, [&load] {
    for (std::uint64_t i = 0; i < load.in_a_row; ++i) {
      thread_delays::delay();
    }
  });
  const double ns = delayed_ns(threads, load.delays, load.is_even, region);
  return (ns - reference_ns) / static_cast<double>(load.constructs);
}

}  // namespace fg::bench
