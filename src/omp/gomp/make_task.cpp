// SPDX-License-Identifier: Apache-2.0
#include "make_task.hpp"

#include <algorithm>
#include <cstring>

#include "../constructs.hpp"
#include "../next_function.hpp"

namespace fg::omp::gomp {
namespace {

std::uint16_t flags_of(unsigned given) noexcept {
  return static_cast<std::uint16_t>((given & kFinalTask) != 0 ? task::kFinal : 0);
}

// Of a task that is cancelled, too: the copies in its data are destroyed by its routine.
void run_with_copies(pool_task& queued) noexcept {
  const task_head& head = head_of(static_cast<task&>(queued));
  head.routine(head.data);
}

}  // namespace

void run_body(pool_task& queued) noexcept {
  auto& one = static_cast<task&>(queued);
  if (!is_dropped(one)) [[likely]] {
    const task_head& head = head_of(one);
    head.routine(head.data);
  }
}

task& make(thread& self, const task_source& source, unsigned flags) noexcept {
  const std::size_t alignment = std::max(source.alignment, alignof(task_head));
  const std::size_t spare = alignment > alignof(task) ? alignment : 0;
  task& made = make_task(self, sizeof(task_head) + source.bytes + spare,
                         source.copy != nullptr ? &run_with_copies : &run_body, flags_of(flags));
  const auto after = reinterpret_cast<std::uintptr_t>(&head_of(made) + 1);
  void* const copy = pointer_of((after + alignment - 1) / alignment * alignment);
  head_of(made) = {.routine = source.routine, .data = copy};
  if (source.copy != nullptr) {
    source.copy(copy, source.data);
  } else {
    std::memcpy(copy, source.data, source.bytes);
  }
  return made;
}

void* data_of(task& one) noexcept { return head_of(one).data; }

void run_now(thread& self, const task_source& source, unsigned flags) noexcept {
  if (source.copy != nullptr) {
    task& made = make(self, source, flags);
    count_child(self, made);
    run(self, made);
    return;
  }
  task& made = make_task(self, sizeof(task_head), &run_body, flags_of(flags));
  head_of(made) = {.routine = source.routine, .data = source.data};
  count_child(self, made);
  run(self, made);
}

std::int8_t priority_of(int asked) noexcept {
  static const int most =
      std::min(FINEGRAIN_OMP_BESIDE(GOMP_task, omp_get_max_task_priority)(), 127);
  return static_cast<std::int8_t>(std::clamp(asked, 0, most));
}

}  // namespace fg::omp::gomp
