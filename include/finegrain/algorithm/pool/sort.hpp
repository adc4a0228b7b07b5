// Sorting on the workers of a pool. Not part of finegrain.hpp.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <bit>
#include <cstddef>
#include <functional>
#include <iterator>
#include <type_traits>
#include <utility>

#include "finegrain/algorithm/loop_bounds.hpp"
#include "finegrain/pool/forked_branch.hpp"
#include "finegrain/pool/pool.hpp"
#include "finegrain/pool/presence.hpp"
#include "finegrain/pool/worker.hpp"

namespace fg::inline FINEGRAIN_ABI {

namespace detail {

/// An element taken out of its range, which has a gap meanwhile; the destructor fills the gap, also
/// if a comparison throws.
template <class It>
class lifted_element {
 public:
  explicit lifted_element(const It& from) : gap_{from}, value_(std::ranges::iter_move(from)) {}
  ~lifted_element() { *gap_ = std::move(value_); }
  lifted_element(const lifted_element&) = delete;
  lifted_element& operator=(const lifted_element&) = delete;

  [[nodiscard]] std::iter_value_t<It>& value() noexcept { return value_; }
  [[nodiscard]] const It& gap() const noexcept { return gap_; }

  /// Moves the element before the gap into it.
  void move_gap_back() {
    It before = std::prev(gap_);
    *gap_ = std::ranges::iter_move(before);
    gap_ = std::move(before);
  }

