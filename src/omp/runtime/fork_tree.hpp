// Which threads of a wide region each of them starts, waits for and lets go.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

namespace fg::omp::runtime {

/// A tree of the numbers 0 to size - 1. Below a number whose last d digits to the base `FanOut` are
/// zeros are those in which one of these digits differs from zero, and no other: to the base 4
///
///     0   below it 1 2 3, 4 8 12, 16 32 48, ...
///     4   below it 5 6 7
///     16  below it 17 18 19, 20 24 28
///
/// So what is in the tree from a number on are consecutive numbers, and a block of FanOut^d of them
/// that begins at a multiple of its length has one line from outside. Threads with consecutive
/// numbers are near each other where they are bound (placement.hpp), hence most lines are short: to
/// the base 4 three quarters of them stay within four threads, 15 of 16 within sixteen. And what is
/// above a number does not depend on the size: a team that grows leaves all as it is.
///
/// No thread waits for more than (FanOut - 1) * log(size) others, and none is more than log(size)
/// lines from 0.
template <std::uint32_t FanOut>
struct fork_tree {
  static_assert(FanOut > 1);

  /// Whether there are others below it in some tree.
  static constexpr bool may_have_others_below(std::uint32_t number) noexcept {
    return number % FanOut == 0;
  }

  /// Calls `each(other)` for those right below `number`, the ones with few below them first: in
  /// this order they are ready. Requires: number < size <= 2^28.
  template <class Each>
  static constexpr void nearest_first(std::uint32_t number, std::uint32_t size, Each each) {
    for (std::uint32_t step = 1; is_step_of(step, number) && number + step < size; step *= FanOut) {
      for (std::uint32_t digit = 1; digit < FanOut && number + digit * step < size; ++digit) {
        each(number + digit * step);
      }
    }
  }

  /// The same in the opposite order, so that those with many below them have more time to start
  /// these.
  template <class Each>
  static constexpr void farthest_first(std::uint32_t number, std::uint32_t size, Each each) {
    std::uint32_t step = 1;
    while (is_step_of(step, number) && number + step < size) {
      step *= FanOut;
    }
    for (step /= FanOut; step != 0; step /= FanOut) {
      for (std::uint32_t digit = FanOut - 1; digit != 0; --digit) {
        if (number + digit * step < size) {
          each(number + digit * step);
        }
      }
    }
  }

 private:
  // Whether the digit that `step` counts, and those after it, are zeros.
  static constexpr bool is_step_of(std::uint32_t step, std::uint32_t number) noexcept {
    return number % (step * FanOut) == 0;
  }
};

}  // namespace fg::omp::runtime
