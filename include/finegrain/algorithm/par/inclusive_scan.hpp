// std::inclusive_scan on the workers of a pool.
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

/// Writes to `out[i]` the combination of `init` and `first[0] … first[i]` by `op`, and returns the
/// end of what it wrote. `out` may be `first`.
///
/// Requires: `op` is associative; it need not be commutative. The sums have the type of `init`, to
/// which elements are converted; it has to be copyable. `op` is called once per element, and once
/// more for up to a third of them if another worker takes part, for more with more workers; the
/// grouping differs from call to call. For threads, errors and the rest see `parallel_policy`. No
/// allocation.
template <execution_policy Policy, std::forward_iterator In, std::forward_iterator Out, class Op,
          class T>
  requires detail::scans<Op, T, std::iter_reference_t<In>>
Out inclusive_scan(const Policy& policy, In first, In last, Out out, Op op, T init) {
  if constexpr (detail::splittable<In, Out>) {
    const std::uint64_t size = detail::size_between(first, last);
    detail::run_under(policy, [&](const parallel_policy& how) {
      const auto write = [&](T sum, std::uint64_t begin, std::uint64_t end) {
        auto combine = detail::for_piece(op);
        Out to = detail::position_at(out, begin);
        const In in_end = detail::position_at(first, end);
        for (In from = detail::position_at(first, begin); from != in_end; ++from, ++to) {
          sum = static_cast<T>(combine(std::move(sum), *from));
          *to = sum;
        }
        return sum;
      };
      detail::scan_from(how, "inclusive_scan", size, std::move(init), first, op, write);
    });
    return detail::position_at(out, size);
  } else {
    return std::inclusive_scan(std::move(first), std::move(last), std::move(out), std::move(op),
                               std::move(init));
  }
}

/// The same without `init`: the sums have the type of the elements.
template <execution_policy Policy, std::forward_iterator In, std::forward_iterator Out,
          class Op = std::plus<>>
  requires detail::scans<Op, std::iter_value_t<In>, std::iter_reference_t<In>>
Out inclusive_scan(const Policy& policy, In first, In last, Out out, Op op = {}) {
  if (first == last) {
    return out;
  }
  // NOLINTNEXTLINE(misc-const-correctness): it is moved, which no number shows
  std::iter_value_t<In> init = *first;
  *out = init;
  return fg::inclusive_scan(policy, std::next(first), std::move(last), std::next(out),
                            std::move(op), std::move(init));
}

/// The same for the elements of `range`.
template <execution_policy Policy, loop_range Range, std::forward_iterator Out, class Op, class T>
  requires detail::scans<Op, T, detail::range_element_t<Range>>
Out inclusive_scan(const Policy& policy, Range&& range, Out out, Op op, T init) {
  const auto [first, last] = detail::ends_of(range);
  return fg::inclusive_scan(policy, first, last, std::move(out), std::move(op), std::move(init));
}
template <execution_policy Policy, loop_range Range, std::forward_iterator Out,
          class Op = std::plus<>>
Out inclusive_scan(const Policy& policy, Range&& range, Out out, Op op = {}) {
  const auto [first, last] = detail::ends_of(range);
  return fg::inclusive_scan(policy, first, last, std::move(out), std::move(op));
}

}  // namespace fg::inline FINEGRAIN_ABI
