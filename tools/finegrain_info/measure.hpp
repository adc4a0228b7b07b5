// What finegrain-info measures.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <vector>

#include "finegrain_info/machine_report.hpp"

namespace fg::info {

/// The round trip of a cache line between each two of `cpus`: the median of some short batches.
/// A few milliseconds a pair.
[[nodiscard]] round_trips measure_round_trips(const std::vector<int>& cpus);

/// How long each of two equal branches must be for a relic on `pair` to pay: with serial time 2t
/// and shared time t + h, where h is its submit and wait, that is h. Nanoseconds; the median of
/// some short batches. Empty if `pair` has no assistant, or the system refuses it.
[[nodiscard]] std::optional<measured> measure_break_even_ns(const placement& pair);

}  // namespace fg::info
