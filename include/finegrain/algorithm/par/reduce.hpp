// std::reduce on the workers of a pool.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <functional>
#include <iterator>
#include <numeric>
#include <utility>

#include "finegrain/algorithm/loop_bounds.hpp"
#include "finegrain/algorithm/par/execution_policy.hpp"
#include "finegrain/algorithm/par/partial_reduction.hpp"
#include "finegrain/algorithm/par/pieces.hpp"

namespace fg::inline FINEGRAIN_ABI {

/// `init` and all elements of [first, last), combined by `op`, and in another grouping each time, so
/// that sums of floating-point numbers may differ. (`parallel_reduce` can be deterministic.)
///
/// Requires: `op` is associative and, as for std::reduce, commutative; with libstdc++ and libc++ all
/// is combined in its order. The result has the type of `init`, to which elements are converted, also
/// if that truncates them; it has to be movable. For threads, errors and the rest see
/// `parallel_policy`. No allocation.
template <execution_policy Policy, std::forward_iterator It, class T, class Op = std::plus<>>
  requires detail::reduces<Op, T, std::iter_reference_t<It>>
[[nodiscard]] T reduce(const Policy& policy, It first, It last, T init, Op op = {}) {
  if constexpr (detail::splittable<It>) {
    return detail::run_under(policy, [&](const parallel_policy& how) {
      const auto first_of = [&](std::uint64_t at) { return T(*detail::position_at(first, at)); };
      const auto fold = [&](T value, std::uint64_t begin, std::uint64_t end) {
        return std::reduce(detail::position_at(first, begin), detail::position_at(first, end),
                           std::move(value), detail::for_piece(op));
      };
      return detail::reduce_from(how, "reduce", detail::size_between(first, last), std::move(init),
                                 first_of, fold, op);
    });
  } else {
    return std::reduce(std::move(first), std::move(last), std::move(init), std::move(op));
  }
}

/// The same from `T{}`, where T is the type of the elements.
template <execution_policy Policy, std::forward_iterator It>
[[nodiscard]] std::iter_value_t<It> reduce(const Policy& policy, It first, It last) {
  return fg::reduce(policy, std::move(first), std::move(last), std::iter_value_t<It>{});
}

/// The same for the elements of `range`.
template <execution_policy Policy, loop_range Range, class T, class Op = std::plus<>>
  requires detail::reduces<Op, T, detail::range_element_t<Range>>
[[nodiscard]] T reduce(const Policy& policy, Range&& range, T init, Op op = {}) {
  const auto [first, last] = detail::ends_of(range);
  return fg::reduce(policy, first, last, std::move(init), std::move(op));
}
template <execution_policy Policy, loop_range Range>
[[nodiscard]] auto reduce(const Policy& policy, Range&& range) {
  const auto [first, last] = detail::ends_of(range);
  return fg::reduce(policy, first, last);
}

}  // namespace fg::inline FINEGRAIN_ABI
