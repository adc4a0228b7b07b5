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

// One per file, compiled by each compiler. `make_coarse` throws wrong_arguments without
// `spin_steps_per_us`.
[[nodiscard]] std::unique_ptr<omp_kernel> make_fib(const omp_request& request);
[[nodiscard]] std::unique_ptr<omp_kernel> make_nqueens(const omp_request& request);
[[nodiscard]] std::unique_ptr<omp_kernel> make_sort(const omp_request& request);
[[nodiscard]] std::unique_ptr<omp_kernel> make_sparselu(const omp_request& request);
[[nodiscard]] std::unique_ptr<omp_kernel> make_uts_t1(const omp_request& request);
[[nodiscard]] std::unique_ptr<omp_kernel> make_flat_empty(const omp_request& request);
[[nodiscard]] std::unique_ptr<omp_kernel> make_coarse(const omp_request& request);
[[nodiscard]] std::unique_ptr<omp_kernel> make_region_overhead(const omp_request& request);
[[nodiscard]] std::unique_ptr<omp_kernel> make_barrier_overhead(const omp_request& request);

}  // namespace fg::bench
