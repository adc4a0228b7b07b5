// The runtimes of the hand-off experiment and their wait policies.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "programs/handoff/timed_batches.hpp"

namespace fg::bench {

using handoff_measure = handoff_sample (*)(const handoff_plan&);

/// One runtime of the experiment.
struct handoff_entry {
  struct value_case {
    const char* name;
    handoff_measure measure;
  };
  struct form {
    const char* policy;
    bool supported;                       ///< by this processor
    handoff_measure measure;              ///< an empty task, and bursts of them
    std::vector<value_case> with_values;  ///< empty if it carries no tasks
  };
  const char* name;
  std::string version;
  bool carries_tasks;       ///< false: `empty` is its only case
  std::vector<form> forms;  ///< the first is its default; empty: not installed
  const char* how_to_get;   ///< if `forms` is empty
};

/// All runtimes, in the order of the table.
[[nodiscard]] std::vector<handoff_entry> handoff_entries();

}  // namespace fg::bench
