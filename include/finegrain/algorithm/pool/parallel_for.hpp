// A loop on the workers of a pool.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cstdint>
#include <type_traits>
#include <utility>

#include "finegrain/algorithm/loop_bounds.hpp"
#include "finegrain/algorithm/pool/adaptive_loop.hpp"
#include "finegrain/algorithm/pool/loop_options.hpp"
#include "finegrain/algorithm/pool/split.hpp"
#include "finegrain/controller/offload.hpp"
#include "finegrain/controller/short_tasks.hpp"
#include "finegrain/controller/type_erased.hpp"
#include "finegrain/core/atomic.hpp"
#include "finegrain/core/errors.hpp"
#include "finegrain/core/stop_token.hpp"
#include "finegrain/pool/pool.hpp"
#include "finegrain/pool/presence.hpp"
#include "finegrain/pool/task_group.hpp"
#include "finegrain/task/carried.hpp"

namespace fg::inline FINEGRAIN_ABI {

namespace detail {

/// A piece, and whether one has thrown or the loop has to stop: then pieces that have not begun are
/// left out, and their distribution ends.
template <class Piece>
class piece_until_over {
 public:
  piece_until_over(const Piece& piece, const stop_token& stop) : piece_{piece}, over_{stop} {}

  /// A worker that sees it late runs one more piece.
  [[nodiscard]] bool is_over() const noexcept { return over_.is_set(); }

  /// Runs the piece; false if it is over.
  bool operator()(std::uint64_t begin, std::uint64_t end) const {
    if (is_over()) {
      return false;
    }
    FINEGRAIN_TRY { piece_(begin, end); }
    FINEGRAIN_CATCH(...) {
      over_.set();  // the exception itself travels with the group's or the branch's completion
      FINEGRAIN_RETHROW;
    }
    return true;
  }

 private:
  const Piece& piece_;
  mutable stop_flag over_;
};

/// A task that runs pieces of a loop as long as there are some.
template <class F>
struct loop_server : F {};
template <class F>
inline constexpr bool kMayBeShort<loop_server<F>> = false;

template <class Piece>
void deal_dynamically(std::uint64_t size, std::uint64_t grain, const Piece& piece) {
  atomic<std::uint64_t> next{0};
  // Four words, which a group stores without allocation.
  auto serve = [&next, &piece, size, grain] {
    const std::uint64_t pieces = pieces_of(size, grain);
    // Relaxed, both: it hands out numbers and orders nothing. Numbers of pieces, not of iterations:
    // it overshoots by one per worker, which does not wrap even with 2^64 iterations.
    for (std::uint64_t number = next.fetch_add(1, memory_order_relaxed); number < pieces;
         number = next.fetch_add(1, memory_order_relaxed)) {
      const std::uint64_t begin = number * grain;
      if (!piece(begin, size - begin < grain ? size : begin + grain)) {
        return;
      }
    }
  };
  task_group servers;
  const std::uint64_t most = std::min<std::uint64_t>(workers_here(), pieces_of(size, grain));
  for (std::uint64_t server = 1; server < most; ++server) {
    servers.spawn(loop_server<decltype(serve)>{serve});
  }
  serve();
  servers.wait();
}

template <class Piece>
void deal_evenly(std::uint64_t size, const Piece& piece) {
  const std::uint64_t shares = std::min<std::uint64_t>(workers_here(), size);
  // The first `size % shares` shares are longer by one.
  const auto begin_of = [size, shares](std::uint64_t share) {
    return size / shares * share + std::min(share, size % shares);
  };
  task_group others;
  for (std::uint64_t share = 1; share < shares; ++share) {
    others.spawn([&piece, begin_of, share] { piece(begin_of(share), begin_of(share + 1)); });
  }
  piece(0, begin_of(1));
  others.wait();
}

template <class Piece>
void deal_out(std::uint64_t size, const pool_loop_options& options, const Piece& piece) {
  const piece_until_over<Piece> guarded{piece, options.stop};
  const std::uint64_t grain = grain_for(size, options.grain);
  switch (options.how) {
    case partition::lazy:
      split_lazily(0, size, grain, guarded);
      break;
    case partition::dynamic:
      deal_dynamically(size, grain, guarded);
      break;
    case partition::fixed:
      deal_evenly(size, guarded);
      break;
  }
}

/// A lazy loop without a stop token, for run_loop.
template <class Piece>
struct lazy_loop {
  std::uint64_t iterations;
  std::uint64_t grain;
  const Piece& piece;

