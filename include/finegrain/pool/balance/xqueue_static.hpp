// X-OpenMP's static policy: tasks are dealt out in turn.
#pragma once

#include <cstddef>

#include "finegrain/pool/balance/dealing_xqueue.hpp"
#include "finegrain/pool/balance/deputies.hpp"
#include "finegrain/pool/balancer.hpp"
#include "finegrain/pool/idle_workers.hpp"

namespace fg::inline FINEGRAIN_ABI {

/// Every worker pushes to all in turn, itself included, and takes what was pushed to it. Nobody
/// steals: a task waits for its worker, however long that is busy. A full ring refuses.
///
/// Source: X-OpenMP (2024), section 3. Corrected: there worker 0 is always there; see deputies.
class xqueue_static final : public balancer {
 public:
  /// `idle` outlives the policy. Throws std::bad_alloc.
  xqueue_static(std::size_t workers, idle_workers& idle,
                std::size_t ring_capacity = xqueue::kRingCapacity,
                deputised whom = deputised::caller)
      : deputies_{workers, whom}, queues_{workers, idle, ring_capacity, whom, deputies_} {}

  [[nodiscard]] std::size_t queue_capacity() const noexcept override {
    return queues_.ring_capacity();
  }

  void settle(std::size_t worker) noexcept override { queues_.settle(worker); }

  bool push(std::size_t worker, pool_task& task) noexcept override {
    return queues_.deal(worker, task);
  }

  pool_task* pop(std::size_t worker) noexcept override {
    return deputies_.take_as_owner(worker, [&] { return queues_.pop(worker); });
  }

  /// Only what was pushed to a worker that is not there.
  pool_task* steal(std::size_t worker) noexcept override {
    return deputies_.take_as_deputy(
        worker, [&](std::size_t absent) { return queues_.has_task_guess(absent); },
        [&](std::size_t absent) { return queues_.pop(absent); });
  }

  bool has_work_guess(std::size_t worker) noexcept override {
    return deputies_.any_within_reach(
        worker, [&](std::size_t each) { return queues_.has_task_guess(each); });
  }

  bool leave(std::size_t worker) noexcept override {
    deputies_.leave(worker);
    return any_task_of_absent();
  }
  void come_back(std::size_t worker) noexcept override { deputies_.come_back(worker); }
  pool_task* pop_of_absent() noexcept override {
    return deputies_.absent().visit_any(
        [&](std::size_t absent) { return queues_.has_task_guess(absent); },
        [&](std::size_t absent) { return queues_.pop(absent); });
  }
  [[nodiscard]] bool any_task_of_absent() const noexcept override {
    return deputies_.absent().any_task(
        [&](std::size_t absent) { return queues_.has_task_guess(absent); });
  }

  [[nodiscard]] bool any_task_guess() const noexcept override { return queues_.any_task_guess(); }

 private:
  deputies deputies_;
  dealing_xqueue queues_;
};

}  // namespace fg::inline FINEGRAIN_ABI
