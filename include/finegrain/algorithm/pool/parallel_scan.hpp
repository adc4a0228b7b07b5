// Prefix sums on the workers of a pool.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <functional>
#include <iterator>
#include <memory>
#include <type_traits>
#include <utility>

#include "finegrain/algorithm/loop_bounds.hpp"
#include "finegrain/algorithm/pool/loop_options.hpp"
#include "finegrain/algorithm/pool/parallel_for.hpp"
#include "finegrain/algorithm/pool/split.hpp"
#include "finegrain/algorithm/reduction.hpp"
#include "finegrain/pool/pool.hpp"
#include "finegrain/pool/presence.hpp"

namespace fg::inline FINEGRAIN_ABI {

namespace detail {

/// Splits [0, size), which is not empty, into pieces, combines each, and then calls `write(begin,
/// end, before)` for each piece, on any worker. `before` is the combination of `initial`, if any,
/// and everything before the piece; null if there is nothing.
template <class T, class In, class Combine, class Write>
void scan_pieces(const In& in, std::uint64_t size, const T* initial, Combine& combine,
                 const pool_reduce_options& options, const Write& write) {
  static_assert(
      kConvertsWhole<T, std::iter_value_t<In>> &&
          kCombinesWhole<T, Combine, std::invoke_result_t<Combine&, T, std::iter_reference_t<In>>>,
      "finegrain: the sums have the type of the initial value, or of the elements if there is "
      "none, which would cut off the elements or what combine returns; begin with a wider one (0L, "
      "0.0, std::size_t{0}), or convert in combine");
  const std::uint64_t grain = fixed_grain_for(size, options.grain);
  const std::uint64_t pieces = pieces_of(size, grain);
  const auto end_of = [size, grain](std::uint64_t piece) {
    return size - piece * grain < grain ? size : (piece + 1) * grain;
  };
  // The values of all pieces but the last, then of all that lies before the next one.
  const auto before = std::make_unique<T[]>(pieces - 1);
  parallel_for(std::uint64_t{0}, pieces - 1,
               [&](std::uint64_t piece) {
                 T sum = static_cast<T>(*position_at(in, piece * grain));
                 for (std::uint64_t i = piece * grain + 1; i != end_of(piece); ++i) {
                   sum = static_cast<T>(combine(std::move(sum), *position_at(in, i)));
                 }
                 before[piece] = std::move(sum);
               },
               {.grain = 1, .stop = options.stop, .mode = options.mode});
  const T* all_before = initial;
  for (std::uint64_t piece = 0; piece + 1 < pieces; ++piece) {
    if (all_before != nullptr) {
      before[piece] = static_cast<T>(combine(*all_before, std::move(before[piece])));
    }
    all_before = &before[piece];
  }
  parallel_for(std::uint64_t{0}, pieces,
               [&](std::uint64_t piece) {
                 write(piece * grain, end_of(piece), piece == 0 ? initial : &before[piece - 1]);
               },
               {.grain = 1, .stop = options.stop, .mode = options.mode});
}

}  // namespace detail

/// Writes to `out[i]` the combination of `in[0] … in[i]`, for all i in [0, size), on the workers
/// of the pool that the calling thread works for: an inclusive scan. `in` and `out` are
/// random-access iterators; they may be the same, but not overlap otherwise. A negative size
/// counts as 0.
///
/// Requires: `combine` is associative; it need not be commutative. What it returns is converted to
/// the value type of `in`, which has to be copyable and default-constructible; what would truncate
/// numbers does not compile, as in `parallel_reduce`. Two passes: each piece is combined, then,
/// with what lies before it, written; so `combine` is called twice as often as by a serial scan,
/// and two workers only break even (Blelloch 1990, "Prefix sums and their applications", section
/// 1.3). A range of one piece is scanned once. The pieces depend on the size and `grain` alone, so
/// the bits are the same in every run. For threads, also those of no pool, visibility and
/// exceptions see `parallel_for`. Allocates one value per piece, at most 256 unless `grain` asks
/// for more. Throws std::bad_alloc.
template <std::random_access_iterator In, loop_index Size, std::random_access_iterator Out,
          class Combine = std::plus<>>
void parallel_scan(In in, Size size, Out out, Combine combine = {},
                   const pool_reduce_options& options = {}) {
  detail::remark_if_serial(worker::current(), "parallel_scan");
  using value = std::iter_value_t<In>;
  const auto positions = detail::positions_between(Size{0}, size);
  if (positions.size == 0) {
    return;
  }
  const auto write = [&](std::uint64_t begin, std::uint64_t end, const value* before) {
    In from = detail::position_at(in, begin);
    Out to = detail::position_at(out, begin);
    value sum = before == nullptr ? value(*from) : static_cast<value>(combine(*before, *from));
    *to = sum;
    for (std::uint64_t i = begin + 1; i != end; ++i) {
      sum = static_cast<value>(combine(std::move(sum), *++from));
      *++to = sum;
    }
  };
  detail::scan_pieces<value>(in, positions.size, nullptr, combine, options, write);
}

/// Writes to `out[i]` the combination of `initial` and `in[0] … in[i - 1]`, so `initial` to
/// `out[0]`: an exclusive scan. `initial` need not be an identity of `combine`. The sums have its
/// type, to which the elements are converted. Otherwise see `parallel_scan`.
template <std::random_access_iterator In, loop_index Size, std::random_access_iterator Out, class T,
          class Combine = std::plus<>>
// NOLINTNEXTLINE(performance-unnecessary-value-param): an array may also be given
void parallel_exclusive_scan(In in, Size size, Out out, T initial, Combine combine = {},
                             const pool_reduce_options& options = {}) {
  detail::remark_if_serial(worker::current(), "parallel_exclusive_scan");
  const auto positions = detail::positions_between(Size{0}, size);
  if (positions.size == 0) {
    return;
  }
  const auto write = [&](std::uint64_t begin, std::uint64_t end, const T* before) {
    In from = detail::position_at(in, begin);
    Out to = detail::position_at(out, begin);
    T sum = *before;
    for (std::uint64_t i = begin + 1; i != end; ++i, ++from, ++to) {
      T next = static_cast<T>(combine(sum, *from));  // read first: it may be the same place
      *to = std::move(sum);
      sum = std::move(next);
    }
    *to = std::move(sum);
  };
  detail::scan_pieces<T>(in, positions.size, &initial, combine, options, write);
}

/// The same on the workers of `home`: on a thread that is none of them, within `home.run`.
template <std::random_access_iterator In, loop_index Size, std::random_access_iterator Out,
          class Combine = std::plus<>>
void parallel_scan(pool& home, In in, Size size, Out out, Combine combine = {},
                   const pool_reduce_options& options = {}) {
  home.run([&] { parallel_scan(in, size, out, combine, options); });
}
template <std::random_access_iterator In, loop_index Size, std::random_access_iterator Out, class T,
          class Combine = std::plus<>>
void parallel_exclusive_scan(pool& home, In in, Size size, Out out, T initial, Combine combine = {},
                             const pool_reduce_options& options = {}) {
  home.run([&] { parallel_exclusive_scan(in, size, out, std::move(initial), combine, options); });
}

}  // namespace fg::inline FINEGRAIN_ABI
