// std::exclusive_scan on the workers of a pool.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <functional>
#include <iterator>
#include <numeric>
#include <utility>

#include "finegrain/algorithm/loop_bounds.hpp"
#include "finegrain/algorithm/par/execution_policy.hpp"
#include "finegrain/algorithm/par/pieces.hpp"
#include "finegrain/algorithm/par/running_sums.hpp"

namespace fg::inline FINEGRAIN_ABI {

/// Writes to `out[i]` the combination of `init` and `first[0] … first[i - 1]` by `op`, so `init` to
/// `out[0]`, and returns the end of what it wrote. `out` may be `first`. Otherwise see
/// `inclusive_scan`.
template <execution_policy Policy, std::forward_iterator In, std::forward_iterator Out, class T,
          class Op = std::plus<>>
  requires detail::scans<Op, T, std::iter_reference_t<In>>
Out exclusive_scan(const Policy& policy, In first, In last, Out out, T init, Op op = {}) {
  if constexpr (detail::splittable<In, Out>) {
    const std::uint64_t size = detail::size_between(first, last);
    detail::run_under(policy, [&](const parallel_policy& how) {
      const auto write = [&](T sum, std::uint64_t begin, std::uint64_t end) {
        auto combine = detail::for_piece(op);
        Out to = detail::position_at(out, begin);
        const In in_end = detail::position_at(first, end);
        for (In from = detail::position_at(first, begin); from != in_end; ++from, ++to) {
          T next = static_cast<T>(combine(sum, *from));  // read first: it may be the same place
          *to = std::move(sum);
          sum = std::move(next);
        }
        return sum;
      };
      detail::scan_from(how, "exclusive_scan", size, std::move(init), first, op, write);
    });
    return detail::position_at(out, size);
  } else {
    return std::exclusive_scan(std::move(first), std::move(last), std::move(out), std::move(init),
                               std::move(op));
  }
}

/// The same for the elements of `range`.
template <execution_policy Policy, loop_range Range, std::forward_iterator Out, class T,
          class Op = std::plus<>>
  requires detail::scans<Op, T, detail::range_element_t<Range>>
Out exclusive_scan(const Policy& policy, Range&& range, Out out, T init, Op op = {}) {
  const auto [first, last] = detail::ends_of(range);
  return fg::exclusive_scan(policy, first, last, std::move(out), std::move(init), std::move(op));
}

}  // namespace fg::inline FINEGRAIN_ABI
