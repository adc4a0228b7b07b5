// Programs of many short parallel loops, as codes have them whose work per core has become small.
// Each file of this folder is compiled twice: with OpenMP, as what is measured, and without it into
// the frame, as what the results are checked against.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

#ifndef FINEGRAIN_OMP_FORM
#define FINEGRAIN_OMP_FORM measured  // or `reference`: the namespace of what a file defines
#endif

namespace fg::bench {

/// One computation, with an input of its own. Its template argument `Tally` is `uncounted` or
/// `counted_by_thread`: one of its loops counts its iterations. Call everything from one thread.
class loop_program {
 public:
  loop_program() = default;
  loop_program(const loop_program&) = delete;
  loop_program& operator=(const loop_program&) = delete;
  virtual ~loop_program() = default;

  /// Restores the input and clears the result.
  virtual void prepare() = 0;

  virtual void run() = 0;
  virtual void run_counted() = 0;

  /// All numbers that the run since `prepare` has come to.
  [[nodiscard]] virtual std::vector<double> result() const = 0;

  /// The parallel loops of the last run.
  [[nodiscard]] virtual std::uint64_t loops() const = 0;
};

/// How often to repeat what visits so many places: some milliseconds, once at least.
[[nodiscard]] constexpr std::size_t repeats_for(std::size_t visits) {
  constexpr std::size_t kVisits = 12'000'000;
  return std::max<std::size_t>(1, kVisits / visits);
}

/// Numbers that look random, from 0 to 1, the same for each place.
[[nodiscard]] constexpr double scattered(std::size_t place) {
  std::uint64_t mixed = (place + 1) * 0x9E3779B97F4A7C15U;
  mixed ^= mixed >> 29U;
  mixed *= 0xBF58476D1CE4E5B9U;
  return static_cast<double>(mixed >> 11U) * 0x1p-53;
}

// One per file, in both forms.
using made_loop_program = std::unique_ptr<loop_program>;
namespace measured {
[[nodiscard]] made_loop_program make_cg(std::size_t size);
[[nodiscard]] made_loop_program make_multigrid(std::size_t size);
[[nodiscard]] made_loop_program make_fft(std::size_t size);
[[nodiscard]] made_loop_program make_stencil(std::size_t size);
[[nodiscard]] made_loop_program make_gemm(std::size_t size);
[[nodiscard]] made_loop_program make_lu(std::size_t size);
[[nodiscard]] made_loop_program make_levels(std::size_t size);
[[nodiscard]] made_loop_program make_springs(std::size_t size);
}  // namespace measured
namespace reference {
[[nodiscard]] made_loop_program make_cg(std::size_t size);
[[nodiscard]] made_loop_program make_multigrid(std::size_t size);
[[nodiscard]] made_loop_program make_fft(std::size_t size);
[[nodiscard]] made_loop_program make_stencil(std::size_t size);
[[nodiscard]] made_loop_program make_gemm(std::size_t size);
[[nodiscard]] made_loop_program make_lu(std::size_t size);
[[nodiscard]] made_loop_program make_levels(std::size_t size);
[[nodiscard]] made_loop_program make_springs(std::size_t size);
}  // namespace reference

}  // namespace fg::bench
