// X-OpenMP's static policy: tasks are dealt out in turn.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>

#include "finegrain/balance/idle_workers.hpp"
#include "finegrain/balance/xqueue_balance.hpp"

namespace fg::inline FINEGRAIN_ABI::detail {

/// Every worker pushes to all in turn, itself too, and takes what was pushed to it. No stealing: a
/// task waits for its worker, however long that is busy. A push to a full ring is refused.
///
/// Source: X-OpenMP (2024), section 3. Corrected: there worker 0 is always present; see deputies.
class xqueue_static final : public xqueue_balance {
 public:
  /// `idle` outlives the policy. Throws std::bad_alloc.
  xqueue_static(std::size_t workers, idle_workers& idle,
                std::size_t ring_capacity = xqueue::kRingCapacity,
                deputised whom = deputised::caller)
      : xqueue_balance{workers, idle, ring_capacity, whom} {}

  bool push(std::size_t worker, pool_task& task) noexcept override {
    return queues_.deal(worker, task);
  }

  pool_task* pop(std::size_t worker) noexcept override {
    return deputies_.take_as_owner(worker, [&] { return queues_.pop(worker); });
  }

  /// Takes only what was pushed to a worker that is away.
  pool_task* steal(std::size_t worker) noexcept override {
    return deputies_.take_as_deputy(
        worker, [&](std::size_t absent) { return queues_.has_task_guess(absent); },
        [&](std::size_t absent) { return queues_.pop(absent); });
  }

  bool has_work_guess(std::size_t worker) noexcept override {
    return deputies_.any_within_reach(
        worker, [&](std::size_t each) { return queues_.has_task_guess(each); });
  }

  [[nodiscard]] bool any_task_guess() const noexcept override { return queues_.any_task_guess(); }
};

}  // namespace fg::inline FINEGRAIN_ABI::detail
