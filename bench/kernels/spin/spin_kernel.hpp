// Pure computation of a chosen length, to find the length from which a runtime pays.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "kernels/isolated_array.hpp"
#include "kernels/kernel.hpp"

namespace fg::bench {

/// Walks a chain of `num_steps` dependent steps. It touches one cache line, so it measures the cost
/// of a hand-off without memory effects. The check jumps to the end of the chain instead.
///
/// The length is that of a chain on its own; an out-of-order core overlaps its end with independent
/// work that follows (measured on a Zen 4: in back-to-back runs 100 ns take 79 ns per run, 1 us 990
/// ns). `run()` is O(num_steps).
class alignas(kIsolationBytes) spin_kernel final : public kernel_instance {
 public:
  explicit spin_kernel(std::uint64_t num_steps) noexcept;

  void run() noexcept override;
  [[nodiscard]] std::optional<std::string> check() const override;
  void clear() noexcept override;

  [[nodiscard]] std::uint64_t num_steps() const noexcept { return num_steps_; }

 private:
  std::uint64_t num_steps_;
  std::uint64_t result_ = 0;
};

}  // namespace fg::bench
