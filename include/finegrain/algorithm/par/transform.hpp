// std::transform on the workers of a pool.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <concepts>
#include <cstdint>
#include <iterator>
#include <utility>

#include "finegrain/algorithm/loop_bounds.hpp"
#include "finegrain/algorithm/par/execution_policy.hpp"
#include "finegrain/algorithm/par/pieces.hpp"

namespace fg::inline FINEGRAIN_ABI {

/// Writes `f(first[i])` to `out[i]` for every element of [first, last), in any order, and returns the
/// end of what it wrote. `out` may be `first`. For threads, errors and the rest see
/// `parallel_policy`. No allocation.
template <execution_policy Policy, std::forward_iterator In, std::forward_iterator Out, class F>
  requires std::invocable<F&, std::iter_reference_t<In>>
Out transform(const Policy& policy, In first, In last, Out out, F f) {
  if constexpr (detail::splittable<In, Out>) {
    const std::uint64_t size = detail::size_between(first, last);
    detail::run_under(policy, [&](const parallel_policy& how) {
      const auto piece = [&](std::uint64_t begin, std::uint64_t end) {
        std::transform(detail::position_at(first, begin), detail::position_at(first, end),
                       detail::position_at(out, begin), detail::for_piece(f));
      };
      detail::for_each_piece<F>(how, "transform", size, piece);
    });
    return detail::position_at(out, size);
  } else {
    return std::transform(std::move(first), std::move(last), std::move(out), std::move(f));
  }
}

/// The same with `f(first[i], second[i])`. `out` may be `first` or `second`.
template <execution_policy Policy, std::forward_iterator In, std::forward_iterator Second,
          std::forward_iterator Out, class F>
  requires std::invocable<F&, std::iter_reference_t<In>, std::iter_reference_t<Second>>
Out transform(const Policy& policy, In first, In last, Second second, Out out, F f) {
  if constexpr (detail::splittable<In, Second, Out>) {
    const std::uint64_t size = detail::size_between(first, last);
    detail::run_under(policy, [&](const parallel_policy& how) {
      const auto piece = [&](std::uint64_t begin, std::uint64_t end) {
        std::transform(detail::position_at(first, begin), detail::position_at(first, end),
                       detail::position_at(second, begin), detail::position_at(out, begin),
                       detail::for_piece(f));
      };
      detail::for_each_piece<F>(how, "transform", size, piece);
    });
    return detail::position_at(out, size);
  } else {
    return std::transform(std::move(first), std::move(last), std::move(second), std::move(out),
                          std::move(f));
  }
}

/// The first one for every element of `range`.
template <execution_policy Policy, loop_range Range, std::forward_iterator Out, class F>
Out transform(const Policy& policy, Range&& range, Out out, F f) {
  const auto [first, last] = detail::ends_of(range);
  return fg::transform(policy, first, last, std::move(out), std::move(f));
}

/// The second one for two ranges, up to the end of the shorter one, as std::ranges::transform.
template <execution_policy Policy, loop_range Range, loop_range Second, std::forward_iterator Out,
          class F>
Out transform(const Policy& policy, Range&& range, Second&& second, Out out, F f) {
  const auto [first, last] = detail::ends_of_shorter(range, second);
  return fg::transform(policy, first, last, std::ranges::begin(second), std::move(out),
                       std::move(f));
}

}  // namespace fg::inline FINEGRAIN_ABI
