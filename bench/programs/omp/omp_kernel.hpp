// The interface between a kernel of these programs and their frame.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <optional>

#include "programs/frame/thread_census.hpp"

namespace fg::bench {

/// The parameters of a kernel.
struct omp_request {
  std::uint64_t size;
  std::size_t threads;
  std::optional<double> spin_steps_per_us;  ///< measured by `calibrate`
};

/// One computation in plain OpenMP, its input, and the check of its result. A kernel opens its own
/// regions, with as many threads as the runtime was configured for. Call everything from one
/// thread.
class omp_kernel {
 public:
  omp_kernel() = default;
  omp_kernel(const omp_kernel&) = delete;
  omp_kernel& operator=(const omp_kernel&) = delete;
  virtual ~omp_kernel() = default;

  /// Called before each run: restores the input and clears the result, so that `check` throws. Not
  /// timed.
  virtual void prepare() = 0;

  /// One run. Returns its wall time including the region, or what the kernel measures instead, ns.
  virtual double run_ns() = 0;

  /// One run, in which `thread_census` counts the tasks, or the threads in each region.
  virtual void run_counted() = 0;

  /// Throws wrong_result unless the last run since `prepare` has produced the right result.
  virtual void check() const = 0;

  /// The number of explicit tasks of a run. Nothing if it depends on the data: then the counted
  /// number.
  [[nodiscard]] virtual std::optional<std::uint64_t> tasks() const = 0;

  /// What a counted run counts.
  [[nodiscard]] virtual std::optional<std::uint64_t> counted() const { return tasks(); }

  /// The parallel loops of a run, each of which ends in a join or a barrier, of a kernel whose cost
  /// they are.
  [[nodiscard]] virtual std::uint64_t loops() const { return 0; }
};

/// For the tasks of a timed run and of a counted run: a kernel's tasks call `count` of one of them,
/// so that timing and counting run the same source.
struct uncounted {
  static void count() noexcept {}
};
struct counted_by_thread {
  static void count() { thread_census::count(); }
};

/// The wall time of `work()`, ns.
template <class Work>
double elapsed_ns(const Work& work) {
  const auto start = std::chrono::steady_clock::now();
  work();
  const auto end = std::chrono::steady_clock::now();
  return std::chrono::duration<double, std::nano>(end - start).count();
}

}  // namespace fg::bench
