// Dependences between the iterations of a loop nest: ordered(n), doacross.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

#include "finegrain/core/atomic.hpp"
#include "waiting.hpp"
#include "worksharing.hpp"

namespace fg::omp::runtime {

/// One thread's view of such a loop nest. A flag for each iteration of it says that the iteration
/// has come to its `depend(source)`: they are in memory that the loop's threads share.
class doacross {
 public:
  doacross() noexcept {}  // NOLINT(*-member-init): by `begin`

  static constexpr unsigned kMostDimensions = 16;

  /// Requires: the thread has entered `loop`, which is shared. `count_of(i)`: iterations of loop
  /// `i`, from the outermost on.
  template <class CountOf>
  void begin(loop_part& loop, unsigned dimensions, CountOf count_of) noexcept {
    loop_ = &loop;
    dimensions_ = dimensions < kMostDimensions ? dimensions : kMostDimensions;
    std::uint64_t all = 1;
    for (unsigned i = 0; i < dimensions_; ++i) {
      counts_[i] = count_of(i);
      all *= counts_[i];
    }
    flags_ = static_cast<word*>(loop.memory((all / kBits + 1) * sizeof(word)));
  }

  /// `at(i)`: the iteration of loop `i`, counted from 0; called in order.
  template <class At>
  void post(At at) noexcept {
    const std::uint64_t number = number_of(at);
    // Release: pairs with the acquire in wait.
    flags_[number / kBits].fetch_or(std::uint64_t{1} << (number % kBits), memory_order_release);
  }

  /// Returns when the iteration has been posted, or the region is cancelled; at once if there is no
  /// such iteration.
  template <class At>
  void wait(At at) noexcept {
    const std::uint64_t number = number_of(at);
    if (number == kOutside) {
      return;
    }
    const word& flags = flags_[number / kBits];
    // Acquire: pairs with the release in post.
    wait_until([&] {
      return (flags.load(memory_order_acquire) >> (number % kBits) & 1U) != 0 ||
             loop_->is_cancelled();
    });
  }

 private:
  using word = atomic<std::uint64_t>;
  static constexpr std::uint64_t kBits = 64;
  static constexpr std::uint64_t kOutside = ~std::uint64_t{0};

  template <class At>
  std::uint64_t number_of(At& at) const noexcept {
    std::uint64_t number = 0;
    bool is_inside = true;
    for (unsigned i = 0; i < dimensions_; ++i) {
      const std::uint64_t each = at(i);
      is_inside = is_inside && each < counts_[i];
      number = number * counts_[i] + each;
    }
    return is_inside ? number : kOutside;
  }

  const loop_part* loop_ = nullptr;
  word* flags_ = nullptr;
  unsigned dimensions_ = 0;
  std::array<std::uint64_t, kMostDimensions>
      counts_;  // NOLINT(*-member-init): those that there are
};

}  // namespace fg::omp::runtime
