// What the algorithms with a policy share: how they run loops, and how pieces use callables.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cstdint>
#include <functional>
#include <iterator>
#include <utility>

#include "finegrain/algorithm/loop_bounds.hpp"
#include "finegrain/algorithm/par/execution_policy.hpp"
#include "finegrain/algorithm/pool/adaptive_loop.hpp"
#include "finegrain/algorithm/pool/parallel_for.hpp"
#include "finegrain/algorithm/pool/split.hpp"
#include "finegrain/controller/offload.hpp"
#include "finegrain/controller/type_erased.hpp"
#include "finegrain/pool/presence.hpp"
#include "finegrain/pool/worker.hpp"
#include "finegrain/task/carried.hpp"

namespace fg::inline FINEGRAIN_ABI::detail {

/// Whether an algorithm over these iterators is split; if not, the standard's serial one runs.
template <class... It>
concept splittable = (std::random_access_iterator<It> && ...);

/// The number of elements from `first` to `last`.
template <std::random_access_iterator It>
std::uint64_t size_between(const It& first, const It& last) {
  return positions_between(first, last).size;
}

/// The two ends of a range.
template <loop_range Range>
auto ends_of(Range& range) {
  const auto positions = positions_of(range);
  return std::pair{positions.first, position_at(positions.first, positions.size)};
}

/// The same of as many elements as a second range has at most.
template <loop_range Range, loop_range Second>
auto ends_of_shorter(Range& range, Second& second) {
  const auto positions = positions_of(range);
  const std::uint64_t size = std::min(positions.size, positions_of(second).size);
  return std::pair{positions.first, position_at(positions.first, size)};
}

/// What a range's iterators refer to.
template <loop_range Range>
using range_element_t = loop_element_t<decltype(std::ranges::begin(std::declval<Range&>()))>;

/// `f` as the algorithm of a piece takes it: a copy, whose members may stay in registers, if that is
/// small and trivial; else a reference.
template <class F>
auto for_piece(F& f) noexcept {
  if constexpr (kFitsInClosure<F, 0>) {
    return f;
  } else {
    return std::ref(f);
  }
}

/// Runs `loop`, which is as for run_loop, on this worker or on several. Its type and that of its
/// callables, `F`, tell the place in the source.
template <class... F, class Loop>
void run_loop_under(const parallel_policy& how, const char* algorithm, Loop& loop) {
  worker* const self = worker::current();
  remark_if_serial(self, algorithm);
  if (self == nullptr || how.mode == offload::never || loop.iterations < 2) {
    loop.run(0, loop.iterations);
  } else if (how.mode == offload::always || (is_type_erased<F> || ...)) {
    static_cast<void>(loop.share(0, grain_for(loop.iterations, how.grain)));
  } else {
    run_loop(*self, pool_loop_site_of<Loop>(), loop);
  }
}

/// Calls `piece(begin, end)` over [0, size), as `how` says.
template <class F, class Piece>
void for_each_piece(const parallel_policy& how, const char* algorithm, std::uint64_t size,
                    const Piece& piece) {
  const lazy_loop<Piece> loop{size, how.grain, piece};
  run_loop_under<F>(how, algorithm, loop);
}

}  // namespace fg::inline FINEGRAIN_ABI::detail
