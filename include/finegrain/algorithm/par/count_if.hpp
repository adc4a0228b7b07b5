// std::count_if on the workers of a pool.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <concepts>
#include <cstdint>
#include <functional>
#include <iterator>
#include <utility>

#include "finegrain/algorithm/loop_bounds.hpp"
#include "finegrain/algorithm/par/execution_policy.hpp"
#include "finegrain/algorithm/par/partial_reduction.hpp"
#include "finegrain/algorithm/par/pieces.hpp"

namespace fg::inline FINEGRAIN_ABI {

/// The number of elements of [first, last) for which `is_it` holds. For threads, errors and the rest
/// see `parallel_policy`. No allocation.
template <execution_policy Policy, std::forward_iterator It, class Predicate>
  requires std::predicate<Predicate&, std::iter_reference_t<It>>
[[nodiscard]] std::iter_difference_t<It> count_if(const Policy& policy, It first, It last,
                                                  Predicate is_it) {
  using count = std::iter_difference_t<It>;
  if constexpr (detail::splittable<It>) {
    return detail::run_under(policy, [&](const parallel_policy& how) {
      const auto first_of = [&](std::uint64_t at) {
        return static_cast<count>(is_it(*detail::position_at(first, at)) ? 1 : 0);
      };
      const auto fold = [&](count value, std::uint64_t begin, std::uint64_t end) {
        return value + std::count_if(detail::position_at(first, begin),
                                     detail::position_at(first, end), detail::for_piece(is_it));
      };
      std::plus<> plus;
      return detail::reduce_from<Predicate>(how, "count_if", detail::size_between(first, last),
                                            count{0}, first_of, fold, plus);
    });
  } else {
    return std::count_if(std::move(first), std::move(last), std::move(is_it));
  }
}

/// The same for the elements of `range`.
template <execution_policy Policy, loop_range Range, class Predicate>
[[nodiscard]] auto count_if(const Policy& policy, Range&& range, Predicate is_it) {
  const auto [first, last] = detail::ends_of(range);
  return fg::count_if(policy, first, last, std::move(is_it));
}

}  // namespace fg::inline FINEGRAIN_ABI
