// The bounds of a loop: numbers, iterators, or a range.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <concepts>
#include <cstdint>
#include <iterator>
#include <type_traits>
#include <utility>

#if defined(_LIBCPP_VERSION) && _LIBCPP_VERSION < 14000
#include <ranges>  // there std::ranges::size is not in <iterator>
#endif

#include "finegrain/core/errors.hpp"

namespace fg::inline FINEGRAIN_ABI {

/// A type that a loop can count with.
template <class I>
concept loop_index = std::integral<I> && !std::same_as<std::remove_cv_t<I>, bool> &&
                     sizeof(I) <= sizeof(std::uint64_t);

/// The end of a loop that begins at a First: a number if that is one, a sentinel if an iterator.
template <class Last, class First>
// NOLINTNEXTLINE(misc-redundant-expression): of two types
concept loop_end_for = (loop_index<First> && loop_index<Last>) ||
                       (std::random_access_iterator<First> && std::sized_sentinel_for<Last, First>);

/// A range that loops can split anywhere: a container, an array, a span, or a view with random
/// access that knows its size.
template <class R>
concept loop_range = requires(R& range) {
  { std::ranges::begin(range) } -> std::random_access_iterator;
  std::ranges::size(range);
};

namespace detail {

/// One type is signed, the other not, and no type that loops count with holds the values of both.
template <loop_index First, loop_index Last>
inline constexpr bool kNoTypeHoldsBoth =
    // NOLINTNEXTLINE(misc-redundant-expression): of two types
    std::is_signed_v<First> != std::is_signed_v<Last> &&
    sizeof(std::conditional_t<std::is_signed_v<First>, Last, First>) == sizeof(std::uint64_t);

/// The type that counts from a First to a Last: their common type, as operators use it, if it holds
/// the values of both; otherwise, as for int and unsigned, std::int64_t. If no type holds both, the
/// equivalent of std::uint64_t.
template <loop_index First, loop_index Last>
using common_index_t = std::conditional_t<std::is_signed_v<First> == std::is_signed_v<Last> ||
                                              std::is_signed_v<std::common_type_t<First, Last>> ||
                                              kNoTypeHoldsBoth<First, Last>,
                                          std::common_type_t<First, Last>, std::int64_t>;

/// `size` positions from `first` on, which are indices or iterators.
template <class Position>
struct loop_positions {
  Position first;
  std::uint64_t size;
};

template <loop_index I>
constexpr I position_at(I first, std::uint64_t at) noexcept {
  // Modulo 2^64, so that ranges wider than the signed type are also correct.
  return static_cast<I>(static_cast<std::uint64_t>(first) + at);
}

/// Compares by value, whatever the types.
template <loop_index First, loop_index Last>
constexpr bool is_less(First first, Last last) noexcept {
  using index = common_index_t<First, Last>;
  if constexpr (!kNoTypeHoldsBoth<First, Last>) {
    return static_cast<index>(first) < static_cast<index>(last);
  } else if constexpr (std::is_signed_v<First>) {
    return first < 0 || static_cast<index>(first) < last;
  } else {
    return last > 0 && first < static_cast<index>(last);
  }
}

/// The positions from `first` to `last`; none unless `first` is less.
template <loop_index First, loop_index Last>
constexpr loop_positions<common_index_t<First, Last>> positions_between(First first,
                                                                        Last last) noexcept {
  if constexpr (kNoTypeHoldsBoth<First, Last> && std::is_signed_v<First>) {
    FINEGRAIN_EXPECTS(first >= 0,
                      "a loop from a negative number to one of an unsigned 64-bit type: no type "
                      "holds both; convert the end to a signed type");
  }
  // Modulo 2^64: it fits, though the signed type may not hold it.
  const std::uint64_t distance =
      static_cast<std::uint64_t>(last) - static_cast<std::uint64_t>(first);
  return {static_cast<common_index_t<First, Last>>(first), is_less(first, last) ? distance : 0};
}

template <std::random_access_iterator It>
constexpr It position_at(const It& first, std::uint64_t at) {
  return first + static_cast<std::iter_difference_t<It>>(at);
}

template <std::random_access_iterator It, std::sized_sentinel_for<It> Last>
constexpr loop_positions<It> positions_between(const It& first, const Last& last) {
  const auto distance = last - first;
  return {first, distance > 0 ? static_cast<std::uint64_t>(distance) : 0};
}

template <loop_range R>
constexpr auto positions_of(R& range) {
  return loop_positions<decltype(std::ranges::begin(range))>{
      std::ranges::begin(range), static_cast<std::uint64_t>(std::ranges::size(range))};
}

/// What the body is called with at a position.
template <loop_index I>
constexpr I element_at(I index) noexcept {
  return index;
}

template <std::random_access_iterator It>
constexpr decltype(auto) element_at(const It& position) {
  return *position;
}

template <class Position>
using loop_element_t = decltype(element_at(std::declval<const Position&>()));

/// Whether a body or map takes [begin, end) instead of one element.
template <class F, class Position>
inline constexpr bool kTakesRange = std::is_invocable_v<F&, Position, Position>;

template <class Body, class Position>
inline constexpr bool kIsLoopBody =
    kTakesRange<Body, Position> || std::is_invocable_v<Body&, loop_element_t<Position>>;

}  // namespace detail
}  // namespace fg::inline FINEGRAIN_ABI
