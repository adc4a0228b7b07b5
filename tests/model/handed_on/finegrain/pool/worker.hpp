// Two workers, each of which gives what it pushes to the other one: replaces the shipped
// pool/worker.hpp, whose queues would multiply the executions of a scenario.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>

#include "checker/scenario.hpp"
#include "finegrain/core/atomic.hpp"
#include "finegrain/task/pool_task.hpp"

namespace fg::inline FINEGRAIN_ABI {

class worker {
 public:
  enum class pushed { own_deque, policy, nowhere };

  worker() = default;
  worker(const worker&) = delete;
  worker& operator=(const worker&) = delete;

  /// That of the scenario's thread 1 or 2, which has set it.
  static worker*& current() noexcept {
    static std::array<worker*, model::kMaxThreads> all;
    return all[model::explorer::current()->thread()];
  }

  void give_to(worker& other) noexcept { other_ = &other; }

  bool try_push(pool_task& task) noexcept {
    atomic<pool_task*>& mail = other_->mail_;
    task.older = mail.load(memory_order_relaxed);
    while (!mail.compare_exchange_weak(task.older, &task, memory_order_release,
                                       memory_order_relaxed)) {
    }
    return true;
  }
  pushed push(pool_task& /*task*/) noexcept { return pushed::nowhere; }

  template <class Done>
  void help_until(Done done) noexcept {
    while (!done()) {
      pool_task* task = model::await([&] { return done() ? &nothing_ : next_mail(); });
      while (task != &nothing_ && task != nullptr) {
        pool_task* const now = task;
        task = now->older;
        now->run();
      }
    }
  }
  void tell_waiting() noexcept {}

  // Nobody asks.
  [[nodiscard]] bool may_reserve() const noexcept { return false; }
  [[nodiscard]] bool wants_tasks() const noexcept { return false; }
  [[nodiscard]] const worker& deque() const noexcept { return *this; }
  [[nodiscard]] bool has_task() const noexcept { return false; }
  [[nodiscard]] bool take_back_at_once(const pool_task& /*task*/) noexcept { return false; }

 private:
  pool_task* next_mail() noexcept {
    return mail_.load(memory_order_relaxed) == nullptr
               ? nullptr
               : mail_.exchange(nullptr, memory_order_acquire);
  }

  worker* other_ = nullptr;
  atomic<pool_task*> mail_{nullptr};
  pool_task nothing_{};
};

}  // namespace fg::inline FINEGRAIN_ABI
