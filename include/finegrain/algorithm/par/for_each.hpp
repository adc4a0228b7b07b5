// std::for_each on the workers of a pool.
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

/// Calls `f(*i)` for every `i` in [first, last), in any order. What `f` returns is ignored. For
/// threads, errors and the rest see `parallel_policy`. No allocation.
template <execution_policy Policy, std::forward_iterator It, class F>
  requires std::invocable<F&, std::iter_reference_t<It>>
void for_each(const Policy& policy, It first, It last, F f) {
  if constexpr (detail::splittable<It>) {
    detail::run_under(policy, [&](const parallel_policy& how) {
      const auto piece = [&](std::uint64_t begin, std::uint64_t end) {
        std::for_each(detail::position_at(first, begin), detail::position_at(first, end),
                      detail::for_piece(f));
      };
      detail::for_each_piece<F>(how, "for_each", detail::size_between(first, last), piece);
    });
  } else {
    std::for_each(std::move(first), std::move(last), std::move(f));
  }
}

/// The same for every element of `range`.
template <execution_policy Policy, loop_range Range, class F>
void for_each(const Policy& policy, Range&& range, F f) {
  const auto [first, last] = detail::ends_of(range);
  fg::for_each(policy, first, last, std::move(f));
}

}  // namespace fg::inline FINEGRAIN_ABI
