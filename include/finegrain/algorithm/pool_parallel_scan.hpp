// Prefix sums on the workers of a pool.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <iterator>
#include <memory>
#include <type_traits>
#include <utility>

#include "finegrain/algorithm/pool_loop_options.hpp"
#include "finegrain/algorithm/pool_parallel_for.hpp"
#include "finegrain/algorithm/pool_split.hpp"
#include "finegrain/pool/pool.hpp"
#include "finegrain/pool/serial_remark.hpp"

namespace fg {

/// Writes to `out[i]` what `in[0] … in[i]` combine to, for all i in [0, size), on the workers of
/// the pool that the calling thread works for: an inclusive scan. `in` and `out` are random-access
/// iterators; they may be the same, but not overlap otherwise.
///
/// Requires: `combine` is associative; it need not be commutative. What it returns is converted to
/// the value type of `in`, which has to be copyable and default-constructible.
/// Two passes: each piece is combined, then, with what lies before it, written; so `combine` is
/// called twice as often as by a serial scan, and two workers only break even (Blelloch 1990,
/// "Prefix sums and their applications", section 1.3). A range of one piece is scanned once.
/// The pieces depend on the size and `grain` alone, so the bits are the same in every run.
/// For threads, also those of no pool, visibility and exceptions see `parallel_for`. Allocates one
/// value a piece, at most 256 unless `grain` asks for more. Throws std::bad_alloc.
template <std::random_access_iterator In, std::random_access_iterator Out,
          class Combine = std::plus<>>
void parallel_scan(In in, std::size_t size, Out out, Combine combine = {},
                   const pool_reduce_options& options = {}) {
  detail::remark_if_serial(worker::current(), "parallel_scan");
  using value = std::iter_value_t<In>;
  const auto at = [](auto iterator, std::uint64_t index) -> decltype(auto) {
    return iterator[static_cast<std::iter_difference_t<decltype(iterator)>>(index)];
  };
  if (size == 0) {
    return;
  }
  const std::uint64_t grain = detail::fixed_grain_for(size, options.grain);
  const std::uint64_t pieces = (size - 1) / grain + 1;
  const auto end_of = [size, grain](std::uint64_t piece) {
    return size - piece * grain < grain ? size : (piece + 1) * grain;
  };
  // The values of all pieces but the last, then of all that lies before the next one.
  const auto before = std::make_unique<value[]>(pieces - 1);
  parallel_for(std::uint64_t{0}, pieces - 1,
               [&](std::uint64_t piece) {
                 value sum = at(in, piece * grain);
                 for (std::uint64_t i = piece * grain + 1; i != end_of(piece); ++i) {
                   sum = static_cast<value>(combine(std::move(sum), at(in, i)));
                 }
                 before[piece] = std::move(sum);
               },
               {.grain = 1});
  for (std::uint64_t piece = 1; piece + 1 < pieces; ++piece) {
    before[piece] = static_cast<value>(combine(before[piece - 1], std::move(before[piece])));
  }
  parallel_for(std::uint64_t{0}, pieces,
               [&](std::uint64_t piece) {
                 const std::uint64_t first = piece * grain;
                 value sum = piece == 0
                                 ? value(at(in, first))
                                 : static_cast<value>(combine(before[piece - 1], at(in, first)));
                 at(out, first) = sum;
                 for (std::uint64_t i = first + 1; i != end_of(piece); ++i) {
                   sum = static_cast<value>(combine(std::move(sum), at(in, i)));
                   at(out, i) = sum;
                 }
               },
               {.grain = 1});
}

/// The same on the workers of `home`: on a thread that is none of them, within `home.run`.
template <std::random_access_iterator In, std::random_access_iterator Out,
          class Combine = std::plus<>>
void parallel_scan(pool& home, In in, std::size_t size, Out out, Combine combine = {},
                   const pool_reduce_options& options = {}) {
  home.run([&] { parallel_scan(in, size, out, combine, options); });
}

}  // namespace fg
