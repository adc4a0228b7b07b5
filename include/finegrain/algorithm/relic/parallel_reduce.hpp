// A reduction that two threads share.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <new>
#include <optional>
#include <type_traits>
#include <utility>

#include "finegrain/algorithm/loop_bounds.hpp"
#include "finegrain/algorithm/reduction.hpp"
#include "finegrain/algorithm/relic/adaptive_loop.hpp"
#include "finegrain/algorithm/relic/loop_options.hpp"
#include "finegrain/algorithm/relic/shared_loop.hpp"
#include "finegrain/algorithm/relic/shared_range.hpp"
#include "finegrain/controller/type_erased.hpp"
#include "finegrain/relic/relic_like.hpp"

namespace fg::inline FINEGRAIN_ABI {

namespace detail {

/// Up to 64 numbered values, stored by two threads and combined in the order of their numbers.
/// Storage in place; only what was stored is constructed.
template <class T>
class partial_results {
 public:
  static constexpr std::uint32_t kCapacity = 64;

  partial_results() = default;
  partial_results(const partial_results&) = delete;
  partial_results& operator=(const partial_results&) = delete;
  ~partial_results() {
    for (std::uint64_t left = all(); left != 0; left &= left - 1) {
      std::destroy_at(at(std::countr_zero(left)));
    }
  }

  /// Requires: number < kCapacity, and no value is stored there. Each side is for its own thread;
  /// both may call it at the same time.
  void put(range_side side, std::uint64_t number, T&& value) {
    ::new (static_cast<void*>(&places_[static_cast<std::size_t>(number)])) T(std::move(value));
    engaged_[static_cast<std::size_t>(side)] |= std::uint64_t{1} << number;
  }

  /// `start` combined with each value in turn. Requires: both threads have finished.
  template <class Combine>
  [[nodiscard]] T combined(T start, Combine& combine) {
    for (std::uint64_t left = all(); left != 0; left &= left - 1) {
      start = static_cast<T>(combine(std::move(start), std::move(*at(std::countr_zero(left)))));
    }
    return start;
  }

 private:
  struct place {
    alignas(T) std::byte bytes[sizeof(T)];
  };

  [[nodiscard]] std::uint64_t all() const noexcept { return engaged_[0] | engaged_[1]; }
  T* at(int number) noexcept {
    return std::launder(reinterpret_cast<T*>(places_[static_cast<std::size_t>(number)].bytes));
  }

  std::array<std::uint64_t, 2> engaged_{};
  std::array<place, kCapacity> places_;
};

/// A reduction that the assistant computes from copies, as far as no program can tell them from the
/// originals, so that it need not fetch those.
template <class Position, class T, class Map, class Combine>
class carried_reduction {
 public:
  using value_type = T;

  explicit carried_reduction(const reduction<Position, T, Map, Combine>& how) noexcept
      : first_{how.first}, identity_{how.identity}, map_{how.map}, combine_{how.combine} {}

  [[nodiscard]] T identity() const { return identity_.get(); }

  /// `value` combined with the results of [begin, end), from left to right.
  [[nodiscard]] T continued(T value, std::uint64_t begin, std::uint64_t end) const {
    decltype(auto) identity = identity_.get();
    decltype(auto) map = map_.get();
    decltype(auto) combine = combine_.get();
    using own_map = std::remove_reference_t<decltype(map)>;
    using own_combine = std::remove_reference_t<decltype(combine)>;
    return reduction<Position, T, own_map, own_combine>{first_, identity, map, combine}.continued(
        std::move(value), begin, end);
  }

 private:
  template <bool TakesRange>
  static consteval bool copies_map() {
    if constexpr (TakesRange) {
      return kIsCarriedAsCopy<Map, 0, Position, Position>;
    } else {
      return kIsCarriedAsCopy<Map, 0, loop_element_t<Position>>;
    }
  }

