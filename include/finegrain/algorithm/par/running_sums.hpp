// The sums of a scan.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <concepts>
#include <cstdint>
#include <numeric>
#include <optional>
#include <utility>

#include "finegrain/algorithm/loop_bounds.hpp"
#include "finegrain/algorithm/par/execution_policy.hpp"
#include "finegrain/algorithm/par/partial_reduction.hpp"
#include "finegrain/algorithm/par/prefix_loop.hpp"
#include "finegrain/algorithm/pool/parallel_reduce.hpp"

namespace fg::inline FINEGRAIN_ABI::detail {

/// What a scan whose sums are `T` requires of `op` and of what it combines.
template <class Op, class T, class Element>
concept scans = std::copyable<T> && reduces<Op, T, Element>;

/// A Scan (prefix_loop.hpp) of elements. `write_sums(before, begin, end)` writes the sums of
/// [begin, end) and returns the one up to `end`.
template <class T, class In, class Op, class WriteSums>
struct running_sums {
  const In& in;
  Op& op;
  const WriteSums& write_sums;

  [[nodiscard]] T write(T before, std::uint64_t begin, std::uint64_t end) const {
    return write_sums(std::move(before), begin, end);
  }
  [[nodiscard]] T sum_up(std::uint64_t begin, std::uint64_t end, std::uint64_t grain) const {
    const auto first_of = [this](std::uint64_t at) { return T(*position_at(in, at)); };
    const auto fold = [this](T sum, std::uint64_t from, std::uint64_t to) {
      return std::accumulate(position_at(in, from), position_at(in, to), std::move(sum),
                             for_piece(op));
    };
    const partial_reduction<T, decltype(first_of), decltype(fold), Op> pieces{first_of, fold, op};
    return *reduce_lazily<std::optional<T>>(std::nullopt, begin, end, grain, pieces, never_stops{})
                .value;
  }
  [[nodiscard]] T after(const T& before, const T& sum) const {
    return static_cast<T>(op(before, sum));
  }
  [[nodiscard]] const running_sums& again(const T& /*sum*/) const { return *this; }
};

/// Writes the sums of `size` elements from `in` on, after `init`.
template <class T, class In, class Op, class WriteSums>
void scan_from(const parallel_policy& how, const char* algorithm, std::uint64_t size, T init,
               const In& in, Op& op, const WriteSums& write_sums) {
  const running_sums<T, In, Op, WriteSums> scan{in, op, write_sums};
  static_cast<void>(scan_after<Op>(how, algorithm, size, std::move(init), scan));
}

}  // namespace fg::inline FINEGRAIN_ABI::detail
