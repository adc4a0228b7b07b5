// Checks what carries values, before it is timed.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "programs/frame/program_errors.hpp"
#include "programs/handoff/value_carrier.hpp"
#include "programs/handoff/value_cases.hpp"

namespace fg::bench {

/// Checks that each of 1000 tasks of the case `Case` has had its effect, once, when its call
/// returns, and that tasks run on `cpu`. Throws wrong_result. Call it on the main thread.
template <class Case, value_carrier C>
  requires value_case_for<Case, C>
void require_values(C& carrier, int cpu) {
  constexpr long kTasks = 1000;
  assistants_count.number = 0;
  Case batch;
  for (long number = 1; number <= kTasks; ++number) {
    const long before = batch.total();
    batch.round_trip(carrier, number);
    const long came = batch.total() - before;
    if (came != Case::part_of(number)) {
      throw wrong_result("task " + std::to_string(number) + " gave " + std::to_string(came) +
                         ", not " + std::to_string(Case::part_of(number)));
    }
    if (const long seen = carrier.template call<cpu_of_task>(); seen != cpu) {
      throw wrong_result("a task ran on CPU " + std::to_string(seen) + ", not on " +
                         std::to_string(cpu));
    }
  }
}

}  // namespace fg::bench
