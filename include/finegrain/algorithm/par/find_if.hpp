// std::find_if on the workers of a pool.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <chrono>
#include <concepts>
#include <cstdint>
#include <iterator>
#include <ranges>
#include <utility>

#include "finegrain/algorithm/loop_bounds.hpp"
#include "finegrain/algorithm/par/execution_policy.hpp"
#include "finegrain/algorithm/par/pieces.hpp"
#include "finegrain/core/atomic.hpp"
#include "finegrain/core/clock.hpp"

namespace fg::inline FINEGRAIN_ABI {

namespace detail {

/// The search for the first element for which a predicate holds, by several workers. All orders are
/// relaxed: the numbers publish nothing, and are read for certain after the loop has been joined.
template <class It, class Predicate>
class first_match {
 public:
  first_match(const It& first, std::uint64_t size, Predicate& is_it)
      : first_{first}, is_it_{is_it}, found_{size} {}

  /// The position of the match, the size if there is none.
  [[nodiscard]] std::uint64_t get() const noexcept { return found_.load(memory_order_relaxed); }

  /// Looks in [begin, end), until a match before it has been found.
  void look(std::uint64_t begin, std::uint64_t end) {
    if (begin == searched_.load(memory_order_relaxed)) {
      // There will be none. Only the piece that begins here gets here, so one thread at a time.
      if (!has_found(begin, end)) {
        searched_.store(end, memory_order_relaxed);
      }
      return;
    }
    std::uint64_t block = block_.load(memory_order_relaxed);  // relaxed: an estimate
    for (std::uint64_t now = ticks(); begin < get();) {
      if (end - begin <= block) {
        static_cast<void>(has_found(begin, end));
        return;
      }
      if (has_found(begin, begin + block)) {
        return;
      }
      const std::uint64_t start = std::exchange(now, ticks());
      begin += block;
      block = now - start < to_ticks(kBlock) ? 2 * block : std::max<std::uint64_t>(block / 2, 1);
      block_.store(block, memory_order_relaxed);
    }
  }

 private:
  // Looks in [begin, end); true if a match is there.
  bool has_found(std::uint64_t begin, std::uint64_t end) {
    const It last = position_at(first_, end);
    const It match = std::find_if(position_at(first_, begin), last, for_piece(is_it_));
    if (match == last) {
      return false;
    }
    const std::uint64_t at = size_between(first_, match);
    std::uint64_t least = get();
    // Relaxed: the number is all that is passed on; the loop's join orders the last `get` after it.
    while (at < least && !found_.compare_exchange_weak(least, at, memory_order_relaxed)) {
    }
    return true;
  }

  // How often to check for a match before the piece. A look at the clock takes 8 ns (EPYC 9004, KVM),
  // 1.6 % of it.
  static constexpr std::chrono::nanoseconds kBlock{500};

  const It& first_;
  Predicate& is_it_;
  atomic<std::uint64_t> found_;
  atomic<std::uint64_t> searched_{0};  // all before it is known not to match
  atomic<std::uint64_t> block_{1};     // elements that take kBlock, about
};

}  // namespace detail

/// The first element of [first, last) for which `is_it` holds; `last` if there is none. Always the
/// first one, whichever worker finds one sooner. Other workers look at elements after it for about a
/// microsecond more, or one call of `is_it`, which may also throw for these.
///
/// For threads, errors and the rest see `parallel_policy`. No allocation.
template <execution_policy Policy, std::forward_iterator It, class Predicate>
  requires std::predicate<Predicate&, std::iter_reference_t<It>>
[[nodiscard]] It find_if(const Policy& policy, It first, It last, Predicate is_it) {
  if constexpr (detail::splittable<It>) {
    return detail::run_under(policy, [&](const parallel_policy& how) {
      const std::uint64_t size = detail::size_between(first, last);
      detail::first_match match{first, size, is_it};
      const auto piece = [&](std::uint64_t begin, std::uint64_t end) { match.look(begin, end); };
      detail::for_each_piece<Predicate>(how, "find_if", size, piece);
      return detail::position_at(first, match.get());
    });
  } else {
    return std::find_if(std::move(first), std::move(last), std::move(is_it));
  }
}

/// The same in `range`; std::ranges::dangling if that is a temporary whose iterators do not outlive
/// it.
template <execution_policy Policy, loop_range Range, class Predicate>
[[nodiscard]] std::ranges::borrowed_iterator_t<Range> find_if(const Policy& policy, Range&& range,
                                                              Predicate is_it) {
  const auto [first, last] = detail::ends_of(range);
  return fg::find_if(policy, first, last, std::move(is_it));
}

}  // namespace fg::inline FINEGRAIN_ABI
