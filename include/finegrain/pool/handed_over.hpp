// A call that a pool's threads make for a waiting thread from outside.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <type_traits>

#include "finegrain/core/atomic.hpp"
#include "finegrain/pool/arena.hpp"
#include "finegrain/task/outcome.hpp"
#include "finegrain/task/pool_task.hpp"

namespace fg::inline FINEGRAIN_ABI::detail {

/// A task that calls `f`. Both belong to the thread that waits for the call.
template <class F>
class handed_over : public pool_task {
 public:
  handed_over(F& f, arena& where) noexcept : call_{std::addressof(f)}, where_{where} {
    routine.store(&run_as_task, memory_order_relaxed);  // relaxed: the inbox orders it
  }
  handed_over(const handed_over&) = delete;
  handed_over& operator=(const handed_over&) = delete;

  [[nodiscard]] bool has_finished() const noexcept {
    return finished_.load(memory_order_acquire);  // pairs with the release in run_as_task
  }

  /// Call once, after `has_finished`: returns what `f` returned, or throws what it threw.
  std::invoke_result_t<F&> take() {
    if constexpr (kReturnsReference) {
      return static_cast<std::invoke_result_t<F&>>(*outcome_.take());
    } else {
      return outcome_.take();
    }
  }

 private:
  static constexpr bool kReturnsReference = std::is_reference_v<std::invoke_result_t<F&>>;

  // A reference is stored as an address.
  struct call {
    F* f;
    decltype(auto) operator()() const {
      if constexpr (kReturnsReference) {
        auto&& referred = (*f)();
        return std::addressof(referred);
      } else {
        return (*f)();
      }
    }
  };

  static void run_as_task(pool_task& task) noexcept {
    auto& self = static_cast<handed_over&>(task);
    arena& where = self.where_;
    self.outcome_.keep_result_of(self.call_);
    self.finished_.store(true, memory_order_release);  // pairs with has_finished; may be gone now
    where.tell_all_waiting();
  }

  call call_;
  arena& where_;
  outcome<call> outcome_;
  atomic<bool> finished_{false};
};

}  // namespace fg::inline FINEGRAIN_ABI::detail
