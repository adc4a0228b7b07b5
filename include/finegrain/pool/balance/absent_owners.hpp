// How the policies whose owners alone push to their queues let others empty them.
#pragma once

#include <cstddef>
#include <vector>

#include "finegrain/core/atomic.hpp"
#include "finegrain/pool/balance/absences.hpp"
#include "finegrain/pool/balancer.hpp"
#include "finegrain/task/pool_task.hpp"

namespace fg::inline FINEGRAIN_ABI {

/// A policy in which nothing is pushed to a worker that is away: so it knows when it leaves whether
/// it leaves tasks behind, and who finds none there any more writes that down.
class absent_owners : public balancer {
 public:
  bool leave(std::size_t worker) noexcept final {
    const bool has_task = has_own_task(worker);
    // Relaxed: who is called for it sees it by the call; and see `absences`.
    has_left_[worker].store(has_task, memory_order_relaxed);
    absences_.leave(worker);
    return has_task;
  }
  void come_back(std::size_t worker) noexcept final { absences_.come_back(worker); }

  pool_task* pop_of_absent() noexcept final {
    return absences_.visit_any([this](std::size_t absent) { return has_left(absent); },
                               [this](std::size_t absent) {
                                 pool_task* const task = pop_own(absent);
                                 if (task == nullptr) {
                                   has_left_[absent].store(false,
                                                           memory_order_relaxed);  // as above
                                 }
                                 return task;
                               });
  }
  [[nodiscard]] bool any_task_of_absent() const noexcept final {
    return absences_.any_task([this](std::size_t absent) { return has_left(absent); });
  }

 protected:
  explicit absent_owners(std::size_t workers) : absences_{workers}, has_left_(workers) {}

 private:
  // Of the worker, or in its place: whether it has tasks, and one of them, of whatever region.
  [[nodiscard]] virtual bool has_own_task(std::size_t worker) noexcept = 0;
  virtual pool_task* pop_own(std::size_t worker) noexcept = 0;

  [[nodiscard]] bool has_left(std::size_t absent) const noexcept {
    return has_left_[absent].load(memory_order_relaxed);  // as in leave
  }

  absences absences_;
  std::vector<atomic<bool>> has_left_;
};

}  // namespace fg::inline FINEGRAIN_ABI
