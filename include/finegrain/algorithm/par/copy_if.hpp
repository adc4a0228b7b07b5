// std::copy_if on the workers of a pool.
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
#include "finegrain/algorithm/par/prefix_loop.hpp"
#include "finegrain/algorithm/par/selection.hpp"

namespace fg::inline FINEGRAIN_ABI {

/// Copies the elements of [first, last) for which `is_it` holds to `out` and the places after it, in
/// their order, and returns the end of what it wrote. The two ranges must not overlap. `is_it` is
/// called exactly once for each element.
///
/// Allocates a byte for each element that it has to decide on before it knows where to: for up to a
/// third of them if another worker takes part, more with more workers, none if the calling worker
/// does all. Throws std::bad_alloc. For threads, errors and the rest see `parallel_policy`.
template <execution_policy Policy, std::forward_iterator In, std::forward_iterator Out,
          class Predicate>
  requires std::predicate<Predicate&, std::iter_reference_t<In>>
Out copy_if(const Policy& policy, In first, In last, Out out, Predicate is_it) {
  if constexpr (detail::splittable<In, Out>) {
    return detail::run_under(policy, [&](const parallel_policy& how) {
      const detail::copy_of_selected<In, Out, Predicate> scan{first, out, is_it};
      return detail::position_at(
          out, detail::scan_after<Predicate>(how, "copy_if", detail::size_between(first, last),
                                             std::uint64_t{0}, scan));
    });
  } else {
    return std::copy_if(std::move(first), std::move(last), std::move(out), std::move(is_it));
  }
}

/// The same for the elements of `range`.
template <execution_policy Policy, loop_range Range, std::forward_iterator Out, class Predicate>
Out copy_if(const Policy& policy, Range&& range, Out out, Predicate is_it) {
  const auto [first, last] = detail::ends_of(range);
  return fg::copy_if(policy, first, last, std::move(out), std::move(is_it));
}

}  // namespace fg::inline FINEGRAIN_ABI
