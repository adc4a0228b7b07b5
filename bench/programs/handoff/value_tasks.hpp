// The tasks of the cases with values.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>

#include "finegrain/host/affinity.hpp"

namespace fg::bench {

/// 32 bytes where a `long` has 8.
using four_longs = std::array<long, 4>;

// 128: nothing else on the line or on its neighbour, which some prefetchers also fetch.
struct alignas(128) number_on_its_line {
  long number = 0;
};

/// The count of the assistant, which the main thread touches only before the first task of a batch
/// and after the last one, so that its line stays there. It is static so that a task carries the
/// value alone: with two words for a task, as the peers have, there is no room for an address too.
inline constinit number_on_its_line assistants_count;

/// Adds what the task carries to the count.
inline void add_to_count(long value) { assistants_count.number += value; }

/// Returns what the count has become.
inline long count_one() { return ++assistants_count.number; }

/// Returns once, twice, three and four times what the count has become.
inline four_longs count_four() {
  const long count = count_one();
  return {count, 2 * count, 3 * count, 4 * count};
}

/// Stores what the count has become.
inline void count_into(long* variable) { *variable = count_one(); }

/// Returns a number made from what the task carries.
inline long twice_and_one(long value) { return 2 * value + 1; }

/// Returns on which CPU the task runs: for the check, not a case.
inline long cpu_of_task() { return current_cpu(); }

}  // namespace fg::bench
