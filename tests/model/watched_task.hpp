// Tasks that check whether they ran exactly once.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "checker/scenario.hpp"
#include "finegrain/core/atomic.hpp"
#include "finegrain/pool/assigned_tasks.hpp"
#include "finegrain/task/pool_task.hpp"

/// A task that its pusher writes and its taker reads: a queue that hands it over without ordering,
/// or twice, causes a race on it.
struct watched_task : fg::detail::assigned_task {
  watched_task() : assigned_task{{.routine = {}, .older = nullptr}, 0} {}

  int written = 0;
  int taken = 0;

  /// Called first by the pusher.
  watched_task& write() {
    written = 1;
    return *this;
  }
};

/// Called by the taker.
inline void take(fg::pool_task& task) {
  auto& self = static_cast<watched_task&>(task);
  model::require(self.written == 1, "what the pusher wrote is there");
  model::require(self.taken++ == 0, "nobody else has taken it");
}

/// Takes it if it is one.
inline bool take_if_any(fg::pool_task* task) {
  if (task != nullptr) {
    take(*task);
  }
  return task != nullptr;
}

template <class Tasks>
void require_all_taken(const Tasks& tasks) {
  for (const watched_task& each : tasks) {
    model::require(each.taken == 1, "each task was taken once");
  }
}
