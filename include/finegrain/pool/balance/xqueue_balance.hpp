// What X-OpenMP's policies have in common.
#pragma once

#include <cstddef>

#include "finegrain/pool/balance/dealing_xqueue.hpp"
#include "finegrain/pool/balance/deputies.hpp"
#include "finegrain/pool/balancer.hpp"
#include "finegrain/pool/idle_workers.hpp"

namespace fg::inline FINEGRAIN_ABI {

/// Queues that tasks are dealt to, and who empties those of workers that are away, or busy.
class xqueue_balance : public balancer {
 public:
  [[nodiscard]] std::size_t queue_capacity() const noexcept final {
    return queues_.ring_capacity();
  }

  void settle(std::size_t worker) noexcept final { queues_.settle(worker); }

  bool leave(std::size_t worker) noexcept final {
    deputies_.leave(worker);
    return any_task_of_absent();
  }
  void come_back(std::size_t worker) noexcept final { deputies_.come_back(worker); }

  pool_task* pop_of_absent() noexcept final {
    return deputies_.absent().visit_any([&](std::size_t absent) { return has_task(absent); },
                                        [&](std::size_t absent) { return take(absent); });
  }
  [[nodiscard]] bool any_task_of_absent() const noexcept final {
    return deputies_.absent().any_task([&](std::size_t absent) { return has_task(absent); });
  }

 protected:
  /// `idle` outlives the policy. Throws std::bad_alloc.
  xqueue_balance(std::size_t workers, idle_workers& idle, std::size_t ring_capacity, deputised whom)
      : deputies_{workers, whom}, queues_{workers, idle, ring_capacity, whom, deputies_} {}

  /// Whether this worker had a task a moment ago. Any thread.
  [[nodiscard]] virtual bool has_task(std::size_t worker) const noexcept {
    return queues_.has_task_guess(worker);
  }
  /// A task of this worker's, null if there is none. Requires: the caller owns its queues.
  virtual pool_task* take(std::size_t worker) noexcept { return queues_.pop(worker); }

  deputies deputies_;
  dealing_xqueue queues_;
};

}  // namespace fg::inline FINEGRAIN_ABI
