// Stable copies of elements that are chosen on several workers.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <memory>

#include "finegrain/algorithm/loop_bounds.hpp"
#include "finegrain/algorithm/par/pieces.hpp"
#include "finegrain/algorithm/pool/parallel_reduce.hpp"

namespace fg::inline FINEGRAIN_ABI::detail {

// The Scans (prefix_loop.hpp) of copy_if. The sums are numbers of elements to be copied.

/// Which elements from `offset` on are to be copied, a mark for each, and their number.
struct selection {
  std::uint64_t offset;
  std::unique_ptr<bool[]> marks;
  std::uint64_t count = 0;
};

/// Copies the elements that are marked.
template <class In, class Out>
struct copy_of_marked {
  const In& in;
  const Out& out;
  const selection& marked;

  [[nodiscard]] std::uint64_t write(std::uint64_t before, std::uint64_t begin,
                                    std::uint64_t end) const {
    Out to = position_at(out, before);
    const bool* mark = mark_of(begin);
    const In last = position_at(in, end);
    for (In from = position_at(in, begin); from != last; ++from, ++mark) {
      if (*mark) {
        *to = *from;
        ++to;
      }
    }
    return size_between(out, to);
  }
  [[nodiscard]] std::uint64_t sum_up(std::uint64_t begin, std::uint64_t end,
                                     std::uint64_t /*grain*/) const {
    return static_cast<std::uint64_t>(std::count(mark_of(begin), mark_of(end), true));
  }
  [[nodiscard]] std::uint64_t after(std::uint64_t before, std::uint64_t count) const {
    return before + count;
  }
  [[nodiscard]] const copy_of_marked& again(std::uint64_t /*count*/) const { return *this; }

 private:
  [[nodiscard]] const bool* mark_of(std::uint64_t at) const {
    return marked.marks.get() + static_cast<std::size_t>(at - marked.offset);
  }
};

/// Marks the elements for which the predicate holds, and counts them: for reduce_lazily.
template <class In, class Predicate>
struct marking {
  const In& in;
  Predicate& is_it;
  const selection& marked;

  static constexpr std::uint64_t identity = 0;

  [[nodiscard]] std::uint64_t continued(std::uint64_t count, std::uint64_t begin,
                                        std::uint64_t end) const {
    auto holds = for_piece(is_it);
    bool* mark = marked.marks.get() + static_cast<std::size_t>(begin - marked.offset);
    const In last = position_at(in, end);
    for (In from = position_at(in, begin); from != last; ++from, ++mark) {
      *mark = static_cast<bool>(holds(*from));
      count += *mark ? 1 : 0;
    }
    return count;
  }
  [[nodiscard]] std::uint64_t combine(std::uint64_t low, std::uint64_t high) const {
    return low + high;
  }
};

/// Copies the elements for which the predicate holds. Calls it once for each element.
template <class In, class Out, class Predicate>
struct copy_of_selected {
  const In& in;
  const Out& out;
  Predicate& is_it;

  [[nodiscard]] std::uint64_t write(std::uint64_t before, std::uint64_t begin,
                                    std::uint64_t end) const {
    return size_between(out, std::copy_if(position_at(in, begin), position_at(in, end),
                                          position_at(out, before), for_piece(is_it)));
  }
  [[nodiscard]] selection sum_up(std::uint64_t begin, std::uint64_t end,
                                 std::uint64_t grain) const {
    selection marked{
        .offset = begin,
        .marks = std::make_unique_for_overwrite<bool[]>(static_cast<std::size_t>(end - begin))};
    const marking<In, Predicate> mark{in, is_it, marked};
    marked.count = reduce_lazily<std::uint64_t>(0, begin, end, grain, mark, never_stops{}).value;
    return marked;
  }
  [[nodiscard]] std::uint64_t after(std::uint64_t before, const selection& marked) const {
    return before + marked.count;
  }
  [[nodiscard]] copy_of_marked<In, Out> again(const selection& marked) const {
    return {in, out, marked};
  }
};

}  // namespace fg::inline FINEGRAIN_ABI::detail
