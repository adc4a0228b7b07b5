// SPDX-License-Identifier: Apache-2.0
#include "programs/omp/cases.hpp"

#include <array>
#include <span>

namespace fg::bench {

std::span<const omp_case> omp_cases() {
  // One column per member. Upper bounds: some minutes under the slowest runtime, and memory.
  static constexpr std::array<omp_case, 9> kCases{{
      {"fib-nocutoff", 30, 2, 40, true, make_fib},
      {"nqueens", 12, 1, 14, true, make_nqueens},
      {"sort", 1U << 22U, 1U << 13U, 1U << 28U, true, make_sort},
      {"sparselu", 50, 2, 200, true, make_sparselu},
      {"uts-T1", 0, 0, 0, true, make_uts_t1},
      {"flat-empty", 1'000'000, 1, 100'000'000, true, make_flat_empty},
      {"coarse-100us", 2000, 1, 1'000'000, true, make_coarse},
      {"region-overhead", 10'000, 1, 10'000'000, false, make_region_overhead},
      {"barrier-overhead", 10'000, 1, 10'000'000, false, make_barrier_overhead},
  }};
  return kCases;
}

}  // namespace fg::bench
