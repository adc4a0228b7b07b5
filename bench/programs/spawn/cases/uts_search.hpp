// The Unbalanced Tree Search, measured.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <nlohmann/json.hpp>

#include "kernels/uts/sample_trees.hpp"
#include "programs/spawn/cases/batches.hpp"
#include "programs/spawn/spawn_runtime.hpp"

namespace fg::bench {

/// The case's part of the line for one tree, which may have any granularity; `with_timeline`
/// records one additional search. Throws wrong_result if any search, including the first, finds
/// anything but the published counts.
[[nodiscard]] nlohmann::ordered_json measure_uts(const uts::sample_tree& sample, bool with_timeline,
                                                 const batch_plan& plan, task_runner& runner);

/// What a process beside this one repeats: the whole search, counted as it progresses.
[[nodiscard]] unit_of_work uts_unit(const uts::sample_tree& sample);

}  // namespace fg::bench
