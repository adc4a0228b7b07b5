// std::transform_reduce on the workers of a pool.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <functional>
#include <iterator>
#include <numeric>
#include <type_traits>
#include <utility>

#include "finegrain/algorithm/loop_bounds.hpp"
#include "finegrain/algorithm/par/execution_policy.hpp"
#include "finegrain/algorithm/par/partial_reduction.hpp"
#include "finegrain/algorithm/par/pieces.hpp"

namespace fg::inline FINEGRAIN_ABI {

/// `init` and `map(first[i])` for all elements of [first, last), combined by `op`. Otherwise see
/// `reduce`.
template <execution_policy Policy, std::forward_iterator It, class T, class Op, class Map>
  requires detail::reduces<Op, T, std::invoke_result_t<Map&, std::iter_reference_t<It>>>
[[nodiscard]] T transform_reduce(const Policy& policy, It first, It last, T init, Op op, Map map) {
  if constexpr (detail::splittable<It>) {
    return detail::run_under(policy, [&](const parallel_policy& how) {
      const auto first_of = [&](std::uint64_t at) {
        return T(map(*detail::position_at(first, at)));
      };
      const auto fold = [&](T value, std::uint64_t begin, std::uint64_t end) {
        return std::transform_reduce(detail::position_at(first, begin),
                                     detail::position_at(first, end), std::move(value),
                                     detail::for_piece(op), detail::for_piece(map));
      };
      return detail::reduce_from<Map>(how, "transform_reduce", detail::size_between(first, last),
                                      std::move(init), first_of, fold, op);
    });
  } else {
    return std::transform_reduce(std::move(first), std::move(last), std::move(init), std::move(op),
                                 std::move(map));
  }
}

/// The same with `map(first[i], second[i])`.
template <execution_policy Policy, std::forward_iterator It, std::forward_iterator Second, class T,
          class Op = std::plus<>, class Map = std::multiplies<>>
  requires detail::reduces<
      Op, T, std::invoke_result_t<Map&, std::iter_reference_t<It>, std::iter_reference_t<Second>>>
[[nodiscard]] T transform_reduce(const Policy& policy, It first, It last, Second second, T init,
                                 Op op = {}, Map map = {}) {
  if constexpr (detail::splittable<It, Second>) {
    return detail::run_under(policy, [&](const parallel_policy& how) {
      const auto first_of = [&](std::uint64_t at) {
        return T(map(*detail::position_at(first, at), *detail::position_at(second, at)));
      };
      const auto fold = [&](T value, std::uint64_t begin, std::uint64_t end) {
        return std::transform_reduce(detail::position_at(first, begin),
                                     detail::position_at(first, end),
                                     detail::position_at(second, begin), std::move(value),
                                     detail::for_piece(op), detail::for_piece(map));
      };
      return detail::reduce_from<Map>(how, "transform_reduce", detail::size_between(first, last),
                                      std::move(init), first_of, fold, op);
    });
  } else {
    return std::transform_reduce(std::move(first), std::move(last), std::move(second),
                                 std::move(init), std::move(op), std::move(map));
  }
}

/// The first one for the elements of `range`.
template <execution_policy Policy, loop_range Range, class T, class Op, class Map>
  requires detail::reduces<Op, T, std::invoke_result_t<Map&, detail::range_element_t<Range>>>
[[nodiscard]] T transform_reduce(const Policy& policy, Range&& range, T init, Op op, Map map) {
  const auto [first, last] = detail::ends_of(range);
  return fg::transform_reduce(policy, first, last, std::move(init), std::move(op), std::move(map));
}

/// The second one for two ranges, up to the end of the shorter one.
template <execution_policy Policy, loop_range Range, loop_range Second, class T,
          class Op = std::plus<>, class Map = std::multiplies<>>
[[nodiscard]] T transform_reduce(const Policy& policy, Range&& range, Second&& second, T init,
                                 Op op = {}, Map map = {}) {
  const auto [first, last] = detail::ends_of_shorter(range, second);
  return fg::transform_reduce(policy, first, last, std::ranges::begin(second), std::move(init),
                              std::move(op), std::move(map));
}

}  // namespace fg::inline FINEGRAIN_ABI
