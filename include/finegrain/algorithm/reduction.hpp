// How a reduction computes, and which types its result may have.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <type_traits>
#include <utility>

#include "finegrain/algorithm/loop_bounds.hpp"

namespace fg::inline FINEGRAIN_ABI::detail {

/// Whether no number of type From is truncated when it becomes a To: To holds all of them, or is a
/// floating-point type, which was asked for, or an unsigned type of at least as many bits, in which
/// counts wrap as in any unsigned type. Types that are not numbers define their own conversion.
template <class To, class From>
inline constexpr bool kConvertsWhole =
    !std::conjunction_v<std::is_arithmetic<To>, std::is_arithmetic<From>> ||
    requires { To{std::declval<From>()}; } ||
    (std::is_floating_point_v<To> && std::is_integral_v<From>) ||
    (std::is_unsigned_v<To> && !std::is_same_v<To, bool> && std::is_integral_v<From> &&
     sizeof(To) >= sizeof(From));

template <class T>
struct promoted {
  using type = T;
};
template <class T>
  requires std::is_arithmetic_v<T>
struct promoted<T> {
  using type = decltype(+std::declval<T>());
};

/// The same for what `Combine` makes of two T, except that for short or char it may be the int that
/// operators make of them.
template <class T, class Combine,
          class Result = std::remove_cvref_t<std::invoke_result_t<Combine&, T, T>>>
inline constexpr bool kCombinesWhole =
    kConvertsWhole<T, Result> || std::is_same_v<Result, typename promoted<T>::type>;

template <class Map, class Position, bool TakesRange>
struct map_result {
  using type = std::invoke_result_t<Map&, Position, Position>;
};
template <class Map, class Position>
struct map_result<Map, Position, false> {
  using type = std::invoke_result_t<Map&, loop_element_t<Position>>;
};
template <class Map, class Position>
using map_result_t =
    std::remove_cvref_t<typename map_result<Map, Position, kTakesRange<Map, Position>>::type>;

/// How one reduction computes.
template <class Position, class T, class Map, class Combine>
struct reduction {
  Position first;
  const T& identity;
  Map& map;
  Combine& combine;

  /// `value` combined with the results of [begin, end), from left to right.
  [[nodiscard]] T continued(T value, std::uint64_t begin, std::uint64_t end) const {
    static_assert(
        kConvertsWhole<T, map_result_t<Map, Position>>,
        "finegrain: the result has the type of the identity, which would cut off what the "
        "map returns; begin with a wider one (0L, 0.0, std::size_t{0}), or convert in the "
        "map");
    static_assert(
        kCombinesWhole<T, Combine>,
        "finegrain: the result has the type of the identity, which would cut off what "
        "combine returns; begin with a wider one (0L, 0.0, std::size_t{0}), or convert in "
        "combine");
    // Read once: what the map writes could change them, as far as the compiler knows.
    Map& mapped = map;
    Combine& combined = combine;
    const Position last = position_at(first, end);
    Position i = position_at(first, begin);
    if constexpr (kTakesRange<Map, Position>) {
      return static_cast<T>(combined(std::move(value), static_cast<T>(mapped(i, last))));
    } else {
      for (; i != last; ++i) {
        value = static_cast<T>(combined(std::move(value), static_cast<T>(mapped(element_at(i)))));
      }
      return value;
    }
  }

  /// The result of one chunk by itself. Never inlined: a compiler that fuses a multiplication and
  /// an addition in one place and not in another would give two callers different bits.
  [[nodiscard]] FINEGRAIN_NOINLINE T of_chunk(std::uint64_t begin, std::uint64_t end) const {
    return continued(identity, begin, end);
  }
};

}  // namespace fg::inline FINEGRAIN_ABI::detail