  Position first_;
  FINEGRAIN_NO_UNIQUE_ADDRESS carried<const T, kFitsInClosure<T, 0>> identity_;
  FINEGRAIN_NO_UNIQUE_ADDRESS carried<Map, copies_map<kTakesRange<Map, Position>>()> map_;
  FINEGRAIN_NO_UNIQUE_ADDRESS carried<Combine, kIsCarriedAsCopy<Combine, 0, T, T>> combine_;
};

/// One thread's part, if that is one contiguous range.
template <class Reduction>
class range_reducer {
 public:
  explicit range_reducer(const Reduction& how) noexcept : how_{how} {}

  void operator()(std::uint64_t begin, std::uint64_t end) {
    value_.emplace(how_.continued(how_.identity(), begin, end));
  }
  [[nodiscard]] auto finish() { return *std::move(value_); }

 private:
  const Reduction& how_;
  std::optional<typename Reduction::value_type> value_;
};

template <class Reduction>
struct range_work {
  Reduction how;

  [[nodiscard]] range_reducer<Reduction> worker(range_side /*side*/) const noexcept {
    return range_reducer<Reduction>{how};
  }
};

/// One thread's part in a reduction whose chunks are shared.
template <class Reduction, class T>
struct reducing_side {
  const Reduction& how;
  partial_results<T>& results;
  std::uint64_t chunk;  // the length of one
  range_side side;
};

/// Combines what one thread takes while it is contiguous: one partial result for each run of
/// chunks, numbered by its first chunk. The last one is returned, so that the assistant's comes home
/// with its task; mostly it is the only one.
template <class Reduction, class T>
class run_reducer {
 public:
  struct run {
    std::uint64_t number;
    T value;
  };

  explicit run_reducer(const reducing_side<Reduction, T>& own) noexcept : own_{own} {}

  void operator()(std::uint64_t begin, std::uint64_t end) {
    if (value_ && begin != end_) {
      own_.results.put(own_.side, begin_ / own_.chunk, *std::move(value_));
      value_.reset();
    }
    if (!value_) {
      value_.emplace(own_.how.identity());
      begin_ = begin;
    }
    *value_ = own_.how.continued(*std::move(value_), begin, end);
    end_ = end;
  }
  [[nodiscard]] run finish() { return {begin_ / own_.chunk, *std::move(value_)}; }

 private:
  reducing_side<Reduction, T> own_;
  std::uint64_t begin_ = 0;
  std::uint64_t end_ = 0;
  std::optional<T> value_;
};

/// One partial result for each chunk, whichever thread takes it.
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
  Reduction how;
  partial_results<T>& results;
  std::uint64_t chunk;

  [[nodiscard]] Reducer worker(range_side side) const noexcept {
    return Reducer{{how, results, chunk, side}};
  }
};

template <class Reduction, class Carried, class T>
struct reduce_loop {
  loop_shape shape;
  const Reduction& how;
  T& result;  // initially the identity

  void run_here() {
    if (shape.iterations == 0) {
      return;
    }
    if (!shape.fixed_chunks) {
      run(0, shape.iterations);
      return;
    }
    const loop_layout layout{shape, {}};
    for (std::uint32_t chunk = 0; chunk != layout.chunks(); ++chunk) {
      result = static_cast<T>(how.combine(
          std::move(result), how.of_chunk(layout.begin_of(chunk), layout.begin_of(chunk + 1))));
    }
  }
  void run(std::uint64_t begin, std::uint64_t end) {
    result = how.continued(std::move(result), begin, end);
  }

  template <class Relic>
  void run_rest_on_both(Relic& relic, const loop_layout& layout, std::uint64_t begin) {
    Reduction rest = how;
    rest.first = position_at(how.first, begin);
    reduce_loop{shape, rest, result}.run_on_both(relic, layout);
  }
  template <class Relic>
  void run_on_both(Relic& relic, const loop_layout& layout) {
    if (shape.fixed_chunks) {
      run_chunks(relic, layout);
    } else if (layout.grants_all()) {
      run_two_ranges(relic, layout);
    } else {
      run_runs(relic, layout);
    }
  }

