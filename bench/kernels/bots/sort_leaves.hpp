// The parts of a parallel merge sort that make no tasks. Compiled once for all runtimes.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace fg::bench {

using sort_element = std::int64_t;

/// The numbers 0 to `count` - 1 in shuffled order, the same each time.
[[nodiscard]] std::vector<sort_element> shuffled_elements(std::uint64_t count);

void sort_sequentially(std::span<sort_element> elements) noexcept;

/// Merges two sorted runs to `out`, which overlaps neither.
void merge_sequentially(std::span<const sort_element> left, std::span<const sort_element> right,
                        sort_element* out) noexcept;

/// Nothing if element i is i, the sorted order of the shuffled numbers; else what differs.
[[nodiscard]] std::optional<std::string> fault_of_order(std::span<const sort_element> elements);

}  // namespace fg::bench
