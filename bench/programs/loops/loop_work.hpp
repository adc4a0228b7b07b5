// The loop that is measured, and its elements.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>

#include "kernels/spin/lcg_chain.hpp"

namespace fg::bench {

/// Element i is the end of a chain of dependent steps that begins at `seed + i`. Called for each i
/// below `elements`, each once, on any threads: an element writes its own result and nothing else.
/// Plain data, as Rust reads it too (rust/src/rayon_loop.rs).
struct loop_work {
  std::size_t elements = 0;
  std::uint64_t steps = 0;
  std::uint64_t seed = 0;  ///< another one for each loop
  std::uint32_t* results = nullptr;
  std::int32_t* cpus = nullptr;             ///< where each element ran, if it is to be noted
  std::int32_t (*current_cpu)() = nullptr;  ///< for that

  void operator()(std::size_t i) const noexcept {
    std::uint64_t state = seed + i;
    for (std::uint64_t step = 0; step < steps; ++step) {
      state = kLcgFactor * state + kLcgTerm;
      asm volatile("" : "+r"(state));  // keeps the steps apart (kernels/spin/lcg_walk.cpp)
    }
    results[i] = result_of(state);
    if (cpus != nullptr) [[unlikely]] {
      cpus[i] = current_cpu();
    }
  }

  [[nodiscard]] static std::uint32_t result_of(std::uint64_t state) noexcept {
    return static_cast<std::uint32_t>(state >> 32U);
  }
};

/// All of it on this thread, in order.
inline void run_serially(const loop_work& work) noexcept {
  for (std::size_t i = 0; i < work.elements; ++i) {
    work(i);
  }
}

/// The steps with which an element of a serial loop takes about that long, by measurement. The
/// chains of neighbouring elements overlap in an out-of-order core, so that these are more than a
/// single chain of that length has. At least 1. Takes some 50 ms on the calling thread.
[[nodiscard]] std::uint64_t steps_of_element(double element_ns);

}  // namespace fg::bench
