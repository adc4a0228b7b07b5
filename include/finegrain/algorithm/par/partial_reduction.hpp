// Reductions whose pieces begin with an element, as there is no identity to begin with.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <concepts>
#include <cstdint>
#include <optional>
#include <utility>

#include "finegrain/algorithm/par/execution_policy.hpp"
#include "finegrain/algorithm/par/pieces.hpp"
#include "finegrain/algorithm/pool/parallel_reduce.hpp"

namespace fg::inline FINEGRAIN_ABI::detail {

/// What a reduction to a `T` requires of `op` and of what it combines.
template <class Op, class T, class Element>
concept reduces = std::movable<T> && std::constructible_from<T, Element> &&
                  std::invocable<Op&, T, Element> && std::invocable<Op&, T, T>;

/// A reduction for lazy_reduction and reduce_lazily. `first_of(i)` is the value of element i;
/// `fold(value, begin, end)` is `value` combined with those of [begin, end).
template <class T, class FirstOf, class Fold, class Op>
struct partial_reduction {
  const FirstOf& first_of;
  const Fold& fold;
  Op& op;

  static constexpr std::nullopt_t identity = std::nullopt;

  [[nodiscard]] std::optional<T> continued(std::optional<T> value, std::uint64_t begin,
                                           std::uint64_t end) const {
    if (!value) {
      value.emplace(first_of(begin++));
    }
    return fold(*std::move(value), begin, end);
  }
  /// Of two pieces, none of which is empty.
  [[nodiscard]] std::optional<T> combine(std::optional<T> low, std::optional<T> high) const {
    return static_cast<T>(op(*std::move(low), *std::move(high)));
  }
};

/// `init` combined with `size` elements, in their order, as `how` says. The types of `F` tell the
/// place.
template <class... F, class T, class FirstOf, class Fold, class Op>
T reduce_from(const parallel_policy& how, const char* algorithm, std::uint64_t size, T init,
              const FirstOf& first_of, const Fold& fold, Op& op) {
  const partial_reduction<T, FirstOf, Fold, Op> pieces{first_of, fold, op};
  lazy_reduction<std::optional<T>, decltype(pieces)> loop{size, how.grain, pieces, std::move(init)};
  run_loop_under<F..., Op>(how, algorithm, loop);
  return *std::move(loop.value);
}

}  // namespace fg::inline FINEGRAIN_ABI::detail
