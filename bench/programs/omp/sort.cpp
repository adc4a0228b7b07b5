// A merge sort with parallel merges: sorts four quarters, merges them in pairs, and merges the
// pairs. A merge is split at the middle of its longer run and at the position of that value in the
// shorter run. Source: Cilk's cilksort (M. Frigo), in A. Duran, X. Teruel, R. Ferrer, X. Martorell,
// E. Ayguade, "Barcelona OpenMP Tasks Suite", ICPP 2009.
// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "kernels/bots/sort_leaves.hpp"
#include "programs/frame/program_errors.hpp"
#include "programs/omp/cases.hpp"
#include "programs/omp/omp_kernel.hpp"

namespace fg::bench {

namespace {

// The suite's own, in elements: shorter runs are sorted, or merged, without tasks.
constexpr std::size_t kSortCutoff = 2048;
constexpr std::size_t kMergeCutoff = 2048;

using run = std::span<const sort_element>;

template <class Tally>
void task_merge(run left, run right, sort_element* out) {
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
  out[middle + split] = left[middle];
#pragma omp task default(none) firstprivate(left, right, out, middle, split)
  {
    Tally::count();
    task_merge<Tally>(left.first(middle), right.first(split), out);
  }
#pragma omp task default(none) firstprivate(left, right, out, middle, split)
  {
    Tally::count();
    task_merge<Tally>(left.subspan(middle + 1), right.subspan(split), out + middle + split + 1);
  }
#pragma omp taskwait
}

// Sorts `elements` in place; `scratch` has the same size.
template <class Tally>
void task_sort(std::span<sort_element> elements, std::span<sort_element> scratch) {
  if (elements.size() < kSortCutoff) {
    sort_sequentially(elements);
    return;
  }
  const std::size_t quarter = elements.size() / 4;
  for (std::size_t part = 0; part < 4; ++part) {
    const std::size_t begin = part * quarter;
    const std::size_t size = part < 3 ? quarter : elements.size() - begin;
#pragma omp task default(none) firstprivate(elements, scratch, begin, size)
    {
      Tally::count();
      task_sort<Tally>(elements.subspan(begin, size), scratch.subspan(begin, size));
    }
  }
#pragma omp taskwait
  for (std::size_t begin = 0; begin <= 2 * quarter; begin += 2 * quarter) {
    const std::size_t size = begin == 0 ? 2 * quarter : elements.size() - begin;
#pragma omp task default(none) firstprivate(elements, scratch, quarter, begin, size)
    {
      Tally::count();
      const run both = elements.subspan(begin, size);
      task_merge<Tally>(both.first(quarter), both.subspan(quarter), &scratch[begin]);
    }
  }
#pragma omp taskwait
  task_merge<Tally>(scratch.first(2 * quarter), scratch.subspan(2 * quarter), elements.data());
}

template <class Tally>
void region_sort(std::span<sort_element> elements, std::span<sort_element> scratch) {
#pragma omp parallel default(none) firstprivate(elements, scratch)
#pragma omp single
  task_sort<Tally>(elements, scratch);
}

class sort_kernel final : public omp_kernel {
 public:
  explicit sort_kernel(std::uint64_t count)
      : input_(shuffled_elements(count)), elements_(count), scratch_(count) {}

  void prepare() override { elements_ = input_; }
  double run_ns() override {
    return elapsed_ns([this] { region_sort<uncounted>(elements_, scratch_); });
  }
  void run_counted() override { region_sort<counted_by_thread>(elements_, scratch_); }
  void check() const override { require_none(fault_of_order(elements_)); }
  [[nodiscard]] std::optional<std::uint64_t> tasks() const override { return std::nullopt; }

 private:
  std::vector<sort_element> input_;
  std::vector<sort_element> elements_;
  std::vector<sort_element> scratch_;
};

}  // namespace

std::unique_ptr<omp_kernel> make_sort(const omp_request& request) {
  return std::make_unique<sort_kernel>(request.size);
}

}  // namespace fg::bench
