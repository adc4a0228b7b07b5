// Loops in which each element needs the sum of all before it: scans, and stable copies.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cstdint>
#include <utility>

#include "finegrain/algorithm/par/execution_policy.hpp"
#include "finegrain/algorithm/par/pieces.hpp"
#include "finegrain/algorithm/pool/parallel_reduce.hpp"
#include "finegrain/pool/forked_branch.hpp"
#include "finegrain/pool/worker.hpp"

namespace fg::inline FINEGRAIN_ABI::detail {

// `Scan`, in the following, has
// * `write(before, begin, end)`: does what is to be done with [begin, end), `before` being the sum of
//   all before it, and returns the sum up to `end`;
// * `sum_up(begin, end, grain)`: looks at [begin, end), which is not empty, on any number of workers,
//   without what is before it, and returns a summary;
// * `after(before, summary)`: the sum up to the end of what was summed up;
// * `again(summary)`: the Scan that writes what was summed up.

/// Runs [begin, end) after `before`. One worker does so in a single pass. As soon as another one
/// wants work, the rest is cut into three: this worker writes the first third while the other one
/// sums up the second; then all is known to write the second and the third at once. So two workers
/// take two thirds of the time of one, where summing everything up before everything is written
/// (algorithm/pool/parallel_scan.hpp) takes as long as one; p workers gain (p + 1) / 2 at most. The
/// thirds are cut again if more workers want work.
template <class T, class Scan>
reduced_part<T> scan_lazily(T before, std::uint64_t begin, std::uint64_t end, std::uint64_t grain,
                            const Scan& scan);

// Another worker wants work. Rare, so out of line.
template <class T, class Scan>
FINEGRAIN_NOINLINE reduced_part<T> scan_in_thirds(worker& self, T before, std::uint64_t begin,
                                                  std::uint64_t end, std::uint64_t grain,
                                                  const Scan& scan) {
  const std::uint64_t third = (end - begin) / 3;
  const std::uint64_t second = begin + third;
  const std::uint64_t last = second + third;
  bool is_elsewhere = false;
  const auto write_first = [&] {
    return scan_lazily(std::move(before), begin, second, grain, scan);
  };
  const auto sum_up_second = [&] {
    is_elsewhere = worker::current() != &self;
    return scan.sum_up(second, last, grain);
  };
  auto [first, summary] = fork_join_on<if_short::push>(self, write_first, sum_up_second);
  T before_last = scan.after(first.value, summary);
  const auto& again = scan.again(summary);
  // The second third is in the cache of the worker that has summed it up.
  const auto write_second = [&, &first_value = first.value] {
    return scan_lazily(std::move(first_value), second, last, grain, again);
  };
  const auto write_last = [&] {
    return scan_lazily(std::move(before_last), last, end, grain, scan);
  };
  auto written = fork_join_on<if_short::push>(self, write_last, write_second);
  return {std::move(written.first.value), is_elsewhere || first.was_taken};
}

template <class T, class Scan>
reduced_part<T> scan_lazily(T before, std::uint64_t begin, std::uint64_t end, std::uint64_t grain,
                            const Scan& scan) {
  while ((end - begin) / 3 >= grain) {
    worker& self = *worker::current();
    if (self.wants_tasks()) {
      return scan_in_thirds(self, std::move(before), begin, end, grain, scan);
    }
    before = scan.write(std::move(before), begin, begin + grain);
    begin += grain;
  }
  return {scan.write(std::move(before), begin, end), false};
}

/// For run_loop.
template <class T, class Scan>
struct prefix_loop {
  std::uint64_t iterations;
  std::uint64_t grain;
  const Scan& scan;
  T sum;

  void run(std::uint64_t begin, std::uint64_t end) { sum = scan.write(std::move(sum), begin, end); }
  [[nodiscard]] bool share(std::uint64_t begin, std::uint64_t least) {
    const std::uint64_t third = std::max<std::uint64_t>((iterations - begin) / 3, 1);
    auto rest = scan_lazily(std::move(sum), begin, iterations, std::min(least, third), scan);
    sum = std::move(rest.value);
    return rest.was_taken;
  }
};

/// Runs [0, size) after `before`, as `how` says, and returns the sum of all. The types of `F` tell
/// the place.
template <class... F, class T, class Scan>
T scan_after(const parallel_policy& how, const char* algorithm, std::uint64_t size, T before,
             const Scan& scan) {
  prefix_loop<T, Scan> loop{size, how.grain, scan, std::move(before)};
  run_loop_under<F...>(how, algorithm, loop);
  return std::move(loop.sum);
}

}  // namespace fg::inline FINEGRAIN_ABI::detail
