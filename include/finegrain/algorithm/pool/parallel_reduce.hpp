// A reduction on the workers of a pool.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <type_traits>
#include <utility>

#include "finegrain/algorithm/loop_bounds.hpp"
#include "finegrain/algorithm/pool/adaptive_loop.hpp"
#include "finegrain/algorithm/pool/loop_options.hpp"
#include "finegrain/algorithm/pool/split.hpp"
#include "finegrain/algorithm/reduction.hpp"
#include "finegrain/controller/offload.hpp"
#include "finegrain/controller/type_erased.hpp"
#include "finegrain/core/stop_token.hpp"
#include "finegrain/pool/pool.hpp"
#include "finegrain/pool/presence.hpp"

namespace fg::inline FINEGRAIN_ABI {

namespace detail {

/// Replaces `stop_flag` if no stop can be requested: a check per piece would cost half as much
/// again as a thousand additions.
struct never_stops {
  [[nodiscard]] static constexpr bool is_set() noexcept { return false; }
};

/// The value of [begin, end), halved down to `grain`; where it is halved does not depend on which
/// workers want work. `offers`: halves are offered to them.
template <class T, class Reduction, class Stop>
T reduce_eagerly(std::uint64_t begin, std::uint64_t end, std::uint64_t grain, const Reduction& how,
                 const Stop& stop, bool offers) {
  if (stop.is_set()) {
    return how.identity;
  }
  if (end - begin <= grain) {
    return how.of_chunk(begin, end);
  }
  const std::uint64_t middle = middle_of(begin, end, grain);
  const auto first = [&] { return reduce_eagerly<T>(begin, middle, grain, how, stop, offers); };
  const auto second = [&] { return reduce_eagerly<T>(middle, end, grain, how, stop, offers); };
  auto halves = offers ? fork_halves<if_short::push>(first, second) : run_both_here(first, second);
  return static_cast<T>(how.combine(std::move(halves.first), std::move(halves.second)));
}

/// A part of a reduction, and whether another worker has taken some of it.
template <class T>
struct reduced_part {
  T value;
  bool was_taken;
};

/// `value` combined with that of [begin, end), not empty; halved only if another worker wants work.
template <class T, class Reduction, class Stop>
reduced_part<T> reduce_lazily(T value, std::uint64_t begin, std::uint64_t end, std::uint64_t grain,
                              const Reduction& how, const Stop& stop) {
  while (end - begin > grain) {
    if (stop.is_set()) {
      return {std::move(value), false};
    }
    worker* const self = worker::current();
    if (self != nullptr && self->wants_tasks()) {
      const std::uint64_t middle = middle_of(begin, end, grain);
      const auto first = [&] {
        return reduce_lazily<T>(std::move(value), begin, middle, grain, how, stop);
      };
      const auto second = [&] {
        const bool is_elsewhere = worker::current() != self;
        auto part = reduce_lazily<T>(how.identity, middle, end, grain, how, stop);
        part.was_taken = part.was_taken || is_elsewhere;
        return part;
      };
      auto [low, high] = fork_join_on<if_short::push>(*self, first, second);
      return {static_cast<T>(how.combine(std::move(low.value), std::move(high.value))),
              low.was_taken || high.was_taken};
    }
    value = how.continued(std::move(value), begin, begin + grain);
    begin += grain;
  }
  return {stop.is_set() ? std::move(value) : how.continued(std::move(value), begin, end), false};
}

/// A reduction that is neither deterministic nor has a stop token, for run_loop.
template <class T, class Reduction>
struct lazy_reduction {
  std::uint64_t iterations;
  std::uint64_t grain;
  const Reduction& how;
  T value;

