// X-OpenMP's static policy: tasks are dealt out in turn.
#pragma once

#include <cstddef>

#include "finegrain/pool/balance/caller_seat.hpp"
#include "finegrain/pool/balance/dealing_xqueue.hpp"
#include "finegrain/pool/balancer.hpp"
#include "finegrain/pool/idle_workers.hpp"

namespace fg {

/// Every worker pushes to all in turn, itself included, and takes what was pushed to it. Nobody
/// steals: a task waits for its worker, however long that is busy. A full ring refuses.
///
/// Source: X-OpenMP (2024), section 3. Corrected: there worker 0 is always there; see caller_seat.
class xqueue_static final : public balancer {
 public:
  /// `idle` outlives the policy. Throws std::bad_alloc.
  xqueue_static(std::size_t workers, idle_workers& idle,
                std::size_t ring_capacity = xqueue::kRingCapacity)
      : queues_{workers, idle, ring_capacity}, caller_{workers} {}

  [[nodiscard]] std::size_t queue_capacity() const noexcept override {
    return queues_.ring_capacity();
  }

  void settle(std::size_t worker) noexcept override { queues_.settle(worker); }

  bool push(std::size_t worker, pool_task& task) noexcept override {
    return queues_.deal(worker, task);
  }

  pool_task* pop(std::size_t worker) noexcept override {
    return caller_.take_as_owner(worker, [&] { return queues_.pop(worker); });
  }

  /// Only what was pushed to a worker 0 that is not there.
  pool_task* steal(std::size_t worker) noexcept override {
    return caller_.take_as_deputy(worker, [&] { return queues_.pop(0); });
  }

  bool has_work_guess(std::size_t worker) noexcept override {
    return queues_.has_task_guess(worker) || queues_.has_task_guess(0);
  }

 private:
  dealing_xqueue queues_;
  caller_seat caller_;
};

}  // namespace fg
