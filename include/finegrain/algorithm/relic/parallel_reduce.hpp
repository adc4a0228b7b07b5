// A reduction that two threads share.
#pragma once

#include <cstdint>
#include <optional>
#include <type_traits>
#include <utility>

#include "finegrain/algorithm/loop_bounds.hpp"
#include "finegrain/algorithm/relic/adaptive_loop.hpp"
#include "finegrain/algorithm/relic/loop_options.hpp"
#include "finegrain/algorithm/relic/partial_results.hpp"
#include "finegrain/algorithm/relic/shared_loop.hpp"
#include "finegrain/algorithm/result_type.hpp"
#include "finegrain/relic/relic_like.hpp"

namespace fg::inline FINEGRAIN_ABI {

namespace detail {

template <class Map, class Position, bool TakesRange>
struct map_result {
  using type = std::invoke_result_t<Map&, Position, Position>;
};
template <class Map, class Position>
struct map_result<Map, Position, false> {
  using type = std::invoke_result_t<Map&, loop_element_t<Position>>;
};
template <class Map, class Position>
using map_result_t =
    std::remove_cvref_t<typename map_result<Map, Position, kTakesRange<Map, Position>>::type>;

/// How one reduction computes.
template <class Position, class T, class Map, class Combine>
struct reduction {
  Position first;
  const T& identity;
  Map& map;
  Combine& combine;

  /// `value` combined with the results of [begin, end), from left to right.
  [[nodiscard]] T continued(T value, std::uint64_t begin, std::uint64_t end) const {
    static_assert(
        kConvertsWhole<T, map_result_t<Map, Position>>,
        "finegrain: the result has the type of the identity, which would cut off what the "
        "map returns; begin with a wider one (0L, 0.0, std::size_t{0}), or convert in the "
        "map");
    static_assert(
        kCombinesWhole<T, Combine>,
        "finegrain: the result has the type of the identity, which would cut off what "
        "combine returns; begin with a wider one (0L, 0.0, std::size_t{0}), or convert in "
        "combine");
    const Position last = position_at(first, end);
    Position i = position_at(first, begin);
    if constexpr (kTakesRange<Map, Position>) {
      return static_cast<T>(combine(std::move(value), static_cast<T>(map(i, last))));
    } else {
      for (; i != last; ++i) {
        value = static_cast<T>(combine(std::move(value), static_cast<T>(map(element_at(i)))));
      }
      return value;
    }
  }

  /// The result of one chunk by itself. Never inlined: a compiler that fuses a multiplication and
  /// an addition in one place and not in the other would give two callers different bits.
#if defined(__GNUC__)
  [[gnu::noinline]]
#endif
  [[nodiscard]] T
  of_chunk(std::uint64_t begin, std::uint64_t end) const {
    return continued(identity, begin, end);
  }
};

/// One thread's part in a reduction.
template <class Reduction, class T>
struct reducing_side {
  const Reduction& how;
  partial_results<T>& results;
  std::uint64_t chunk;  // the length of one
  range_side side;
};

/// Combines what one thread takes as long as it is contiguous: one partial result for each run of
/// chunks, by the number of its first one.
template <class Reduction, class T>
class run_reducer {
 public:
  explicit run_reducer(const reducing_side<Reduction, T>& own) noexcept : own_{own} {}

  void operator()(std::uint64_t begin, std::uint64_t end) {
    if (value_ && begin != end_) {
      finish();
    }
    if (!value_) {
      value_.emplace(own_.how.identity);
      begin_ = begin;
    }
    *value_ = own_.how.continued(*std::move(value_), begin, end);
    end_ = end;
  }
  void finish() {
    own_.results.put(own_.side, begin_ / own_.chunk, *std::move(value_));
    value_.reset();
  }

 private:
  reducing_side<Reduction, T> own_;
  std::uint64_t begin_ = 0;
  std::uint64_t end_ = 0;
  std::optional<T> value_;
};

/// One partial result for each chunk, whoever takes it.
template <class Reduction, class T>
class chunk_reducer {
 public:
  explicit chunk_reducer(const reducing_side<Reduction, T>& own) noexcept : own_{own} {}

  void operator()(std::uint64_t begin, std::uint64_t end) {
    for (std::uint64_t number = begin / own_.chunk; begin != end; ++number) {
      const std::uint64_t next = end - begin < own_.chunk ? end : begin + own_.chunk;
      own_.results.put(own_.side, number, own_.how.of_chunk(begin, next));
      begin = next;
    }
  }
  void finish() const noexcept {}

 private:
  reducing_side<Reduction, T> own_;
};

template <class Reducer, class Reduction, class T>
struct reduce_work {
  const Reduction& how;
  partial_results<T>& results;
  std::uint64_t chunk;

  [[nodiscard]] Reducer worker(range_side side) const noexcept {
    return Reducer{{how, results, chunk, side}};
  }
};

template <class Reduction, class T>
struct reduce_loop {
  loop_shape shape;
  const Reduction& how;
  T& result;  // the identity before

