// The interface between the kernels and everything that runs them.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>

namespace fg::bench {

/// One instance of a kernel: its own copy of the input and a preallocated workspace.
///
/// Two instances share no memory that either of them writes, and no cache line, so two threads may
/// each run their own. Only one thread at a time may use an instance.
class kernel_instance {
 public:
  kernel_instance() = default;
  kernel_instance(const kernel_instance&) = delete;
  kernel_instance& operator=(const kernel_instance&) = delete;
  virtual ~kernel_instance() = default;

  /// The timed part: recomputes the result from the input into the workspace. From the first call
  /// on it does not allocate, print or throw.
  virtual void run() noexcept = 0;

  /// Compares the result of the last `run()` with an independent, simple implementation. Returns
  /// nothing if it is right, else one line that says what differs. May allocate.
  [[nodiscard]] virtual std::optional<std::string> check() const = 0;

  /// Destroys the result, so that a `check()` without a `run()` in between must fail.
  virtual void clear() noexcept = 0;
};

/// What a case needs besides its name.
struct kernel_options {
  /// The number of steps of the spin kernel's dependent chain that take one microsecond on this
  /// host. The lab calibrates it once and gives every process the same value, so that all do the
  /// same work.
  double spin_steps_per_us = 0.0;
};

/// The names of the paper's seven kernels, in its order: bc bfs cc pr sssp tc json.
[[nodiscard]] std::span<const std::string_view> paper_kernels() noexcept;

/// Makes an instance of the case `name`: one of `paper_kernels()`, or `spin-<N><unit>` with a unit
/// of ns, us or ms (`spin-100ns`, `spin-10us`, `spin-5ms`).
/// Throws std::invalid_argument with a one-line message for any other name, and for a spin case
/// without a positive `spin_steps_per_us`.
[[nodiscard]] std::unique_ptr<kernel_instance> make_kernel(std::string_view name,
                                                           const kernel_options& options = {});

/// Measures `kernel_options::spin_steps_per_us` on the calling thread: the fastest of several
/// batches, about 50 ms in all.
[[nodiscard]] double calibrate_spin_steps_per_us();

}  // namespace fg::bench
