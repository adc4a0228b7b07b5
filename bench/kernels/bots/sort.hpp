// A merge sort with parallel merges.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "kernels/bots/application.hpp"
#include "kernels/bots/sort_leaves.hpp"
#include "kernels/bots/tasks.hpp"

namespace fg::bench::bots {

/// Sorts four quarters, merges them in pairs, and merges the pairs. A merge is split at the middle
/// of its longer run and at the position of that value in the shorter run. Source: Cilk's cilksort
/// (M. Frigo), in "Barcelona OpenMP Tasks Suite" (see applications.hpp).
class sort final : public application {
 public:
  explicit sort(std::uint64_t count)
      : input_(shuffled_elements(count)), elements_(count), scratch_(count) {}

  void prepare() override { elements_ = input_; }

  template <task_handle Tasks>
  void run(Tasks tasks) {
    sorted(tasks, elements_, scratch_);
  }

  [[nodiscard]] std::optional<std::string> fault() const override {
    return fault_of_order(elements_);
  }

 private:
  using elements = std::span<sort_element>;
  using ordered = std::span<const sort_element>;
  // The suite's own, in elements: shorter runs are sorted, or merged, without tasks.
  static constexpr std::size_t kSortCutoff = 2048;
  static constexpr std::size_t kMergeCutoff = 2048;

  // Sorts in place; `scratch` has the same size.
  template <task_handle Tasks>
  static void sorted(Tasks tasks, elements all, elements scratch) {
    if (all.size() < kSortCutoff) {
      sort_sequentially(all);
      return;
    }
    const std::size_t quarter = all.size() / 4;
    typename Tasks::group parts{tasks};
    for (std::size_t part = 0; part < 4; ++part) {
      const std::size_t begin = part * quarter;
      const std::size_t size = part < 3 ? quarter : all.size() - begin;
      parts.spawn([own = all.subspan(begin, size),
                   free = scratch.subspan(begin, size)](Tasks inner) { sorted(inner, own, free); });
    }
    parts.wait();
    for (std::size_t begin = 0; begin <= 2 * quarter; begin += 2 * quarter) {
      const std::size_t size = begin == 0 ? 2 * quarter : all.size() - begin;
      parts.spawn(
          [both = ordered{all.subspan(begin, size)}, quarter, out = &scratch[begin]](Tasks inner) {
            merged(inner, both.first(quarter), both.subspan(quarter), out);
          });
    }
    parts.wait();
    merged(tasks, scratch.first(2 * quarter), scratch.subspan(2 * quarter), all.data());
  }

  // Merges two sorted runs to `out`.
  template <task_handle Tasks>
  static void merged(Tasks tasks, ordered left, ordered right, sort_element* out) {
    if (left.size() < right.size()) {
      std::swap(left, right);
    }
    if (right.size() < kMergeCutoff) {
      merge_sequentially(left, right, out);
      return;
    }
    const std::size_t middle = left.size() / 2;
    const auto place = std::ranges::lower_bound(right, left[middle]);
    const auto split = static_cast<std::size_t>(place - right.begin());
    sort_element* const own = out + middle + split;
    *own = left[middle];
    typename Tasks::group halves{tasks};
    halves.spawn([longer = left.first(middle), shorter = right.first(split), out](Tasks inner) {
      merged(inner, longer, shorter, out);
    });
    halves.spawn([longer = left.subspan(middle + 1), shorter = right.subspan(split),
                  own](Tasks inner) { merged(inner, longer, shorter, own + 1); });
    halves.wait();
  }

  std::vector<sort_element> input_;
  std::vector<sort_element> elements_;
  std::vector<sort_element> scratch_;
};

}  // namespace fg::bench::bots
