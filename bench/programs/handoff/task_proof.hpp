// Checks a queue before it is timed.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "finegrain/host/affinity.hpp"
#include "programs/frame/program_errors.hpp"
#include "programs/handoff/contestant.hpp"

namespace fg::bench {

namespace detail {

/// What numbered tasks record while they run.
struct task_ledger {
  std::uint64_t ran = 0;
  std::uint64_t out_of_order = 0;
  std::vector<int> cpus;  ///< where they ran, each CPU once

  void note(std::uint64_t number, int cpu) {
    out_of_order += static_cast<std::uint64_t>(number != ran);
    ++ran;
    if (std::ranges::find(cpus, cpu) == cpus.end()) {
      cpus.push_back(cpu);
    }
  }
};

}  // namespace detail

/// Checks that 1000 tasks, with a wait after every `burst`, have each run once, in order, and only
/// on `cpu`, when the wait returns. Throws wrong_result. Call it on the main thread.
template <contestant C>
void require_tasks_in_order(C& contestant, std::size_t burst, int cpu) {
  struct numbered {
    detail::task_ledger* ledger;
    std::uint64_t number;
  };
  constexpr std::uint64_t kTasks = 1000;
  const auto task = [](void* argument) {
    const auto* const mine = static_cast<const numbered*>(argument);
    mine->ledger->note(mine->number, current_cpu());
  };
  detail::task_ledger ledger;
  const auto require_all_of = [&ledger](std::uint64_t submitted) {
    if (ledger.ran != submitted || ledger.out_of_order != 0) {
      throw wrong_result(std::to_string(ledger.ran) + " of " + std::to_string(submitted) +
                         " tasks ran, " + std::to_string(ledger.out_of_order) + " out of order");
    }
  };
  std::vector<numbered> arguments(kTasks);
  for (std::uint64_t i = 0; i < kTasks; ++i) {
    arguments[i] = {.ledger = &ledger, .number = i};
    contestant.submit(task, &arguments[i]);
    if ((i + 1) % burst == 0) {
      contestant.wait();
      require_all_of(i + 1);
    }
  }
  contestant.wait();
  require_all_of(kTasks);
  for (const int seen : ledger.cpus) {
    if (seen != cpu) {
      throw wrong_result("tasks ran on CPU " + std::to_string(seen) + ", not on " +
                         std::to_string(cpu));
    }
  }
}

}  // namespace fg::bench