  void run(std::uint64_t begin, std::uint64_t end) {
    run_all_here(begin, end, grain, [this](std::uint64_t first, std::uint64_t last) {
      value = how.continued(std::move(value), first, last);
    });
  }
  [[nodiscard]] bool share(std::uint64_t begin, std::uint64_t least) {
    auto rest = reduce_lazily<T>(std::move(value), begin, iterations, least, how, never_stops{});
    value = std::move(rest.value);
    return rest.was_taken;
  }
};

/// The reduction over `positions`.
template <class Position, class Identity, class Map, class Combine>
std::decay_t<Identity> reduce_positions(const loop_positions<Position>& positions,
                                        Identity&& identity, Map& map, Combine& combine,
                                        const pool_reduce_options& options) {
  remark_if_serial(worker::current(), "parallel_reduce");
  using value = std::decay_t<Identity>;
  if (positions.size == 0) {
    return value(std::forward<Identity>(identity));
  }
  const value start(std::forward<Identity>(identity));
  const reduction<Position, value, Map, Combine> how{
      .first = positions.first, .identity = start, .map = map, .combine = combine};
  if constexpr (!is_type_erased<Map>) {
    worker* const self = worker::current();
    if (self != nullptr && options.mode == offload::adaptive && !options.deterministic &&
        !options.stop.stop_possible()) {
      lazy_reduction<value, decltype(how)> loop{positions.size, options.grain, how, start};
      run_loop(*self, pool_loop_site_of<std::remove_const_t<Map>, std::remove_const_t<Combine>>(),
               loop);
      return std::move(loop.value);
    }
  }
  const auto reduce = [&](const auto& stop) {
    if (options.deterministic) {
      return reduce_eagerly<value>(0, positions.size,
                                   fixed_grain_for(positions.size, options.grain), how, stop,
                                   options.mode != offload::never);
    }
    const std::uint64_t grain = grain_for(positions.size, options.grain);
    if (options.mode == offload::never) {
      value result = start;
      run_all_here(0, positions.size, grain, [&](std::uint64_t begin, std::uint64_t end) {
        if (!stop.is_set()) {
          result = how.continued(std::move(result), begin, end);
        }
      });
      return result;
    }
    return reduce_lazily<value>(start, 0, positions.size, grain, how, stop).value;
  };
  return options.stop.stop_possible() ? reduce(stop_flag{options.stop}) : reduce(never_stops{});
}

}  // namespace detail

/// Combines `map(i)` for all `i` in [first, last), computed on the workers of the pool that the
/// calling thread works for, and returns the result; `identity` for an empty range. A map that can
/// be called with two indices is given pieces instead. Between random-access iterators it calls
/// `map(*at)` for every `at`, or passes pieces if `map` takes two iterators.
///
/// Requires: `combine` is associative, and `combine(identity, x)` is x; it need not be commutative.
/// The result has the type of `identity`; what would truncate numbers does not compile, as in the
/// relic's `parallel_reduce`. `options.deterministic`: the same bits in every run, with any number
/// of workers and also without a pool: the range is halved by its length and `grain` alone, down to
/// 256 pieces. For threads, also those of no pool, and visibility see `parallel_for`; if calls
/// throw, one exception is rethrown when all that has begun has ended. No allocation.
template <class First, loop_end_for<First> Last, class Identity, class Map, class Combine>
// NOLINTNEXTLINE(performance-unnecessary-value-param): iterators, and arrays that decay to them
[[nodiscard]] std::decay_t<Identity> parallel_reduce(First first, Last last, Identity&& identity,
                                                     Map&& map, Combine&& combine,
                                                     const pool_reduce_options& options = {}) {
  return detail::reduce_positions(detail::positions_between(first, last),
                                  std::forward<Identity>(identity), map, combine, options);
}

/// The same with `map(element)` for every element of `range`.
///
///     fg::parallel_reduce(words, 0, [](const auto& word) { return width_of(word); },
///                         std::plus<>{});
template <loop_range Range, class Identity, class Map, class Combine>
[[nodiscard]] std::decay_t<Identity> parallel_reduce(Range&& range, Identity&& identity, Map&& map,
                                                     Combine&& combine,
                                                     const pool_reduce_options& options = {}) {
  return detail::reduce_positions(detail::positions_of(range), std::forward<Identity>(identity),
                                  map, combine, options);
}

/// The same on the workers of `home`: on a thread that is none of them, within `home.run`.
template <class First, loop_end_for<First> Last, class Identity, class Map, class Combine>
[[nodiscard]] std::decay_t<Identity> parallel_reduce(pool& home, First first, Last last,
                                                     Identity&& identity, Map&& map,
                                                     Combine&& combine,
                                                     const pool_reduce_options& options = {}) {
  return home.run([&] {
    return parallel_reduce(first, last, std::forward<Identity>(identity), map, combine, options);
  });
}

/// The same for a range.
template <loop_range Range, class Identity, class Map, class Combine>
[[nodiscard]] std::decay_t<Identity> parallel_reduce(pool& home, Range&& range, Identity&& identity,
                                                     Map&& map, Combine&& combine,
                                                     const pool_reduce_options& options = {}) {
  return home.run([&] {
    return parallel_reduce(range, std::forward<Identity>(identity), map, combine, options);
  });
}

}  // namespace fg::inline FINEGRAIN_ABI
