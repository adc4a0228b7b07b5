// The kernels by name.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string_view>

#include "programs/omp/omp_kernel.hpp"

namespace fg::bench {

/// A kernel and the range of its sizes; the smallest size still makes a task.
struct omp_case {
  std::string_view name;
  std::uint64_t default_size;
  std::uint64_t least_size;
  std::uint64_t greatest_size;
  bool has_serial_form;  ///< makes sense if the pragmas are ignored
  std::unique_ptr<omp_kernel> (*make)(const omp_request&);
};

/// All kernels, in the order of the tables.
[[nodiscard]] std::span<const omp_case> omp_cases();

// Compiled by each compiler, one per file but for most constructs. `make_coarse` throws wrong_arguments without
// `spin_steps_per_us`.
[[nodiscard]] std::unique_ptr<omp_kernel> make_fib(const omp_request& request);
[[nodiscard]] std::unique_ptr<omp_kernel> make_nqueens(const omp_request& request);
[[nodiscard]] std::unique_ptr<omp_kernel> make_sort(const omp_request& request);
[[nodiscard]] std::unique_ptr<omp_kernel> make_sparselu(const omp_request& request);
[[nodiscard]] std::unique_ptr<omp_kernel> make_uts_t1(const omp_request& request);
[[nodiscard]] std::unique_ptr<omp_kernel> make_flat_empty(const omp_request& request);
[[nodiscard]] std::unique_ptr<omp_kernel> make_coarse(const omp_request& request);
[[nodiscard]] std::unique_ptr<omp_kernel> make_region_overhead(const omp_request& request);
[[nodiscard]] std::unique_ptr<omp_kernel> make_region_value_overhead(const omp_request& request);
[[nodiscard]] std::unique_ptr<omp_kernel> make_for_overhead(const omp_request& request);
[[nodiscard]] std::unique_ptr<omp_kernel> make_region_for_overhead(const omp_request& request);
[[nodiscard]] std::unique_ptr<omp_kernel> make_barrier_overhead(const omp_request& request);
[[nodiscard]] std::unique_ptr<omp_kernel> make_single_overhead(const omp_request& request);
[[nodiscard]] std::unique_ptr<omp_kernel> make_reduction_overhead(const omp_request& request);
[[nodiscard]] std::unique_ptr<omp_kernel> make_critical_overhead(const omp_request& request);
[[nodiscard]] std::unique_ptr<omp_kernel> make_dynamic_overhead(const omp_request& request);
[[nodiscard]] std::unique_ptr<omp_kernel> make_guided_overhead(const omp_request& request);
[[nodiscard]] std::unique_ptr<omp_kernel> make_cg(const omp_request& request);
[[nodiscard]] std::unique_ptr<omp_kernel> make_multigrid(const omp_request& request);
[[nodiscard]] std::unique_ptr<omp_kernel> make_fft(const omp_request& request);
[[nodiscard]] std::unique_ptr<omp_kernel> make_stencil(const omp_request& request);
[[nodiscard]] std::unique_ptr<omp_kernel> make_gemm(const omp_request& request);
[[nodiscard]] std::unique_ptr<omp_kernel> make_lu(const omp_request& request);
[[nodiscard]] std::unique_ptr<omp_kernel> make_levels(const omp_request& request);
[[nodiscard]] std::unique_ptr<omp_kernel> make_springs(const omp_request& request);

}  // namespace fg::bench
