// std::sort on the workers of a pool.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <concepts>
#include <functional>
#include <iterator>
#include <utility>

#include "finegrain/algorithm/loop_bounds.hpp"
#include "finegrain/algorithm/par/execution_policy.hpp"
#include "finegrain/algorithm/par/pieces.hpp"
#include "finegrain/algorithm/pool/sort.hpp"
#include "finegrain/controller/offload.hpp"

namespace fg::inline FINEGRAIN_ABI {

/// Sorts [first, last) by `less`, not stable: the `fg::sort` of algorithm/pool/sort.hpp, which says
/// what it requires and guarantees, where the policy says. No allocation.
template <execution_policy Policy, std::random_access_iterator It, class Less = std::less<>>
  requires std::predicate<Less&, std::iter_reference_t<It>, std::iter_reference_t<It>>
void sort(const Policy& policy, It first, It last, Less less = {}) {
  detail::run_under(policy, [&](const parallel_policy& how) {
    if (how.mode == offload::never) {
      std::sort(first, last, detail::for_piece(less));
    } else {
      fg::sort(first, last, detail::for_piece(less));
    }
  });
}

/// The same for a range.
template <execution_policy Policy, loop_range Range, class Less = std::less<>>
void sort(const Policy& policy, Range&& range, Less less = {}) {
  const auto [first, last] = detail::ends_of(range);
  fg::sort(policy, first, last, std::move(less));
}

}  // namespace fg::inline FINEGRAIN_ABI