  void run(std::uint64_t begin, std::uint64_t end) const { run_all_here(begin, end, grain, piece); }
  [[nodiscard]] bool share(std::uint64_t begin, std::uint64_t least) const {
    const piece_until_over<Piece> guarded{piece, {}};
    return split_lazily(begin, iterations, least, guarded);
  }
};

template <class Body, class Piece>
void run_pieces(std::uint64_t size, const pool_loop_options& options, const Piece& piece) {
  if (size == 0) {
    return;
  }
  const bool may_stop = options.stop.stop_possible();
  if (options.mode == offload::never) {
    return run_all_here(0, size, may_stop ? grain_for(size, options.grain) : options.grain,
                        piece_until_over<Piece>{piece, options.stop});
  }
  if constexpr (!is_type_erased<std::decay_t<Body>>) {
    worker* const self = worker::current();
    if (self != nullptr && options.mode == offload::adaptive && options.how == partition::lazy &&
        !may_stop) {
      const lazy_loop<Piece> loop{size, options.grain, piece};
      return run_loop(*self, pool_loop_site_of<std::decay_t<Body>>(), loop);
    }
  }
  deal_out(size, options, piece);
}

/// True if a piece calls a copy of the body, as a fork calls one of a branch (task/branch.hpp): of a
/// small temporary whose only call operator is const, since other pieces call the same body.
template <class Body>
inline constexpr bool kIsCalledAsCopy = false;
template <class Body>
  requires(kFitsInClosure<Body, 0> && std::is_convertible_v<const Body&, Body> &&
           requires { &Body::operator(); })
inline constexpr bool kIsCalledAsCopy<Body> = kIsConstMember<decltype(&Body::operator())>;

/// The loop over `positions`.
template <class Position, class Body>
void for_each_position(const loop_positions<Position>& positions, Body&& body,
                       const pool_loop_options& options) {
  static_assert(kIsLoopBody<Body, Position>,
                "finegrain: the body is called with an index or an element, or with the two ends "
                "of a piece");
  remark_if_serial(worker::current(), "parallel_for");
  const auto piece = [&body, &first = positions.first](std::uint64_t begin, std::uint64_t end) {
    const carried<std::remove_reference_t<Body>, kIsCalledAsCopy<Body>> own{body};
    decltype(auto) of_piece = own.get();
    const Position last = position_at(first, end);
    if constexpr (kTakesRange<Body, Position>) {
      of_piece(position_at(first, begin), last);
    } else {
      for (Position i = position_at(first, begin); i != last; ++i) {
        of_piece(element_at(i));
      }
    }
  };
  run_pieces<Body>(positions.size, options, piece);
}

}  // namespace detail

/// Calls `body(i)` for every `i` in [first, last), on the workers of the pool that the calling
/// thread works for, and returns when all calls have returned. A body that can be called with two
/// indices is given pieces instead: `body(begin, end)`, none empty, each index in one piece. For
/// bounds of two types see the relic's `parallel_for` (algorithm/relic/parallel_for.hpp). Between
/// random-access iterators it calls `body(*at)` for every `at`, or passes pieces if `body` takes
/// two iterators.
///
/// Requires: calls of `body` may run concurrently, and copies of iterators may be used. On a thread
/// that is no worker of a pool, outside of `pool::run`, they run there, in order; debug builds say
/// so, once per process. `body` may call this and the other algorithms. What was written before is
/// visible to all calls; what they wrote is visible to the caller afterwards. If calls throw, one
/// exception is rethrown, and pieces that have not begun never do.
///
/// `options.mode`: by default a loop is offered to other workers unless the loops at this place, by
/// the type of `body` and for each thread, were measured to be too short to gain by that
/// (controller/loop_site.hpp), and workers that sleep are woken only for loops that gain enough.
/// Function pointers and std::functions do not tell a place: such loops are always offered.
///
/// A temporary of up to 48 bytes that is trivially copyable, with one call operator, a const one, may
/// be copied for each piece.
///
/// Constant time besides the calls and the pieces; no allocation.
template <class First, loop_end_for<First> Last, class Body>
// NOLINTNEXTLINE(performance-unnecessary-value-param): iterators, and arrays that decay to them
void parallel_for(First first, Last last, Body&& body, const pool_loop_options& options = {}) {
  detail::for_each_position(detail::positions_between(first, last), std::forward<Body>(body),
                            options);
}

/// The same with `body(element)` for every element of `range`: a reference if the range has
/// references.
///
///     fg::parallel_for(pixels, [](pixel& each) { each = toned(each); });
template <loop_range Range, class Body>
void parallel_for(Range&& range, Body&& body, const pool_loop_options& options = {}) {
  detail::for_each_position(detail::positions_of(range), std::forward<Body>(body), options);
}

/// The same on the workers of `home`: on a thread that is none of them, within `home.run`.
template <class First, loop_end_for<First> Last, class Body>
void parallel_for(pool& home, First first, Last last, Body&& body,
                  const pool_loop_options& options = {}) {
  home.run([&] { parallel_for(first, last, std::forward<Body>(body), options); });
}

/// The same for a range.
template <loop_range Range, class Body>
void parallel_for(pool& home, Range&& range, Body&& body, const pool_loop_options& options = {}) {
  home.run([&] { parallel_for(range, std::forward<Body>(body), options); });
}

}  // namespace fg::inline FINEGRAIN_ABI
