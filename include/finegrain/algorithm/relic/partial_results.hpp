// What the pieces of a reduction have come to.
#pragma once

#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <new>
#include <utility>

#include "finegrain/algorithm/relic/shared_range.hpp"

namespace fg::inline FINEGRAIN_ABI::detail {

/// Up to 64 values by number, put in by two threads and combined in the order of their numbers.
/// Storage in place; only what was put in is constructed.
template <class T>
class partial_results {
 public:
  static constexpr std::uint32_t kCapacity = 64;

  partial_results() = default;
  partial_results(const partial_results&) = delete;
  partial_results& operator=(const partial_results&) = delete;
  ~partial_results() {
    for (std::uint64_t left = all(); left != 0; left &= left - 1) {
      std::destroy_at(at(std::countr_zero(left)));
    }
  }

  /// Requires: number < kCapacity, and nobody has put this one in. Each side by its own thread, at
  /// the same time.
  void put(range_side side, std::uint64_t number, T&& value) {
    ::new (static_cast<void*>(&places_[number])) T(std::move(value));
    engaged_[static_cast<std::size_t>(side)] |= std::uint64_t{1} << number;
  }

  /// `start` combined with each value in turn. Requires: both threads have finished.
  template <class Combine>
  [[nodiscard]] T combined(T start, Combine& combine) {
    for (std::uint64_t left = all(); left != 0; left &= left - 1) {
      start = static_cast<T>(combine(std::move(start), std::move(*at(std::countr_zero(left)))));
    }
    return start;
  }

 private:
  struct place {
    alignas(T) std::byte bytes[sizeof(T)];
  };

  [[nodiscard]] std::uint64_t all() const noexcept { return engaged_[0] | engaged_[1]; }
  T* at(int number) noexcept {
    return std::launder(reinterpret_cast<T*>(places_[static_cast<std::size_t>(number)].bytes));
  }

  std::array<std::uint64_t, 2> engaged_{};
  std::array<place, kCapacity> places_;
};

}  // namespace fg::inline FINEGRAIN_ABI::detail