 private:
  It gap_;
  std::iter_value_t<It> value_;
};

template <class It, class Compare>
void sort_by_insertion(const It& first, const It& last, Compare& less) {
  if (first == last) {
    return;
  }
  for (It next = std::next(first); next != last; ++next) {
    if (less(*next, *std::prev(next))) {
      lifted_element<It> lifted{next};
      do {
        lifted.move_gap_back();
      } while (lifted.gap() != first && less(lifted.value(), *std::prev(lifted.gap())));
    }
  }
}

/// Sifts down from `at`, in a heap of `size`.
template <class It, class Compare>
void sift_down(const It& first, std::iter_difference_t<It> size, std::iter_difference_t<It> at,
               Compare& less) {
  for (auto child = 2 * at + 1; child < size; child = 2 * at + 1) {
    if (child + 1 < size && less(first[child], first[child + 1])) {
      ++child;
    }
    if (!less(first[at], first[child])) {
      return;
    }
    std::ranges::iter_swap(first + at, first + child);
    at = child;
  }
}

/// Uses swaps alone, so that no exception loses an element: std::make_heap holds one outside.
template <class It, class Compare>
void sort_by_heap(const It& first, const It& last, Compare& less) {
  const auto size = last - first;
  for (auto at = size / 2; at-- > 0;) {
    sift_down(first, size, at, less);
  }
  for (auto end = size - 1; end > 0; --end) {
    std::ranges::iter_swap(first, first + end);
    sift_down(first, end, {}, less);
  }
}

template <class It, class Compare>
It median_of(const It& a, const It& b, const It& c, Compare& less) {
  if (less(*a, *b)) {
    return less(*b, *c) ? b : less(*a, *c) ? c : a;
  }
  return less(*a, *c) ? a : less(*b, *c) ? c : b;
}

/// The median of three elements, or for a long range of three medians (Bentley and McIlroy 1993,
/// "Engineering a sort function"). Never the first or the last one: if the range was nearly in
/// order, a partition leaves the greatest element of a part there.
template <class It, class Compare>
It pivot_of(const It& first, const It& last, Compare& less) {
  constexpr std::iter_difference_t<It> kLong = 128;
  const auto size = last - first;
  const auto median_around = [&](const It& middle, std::iter_difference_t<It> step) {
    return median_of(middle - step, middle, middle + step, less);
  };
  if (size < kLong) {
    return median_around(first + size / 2, size / 4);
  }
  const auto step = size / 10;
  return median_of(median_around(first + 2 * step, step), median_around(first + 5 * step, step),
                   median_around(first + 8 * step, step), less);
}

/// Puts a pivot into its final place, elements that are not greater before it and elements that are
/// not less after it, and returns its place. Both sides stop at equal elements, so that these are
/// halved like others. The pivot stays in the range, and a comparison that is no strict order, such
/// as <=, but always gives the same answer does not lead out of it. Requires: at least three
/// elements.
template <class It, class Compare>
It partition_around_pivot(const It& first, const It& last, Compare& less) {
  std::ranges::iter_swap(first, pivot_of(first, last, less));
  It low = first;
  It high = last;
  do {
    ++low;
  } while (low != high && less(*low, *first));
  do {
    --high;
  } while (low < high && less(*first, *high));
  while (low < high) {
    std::ranges::iter_swap(low, high);
    // The swapped elements end these loops, as others did before. Checking for the other end each
    // time costs 6 to 10 % of a sort of 10^6 ints (EPYC, KVM).
    do {
      ++low;
    } while (less(*low, *first));
    do {
      --high;
    } while (less(*first, *high));
  }
  const It place = std::prev(low);
  std::ranges::iter_swap(first, place);
  return place;
}

/// Sorts [first, last): quicksort, whose second part other workers may take, and heapsort after
/// `partitions` partitions were not enough.
template <class It, class Compare>
void sort_between(It first, It last, Compare& less, int partitions) {
  constexpr std::iter_difference_t<It> kShort = 24;  // elements
  // Elements; about 5 us of ints. On two workers 1000 ints in an order seen before, so without
  // mispredictions, gain 1.2 to 1.4 with 512, and lose with 2048 and 8192, 0.92 to 0.96; 10,000
  // gain 1.9 against 1.3 (EPYC, KVM, 2 virtual CPUs, clang 19, not quiet).
  constexpr std::iter_difference_t<It> kForked = 512;
  while (last - first > kShort) {
    if (partitions == 0) {
      sort_by_heap(first, last, less);
      return;
    }
    --partitions;
    const It place = partition_around_pivot(first, last, less);
    const auto low = [&] { sort_between(first, place, less, partitions); };
    worker* const self = last - first < kForked ? nullptr : worker::current();
    if (self != nullptr) {
      const auto high = [&] { sort_between(std::next(place), last, less, partitions); };
      fork_join_on<if_short::push>(*self, low, high);
      return;
    }
    low();
    first = std::next(place);
  }
  sort_by_insertion(first, last, less);
}

}  // namespace detail

/// Sorts [first, last) by `less`, like std::sort, on the workers of the pool that the calling
/// thread works for: not stable.
///
///     #include <finegrain/algorithm/pool/sort.hpp>
///     fg::sort(names.begin(), names.end());
///
/// Requires: `less` is a strict weak order, and calls of it, all on one object, may run
/// concurrently; elements can be moved and swapped without exceptions. On a thread that is no
/// worker of a pool, outside of `pool::run`, all runs there; debug builds say so, once per process.
/// What was written before is visible to all calls; what they wrote is visible to the caller
/// afterwards. If calls throw, one exception is rethrown when all workers have left the range,
/// which then has all its elements, in any order.
///
/// At most about 4 n log2(n) comparisons whatever the order, usually about 1.1 n log2(n). In place:
/// no allocation. One worker makes the first partition, two workers the next ones and so on, so
/// many workers gain no more than about log2(n) / 2.
template <std::random_access_iterator It, class Compare = std::less<>>
  requires std::permutable<It> && std::is_invocable_r_v<bool, Compare&, std::iter_reference_t<It>,
                                                        std::iter_reference_t<It>>
// NOLINTNEXTLINE(performance-unnecessary-value-param): iterators, and arrays that decay to them
void sort(It first, It last, Compare less = {}) {
  detail::remark_if_serial(worker::current(), "sort");
  const auto size = last - first;
  if (size > 1) {
    const auto log2 = static_cast<int>(std::bit_width(static_cast<std::size_t>(size))) - 1;
    detail::sort_between(std::move(first), std::move(last), less, 2 * log2);
  }
}

/// The same for a range.
template <loop_range Range, class Compare = std::less<>>
void sort(Range&& range, Compare less = {}) {
  const auto first = std::ranges::begin(range);
  const auto size = static_cast<std::iter_difference_t<decltype(first)>>(std::ranges::size(range));
  fg::sort(first, first + size, std::move(less));
}

/// The same on the workers of `home`: on a thread that is none of them, within `home.run`.
template <std::random_access_iterator It, class Compare = std::less<>>
void sort(pool& home, It first, It last, Compare less = {}) {
  home.run([&] { fg::sort(std::move(first), std::move(last), std::move(less)); });
}
template <loop_range Range, class Compare = std::less<>>
void sort(pool& home, Range&& range, Compare less = {}) {
  home.run([&] { fg::sort(range, std::move(less)); });
}

}  // namespace fg::inline FINEGRAIN_ABI
