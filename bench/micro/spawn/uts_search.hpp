// The Unbalanced Tree Search, measured.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <nlohmann/json.hpp>

#include "kernels/uts/sample_trees.hpp"
#include "micro/spawn/batches.hpp"
#include "micro/spawn/spawn_runtime.hpp"

namespace fg::bench {

/// The case's part of the line for one tree, which may have any granularity; with `with_timeline`
/// one more search is noted. Throws wrong_result when any search, the first included, finds
/// anything but what was published.
[[nodiscard]] nlohmann::ordered_json measure_uts(const uts::sample_tree& sample, bool with_timeline,
                                                 const batch_plan& plan, task_runner& runner);

/// What a process beside this one repeats: the whole search, counted while it goes on.
[[nodiscard]] unit_of_work uts_unit(const uts::sample_tree& sample);

}  // namespace fg::bench
