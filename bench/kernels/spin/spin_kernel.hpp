// Pure computation of a chosen length, to find from which length on a runtime pays.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "kernels/isolated_array.hpp"
#include "kernels/kernel.hpp"

namespace fg::bench {

/// Walks a chain of `num_steps` dependent steps. It touches one cache line, so it shows what a
/// hand-off costs without any effect of memory. The check jumps to the end of the chain instead.
///
/// The chain takes its time alone; an out-of-order core overlaps its end with independent work that
/// follows (measured on a Zen 4: 100 ns take 79 ns a run when runs follow each other, 1 us 990 ns).
/// `run()` is O(num_steps).
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
