// The measurements of finegrain-info.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <vector>

#include "finegrain_info/machine_report.hpp"

namespace fg::info {

/// Measures the round trip of a cache line between each pair of `cpus`: the median of some short
/// batches. Takes a few milliseconds per pair.
[[nodiscard]] round_trips measure_round_trips(const std::vector<int>& cpus);

/// Measures how long each of two equal branches must be for a relic on `pair` to pay. With serial
/// time 2t and shared time t + h, where h is its submit and wait, that is h. Nanoseconds; the
/// median of some short batches. Empty if `pair` has no assistant, or the system refuses it.
[[nodiscard]] std::optional<measured> measure_break_even_ns(const placement& pair);

}  // namespace fg::info
