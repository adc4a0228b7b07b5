// SPDX-License-Identifier: Apache-2.0
#include "programs/omp/cases.hpp"

#include <array>
#include <span>

namespace fg::bench {

std::span<const omp_case> omp_cases() {
  // One column per member. Upper bounds: some minutes under the slowest runtime, and memory.
  static constexpr std::array<omp_case, 25> kCases{{
      {"fib-nocutoff", 30, 2, 40, true, make_fib},
      {"nqueens", 12, 1, 14, true, make_nqueens},
      {"sort", 1U << 22U, 1U << 13U, 1U << 28U, true, make_sort},
      {"sparselu", 50, 2, 200, true, make_sparselu},
      {"uts-T1", 0, 0, 0, true, make_uts_t1},
      {"flat-empty", 1'000'000, 1, 100'000'000, true, make_flat_empty},
      {"coarse-100us", 2000, 1, 1'000'000, true, make_coarse},
      {"region-overhead", 10'000, 1, 10'000'000, false, make_region_overhead},
      {"region-value-overhead", 10'000, 1, 10'000'000, false, make_region_value_overhead},
      {"for-overhead", 10'000, 1, 10'000'000, false, make_for_overhead},
      {"region-for-overhead", 10'000, 1, 10'000'000, false, make_region_for_overhead},
      {"barrier-overhead", 10'000, 1, 10'000'000, false, make_barrier_overhead},
      {"single-overhead", 10'000, 1, 10'000'000, false, make_single_overhead},
      {"reduction-overhead", 10'000, 1, 10'000'000, false, make_reduction_overhead},
      {"critical-overhead", 10'000, 1, 10'000'000, false, make_critical_overhead},
      {"dynamic-overhead", 10'000, 1, 10'000'000, false, make_dynamic_overhead},
      {"guided-overhead", 10'000, 1, 10'000'000, false, make_guided_overhead},
      {"cg", 96, 8, 2000, true, make_cg},
      {"multigrid", 256, 8, 2048, true, make_multigrid},
      {"fft", 8192, 16, 1U << 22U, true, make_fft},
      {"stencil", 192, 8, 4000, true, make_stencil},
      {"gemm", 32, 2, 100'000, true, make_gemm},
      {"lu", 256, 8, 2000, true, make_lu},
      {"levels", 256, 8, 2000, true, make_levels},
      {"springs", 2000, 16, 10'000'000, true, make_springs},
  }};
  return kCases;
}

}  // namespace fg::bench
