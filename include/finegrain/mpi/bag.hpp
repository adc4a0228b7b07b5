// A bag of work: what a program tells the load balancing over MPI.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <concepts>
#include <cstddef>
#include <iterator>
#include <type_traits>
#include <utility>
#include <vector>

#include "finegrain/core/config.hpp"
#include "finegrain/mpi/serial.hpp"

namespace fg::inline FINEGRAIN_ABI::mpi {

/// What `bag.split(n)` returns.
template <class Bag>
using part_of = decltype(std::declval<Bag&>().split(std::size_t{}));
/// What `bag.result()` returns.
template <class Bag>
using result_of = std::remove_cvref_t<decltype(std::declval<const Bag&>().result())>;

/// A bag of work items with a result, the interface of GLB (W. Zhang et al., "GLB: lifeline-based
/// global load balancing library in X10", PPAA 2014).
///
/// - `process(n)` works on at most n items, may add others, and returns how many it has worked on: at
///   least one unless the bag is empty. It must not throw.
/// - `size()`: the number of items left.
/// - `split(n)` takes n items out, n <= size(), as a part: a value that can travel. Half of a bag
///   should be about half of its work.
/// - `merge(part)` adds a part's items.
/// - `result()`: what its items have yielded so far, trivially copyable.
/// - `reduce(other)` takes another bag's result into its own, in any order.
///
/// Every worker of every rank has a bag, a copy of the one passed to `run`, and no other thread uses
/// it at the same time. What bags share must be safe to use concurrently.
template <class Bag>
concept bag = std::copy_constructible<Bag> && requires(Bag& own, const Bag& seen, std::size_t n) {
  { own.process(n) } -> std::convertible_to<std::size_t>;
  { seen.size() } -> std::convertible_to<std::size_t>;
  own.merge(own.split(n));
  own.reduce(seen.result());
  requires serializable<part_of<Bag>>;
  requires std::is_trivially_copyable_v<result_of<Bag>>;
};

/// All of a bag but `process`, for items on a stack: derive from it. `Result` has `+=`, and its
/// initial value changes no other.
template <class Item, class Result>
class stack_bag {
 public:
  [[nodiscard]] std::size_t size() const noexcept { return items.size(); }
  [[nodiscard]] const Result& result() const noexcept { return sum; }
  void reduce(const Result& other) { sum += other; }

  /// Takes items at equal distances, the oldest first. In a depth-first search the oldest promise
  /// most: both halves get as many of each age. Linear in the size.
  [[nodiscard]] std::vector<Item> split(std::size_t n) {
    std::vector<Item> part;
    part.reserve(n);
    std::size_t kept = 0;
    for (std::size_t i = 0; i != items.size(); ++i) {
      // Of the first i + 1 items the part gets n / size(), rounded up.
      if (part.size() * items.size() <= i * n && part.size() != n) {
        part.push_back(std::move(items[i]));
      } else {
        if (kept != i) {
          items[kept] = std::move(items[i]);
        }
        ++kept;
      }
    }
    items.erase(items.begin() + static_cast<std::ptrdiff_t>(kept), items.end());
    return part;
  }

  void merge(std::vector<Item> part) {
    if (items.empty()) {
      items = std::move(part);
    } else {
      std::ranges::move(part, std::back_inserter(items));
    }
  }

 protected:
  std::vector<Item> items;  ///< the youngest last
  Result sum{};             ///< of the items that were processed
};

}  // namespace fg::inline FINEGRAIN_ABI::mpi
