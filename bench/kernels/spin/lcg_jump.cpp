// SPDX-License-Identifier: Apache-2.0
#include "kernels/spin/lcg_chain.hpp"

namespace fg::bench {

std::uint64_t jump_lcg_chain(std::uint64_t state, std::uint64_t steps) noexcept {
  // The pair is always 2^i steps combined.
  std::uint64_t factor = kLcgFactor;
  std::uint64_t term = kLcgTerm;
  for (; steps != 0; steps /= 2) {
    if (steps % 2 != 0) {
      state = factor * state + term;
    }
    term += factor * term;
    factor *= factor;
  }
  return state;
}

}  // namespace fg::bench
