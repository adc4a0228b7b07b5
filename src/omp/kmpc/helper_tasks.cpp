// SPDX-License-Identifier: Apache-2.0
#include "helper_tasks.hpp"

#include <strings.h>

#include <cstdlib>
#include <mutex>
#include <new>
#include <string_view>
#include <unordered_map>

#include "../constructs.hpp"
#include "../next_function.hpp"
#include "../settings.hpp"

namespace fg::omp::kmpc {
namespace {

struct shadow_data {
  task_data* real;
};

// State of a real task between its submission and its end.
struct handed_over {
  task_entry routine;
  completion_event* event;
};

struct all_handed_over {
  std::mutex mutex;
  std::unordered_map<const task_data*, handed_over> by_task;
};

all_handed_over& registry() {
  static auto* const all = new all_handed_over;  // helper threads may outlive static objects
  return *all;
}

// The function that the helper thread runs instead of the task's routine.
std::int32_t run_and_fulfil(std::int32_t gtid, task_data* real) noexcept {
  handed_over known{};
  {
    const std::lock_guard hold{registry().mutex};
    const auto found = registry().by_task.extract(real);
    known = found.mapped();
  }
  const std::int32_t result = known.routine(gtid, real);
  fulfil(*known.event);
  return result;
}

// The shadow's body.
void hand_over(pool_task& queued) noexcept {
  task_data* const real = static_cast<shadow_data*>(static_cast<task&>(queued).data())->real;
  const std::int32_t gtid = thread::here().inner->runtime_id;
  FINEGRAIN_OMP_NEXT(__kmpc_omp_task)(nullptr, gtid, real);
  // Without helper threads, as in Intel's runtime, the task is in this thread's queue of the
  // runtime below, which none of our threads searches.
  FINEGRAIN_OMP_NEXT(__kmpc_omp_taskyield)(nullptr, gtid, 0);
}

bool is_off(const char* name) noexcept {
  const char* const value = std::getenv(name);
  return value != nullptr && (std::string_view{value} == "0" || strcasecmp(value, "false") == 0);
}

}  // namespace

bool has_helper_threads() noexcept {
  static const bool has =
      !is_off("LIBOMP_USE_HIDDEN_HELPER_TASK") && !is_off("LIBOMP_NUM_HIDDEN_HELPER_THREADS");
  return has;
}

void submit_helper_task(thread& self, task_data* real, std::span<const dependence> items) noexcept {
  task& shadow = make_task(self, sizeof(shadow_data), &hand_over, 0);
  static_cast<shadow_data*>(shadow.data())->real = real;
  completion_event& event = make_event(self, shadow);
  try {
    const std::lock_guard hold{registry().mutex};
    registry().by_task[real] = {.routine = real->routine, .event = &event};
  } catch (const std::bad_alloc&) {
    end_without_memory("a target task");
  }
  real->routine = &run_and_fulfil;
  if (items.empty()) {
    count_child(self, shadow);
    submit(self, shadow);
  } else {
    submit_depending(self, shadow, items);
  }
}

}  // namespace fg::omp::kmpc
