// Posted tasks of one priority: replaces the shipped pool/posted_tasks.hpp, which chooses among
// three inboxes by the clock. The model covers that posted tasks are found at all, which is the
// same for each inbox.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "finegrain/pool/inbox.hpp"
#include "finegrain/task/pool_task.hpp"

namespace fg::inline FINEGRAIN_ABI {

enum class task_priority : std::uint8_t { high, normal, background };

namespace detail {

class posted_tasks : private inbox {
 public:
  template <class Published = decltype([] {})>
  void put(pool_task& task, task_priority /*priority*/, Published published = {}) noexcept {
    inbox::put(task, published);
  }
  pool_task* take(task_priority least) noexcept {
    return least == task_priority::high ? nullptr : inbox::take();
  }
  using inbox::has_work_guess;
  using inbox::remove;
};

}  // namespace detail

}  // namespace fg::inline FINEGRAIN_ABI