 private:
  template <class Relic>
  void run_two_ranges(Relic& relic, const loop_layout& layout) {
    auto [mains, assistants] = run_fixed_parts(relic, layout, range_work<Carried>{Carried{how}});
    result = static_cast<T>(how.combine(std::move(result), std::move(mains)));
    result = static_cast<T>(how.combine(std::move(result), std::move(assistants)));
  }

  template <class Relic>
  void run_runs(Relic& relic, const loop_layout& layout) {
    partial_results<T> results;
    auto [mains, assistants] = detail::run_on_both(
        relic, layout,
        reduce_work<run_reducer<Carried, T>, Carried, T>{Carried{how}, results, layout.chunk()});
    results.put(range_side::main, mains.number, std::move(mains.value));
    results.put(range_side::main, assistants.number, std::move(assistants.value));
    result = results.combined(std::move(result), how.combine);
  }

  template <class Relic>
  void run_chunks(Relic& relic, const loop_layout& layout) {
    partial_results<T> results;
    static_cast<void>(detail::run_on_both(
        relic, layout,
        reduce_work<chunk_reducer<Reduction, T>, Reduction, T>{how, results, layout.chunk()}));
    result = results.combined(std::move(result), how.combine);
  }
};

}  // namespace detail

/// Combines `map(i)` for all `i` in [first, last), computed on the calling thread and in parallel
/// on the assistant, and returns the result; `identity` for an empty range. A map that can be
/// called with two indices is given pieces instead: `map(begin, end)`, none empty, each index in
/// one piece.
///
///     const double sum = fg::parallel_reduce(
///         relic, 0, size, 0.0, [&](std::size_t i) { return x[i] * y[i]; }, std::plus<>{});
///
/// The result has the type of `identity`, which must be copyable and movable in the usual way. What
/// `map` and `combine` return is converted to it, which does not compile if it would truncate
/// numbers: a long, an unsigned or a double does not become an int, nor a double a float. (An
/// integer may become a floating-point number, or an unsigned one of as many bits, and what
/// operators make of two short may become a short again.) Requires: `combine` is associative, and
/// `combine(identity, x)` is x. It need not be commutative: values are combined in the order of the
/// range. (A sum of floating-point numbers is not quite associative: it differs in the last bits
/// from run to run, unless `deterministic` is set.)
///
/// `options.deterministic`: the same bits in every run, whether one thread computes or two, on any
/// thread and in any mode. The range is cut by its length and `grain` alone, into at most 64
/// pieces; each piece is combined from left to right beginning with `identity`, and then their
/// results are, in order. Requires of `map` and `combine` that they give the same bits themselves.
/// It costs one result per piece, and a short loop is not cut in the best way.
///
/// Calls of `map` and `combine` may run concurrently on both threads. One that is trivially copyable
/// and whose only call operator is const may be called as a copy: what it writes to a `mutable`
/// member of its own may be lost. For everything else, threads,
/// exceptions, visibility, modes and sites (here by the types of `map` and `combine`), see
/// `parallel_for`. If a call throws, no result is returned, and all values are destroyed.
///
/// At most 64 partial results, on the stack: space for 64 T. Constant time besides the calls and
/// the pieces taken, no allocation.
template <relic_like Relic, loop_index First, loop_index Last, class Identity, class Map,
          class Combine>
[[nodiscard]] std::decay_t<Identity> parallel_reduce(Relic& runner, loop_site& site, First first,
                                                     Last last, Identity&& identity, Map&& map,
                                                     Combine&& combine,
                                                     const reduce_options& options = {}) {
  using index = detail::common_index_t<First, Last>;
  using value = std::decay_t<Identity>;
  using map_type = std::remove_reference_t<Map>;
  using combine_type = std::remove_reference_t<Combine>;
  using reduction = detail::reduction<index, value, map_type, combine_type>;
  using carried = detail::carried_reduction<index, value, map_type, combine_type>;
  const auto positions = detail::positions_between(first, last);
  const value start(std::forward<Identity>(identity));
  value result = start;
  const reduction how{.first = positions.first, .identity = start, .map = map, .combine = combine};
  detail::reduce_loop<reduction, carried, value> loop{
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