  void run_here() {
    if (shape.iterations == 0) {
      return;
    }
    if (!shape.fixed_chunks) {
      result = how.continued(std::move(result), 0, shape.iterations);
      return;
    }
    const loop_layout layout{shape, {}};
    for (std::uint32_t chunk = 0; chunk != layout.chunks(); ++chunk) {
      result = static_cast<T>(how.combine(
          std::move(result), how.of_chunk(layout.begin_of(chunk), layout.begin_of(chunk + 1))));
    }
  }
  template <class Relic>
  void run_on_both(Relic& relic, const loop_layout& layout) {
    if (shape.fixed_chunks) {
      run_with<chunk_reducer<Reduction, T>>(relic, layout);
    } else {
      run_with<run_reducer<Reduction, T>>(relic, layout);
    }
  }

 private:
  template <class Reducer, class Relic>
  void run_with(Relic& relic, const loop_layout& layout) {
    partial_results<T> results;
    detail::run_on_both(relic, layout,
                        reduce_work<Reducer, Reduction, T>{how, results, layout.chunk()});
    result = results.combined(std::move(result), how.combine);
  }
};

}  // namespace detail

/// Combines `map(i)` for all `i` in [first, last), computed on the calling thread and beside it on
/// the assistant, and returns the result; `identity` for an empty range. A map that can be called
/// with two indices is given pieces instead: `map(begin, end)`, none empty, each index in one
/// piece.
///
///     const double sum = fg::parallel_reduce(
///         relic, 0, size, 0.0, [&](std::size_t i) { return x[i] * y[i]; }, std::plus<>{});
///
/// The result has the type of `identity`, which must be copyable and movable without surprises;
/// what `map` and `combine` return is converted to it, and does not compile where that would cut
/// numbers off: a long, an unsigned or a double does not become an int, nor a double a float. (An
/// integer may become a floating-point number, or an unsigned one of as many bits, and what
/// operators make of two short may become a short again.) Requires: `combine` is associative, and
/// `combine(identity, x)` is x. It need not be commutative: values are combined in the order of the
/// range. (A sum of floating-point numbers is not quite associative: it differs in the last bits
/// from run to run, unless `deterministic` is asked for.)
///
/// `options.deterministic`: the same bits in every run, whether one thread or two compute and on
/// whatever thread, in any mode. The range is cut by its length and `grain` alone, into 64 pieces
/// at most; each piece is combined from left to right beginning with `identity`, and then their
/// results are, in order. Requires of `map` and `combine` that they give the same bits themselves.
/// It costs one result a piece, and a short loop is not cut where it would suit best.
///
/// Calls of `map` and `combine` may run at the same time on both threads. For all else, threads,
/// exceptions, visibility, modes and sites (here by the types of `map` and `combine`), see
/// `parallel_for`. If a call throws no result is returned, and all values are destroyed.
///
/// At most 64 partial results, on the stack: room for 64 T. Constant time beside the calls and the
/// pieces taken, no allocation.
template <relic_like Relic, loop_index First, loop_index Last, class Identity, class Map,
          class Combine>
[[nodiscard]] std::decay_t<Identity> parallel_reduce(Relic& runner, loop_site& site, First first,
                                                     Last last, Identity&& identity, Map&& map,
                                                     Combine&& combine,
                                                     const reduce_options& options = {}) {
  using index = detail::common_index_t<First, Last>;
  using value = std::decay_t<Identity>;
  using map_type = std::remove_reference_t<Map>;
  using reduction = detail::reduction<index, value, map_type, std::remove_reference_t<Combine>>;
  const auto positions = detail::positions_between(first, last);
  const value start(std::forward<Identity>(identity));
  value result = start;
  const reduction how{.first = positions.first, .identity = start, .map = map, .combine = combine};
  detail::reduce_loop<reduction, value> loop{
      .shape = {.iterations = positions.size,
                .grain = options.grain,
                .most_chunks = detail::partial_results<value>::kCapacity,
                .fixed_chunks = options.deterministic},
      .how = how,
      .result = result};
  detail::run_loop(runner, site, options.mode, loop);
  return result;
}

/// The same with the site that belongs to the types of `map` and `combine`: see `parallel_for`.
template <relic_like Relic, loop_index First, loop_index Last, class Identity, class Map,
          class Combine>
[[nodiscard]] std::decay_t<Identity> parallel_reduce(Relic& runner, First first, Last last,
                                                     Identity&& identity, Map&& map,
                                                     Combine&& combine,
                                                     const reduce_options& options = {}) {
  static_assert(!detail::is_type_erased<std::decay_t<Map>>,
                "finegrain: type-erased maps share one type; name the call site with an "
                "fg::loop_site");
  return parallel_reduce(runner, detail::loop_site_of<std::decay_t<Map>, std::decay_t<Combine>>(),
                         first, last, std::forward<Identity>(identity), std::forward<Map>(map),
                         std::forward<Combine>(combine), options);
}

}  // namespace fg::inline FINEGRAIN_ABI
