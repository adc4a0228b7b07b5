// A parallel region of the drop-in, small enough for the checker.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <memory>
#include <vector>

#include "checker/scenario.hpp"
#include "finegrain/balance/balancer.hpp"
#include "finegrain/core/atomic.hpp"
#include "omp/below.hpp"
#include "policies.hpp"
#include "recall.hpp"
#include "scheduler.hpp"
#include "task_life.hpp"
#include "team.hpp"
#include "thread.hpp"

namespace model::omp {

/// A policy of a few steps: all threads put tasks into one bag, and take any of them.
class bag final : public fg::detail::balancer {
 public:
  static constexpr std::size_t kRoom = 2;

  explicit bag(fg::detail::idle_workers& idle) : idle_{idle} {}

  bool push(std::size_t /*worker*/, fg::pool_task& task) noexcept override {
    for (fg::atomic<fg::pool_task*>& slot : slots_) {
      fg::pool_task* nothing = nullptr;
      if (slot.compare_exchange_strong(nothing, &task, fg::memory_order_release,
                                       fg::memory_order_relaxed)) {
        if (idle_.any_after_publishing()) {
          idle_.wake_one();
        }
        return true;
      }
    }
    return false;
  }
  fg::pool_task* pop(std::size_t /*worker*/) noexcept override {
    for (fg::atomic<fg::pool_task*>& slot : slots_) {
      if (slot.load(fg::memory_order_relaxed) != nullptr) {
        if (fg::pool_task* const found = slot.exchange(nullptr, fg::memory_order_acquire)) {
          return found;
        }
      }
    }
    return nullptr;
  }
  fg::pool_task* steal(std::size_t /*worker*/) noexcept override { return nullptr; }
  bool has_work_guess(std::size_t /*worker*/) noexcept override { return any_task_guess(); }
  [[nodiscard]] bool any_task_guess() const noexcept override {
    return std::ranges::any_of(slots_, [](const fg::atomic<fg::pool_task*>& slot) {
      return slot.load(fg::memory_order_relaxed) != nullptr;
    });
  }

 private:
  fg::detail::idle_workers& idle_;
  std::array<fg::atomic<fg::pool_task*>, kRoom> slots_;
};

inline std::unique_ptr<fg::detail::balancer> make_bag(
    const std::vector<fg::detail::deputised_deque*>& /*deques*/, fg::detail::idle_workers& idle) {
  return std::make_unique<bag>(idle);
}

/// A team of `Threads`, with a region around it.
template <std::size_t Threads>
class region {
 public:
  explicit region(bool recalls)
      : policy_{"bag", false, Threads, recalls, &make_bag}, team_{Threads, policy_, false} {
    forget_chunks();
    empty_queues();  // takes each lock once
    for (std::size_t number = 0; number < Threads; ++number) {
      threads_[number] = std::make_unique<fg::omp::thread>(static_cast<std::uint32_t>(number + 1));
      fg::omp::thread& self = *threads_[number];
      self.enter(parts_[number], region_, number, Threads, -1);
      parts_[number].team = &team_;
      parts_[number].recalls = recalls;
      parts_[number].expects_tasks = false;
    }
  }

  region(const region&) = delete;
  region& operator=(const region&) = delete;
  ~region() {
    empty_queues();
    free_chunks();
  }

  [[nodiscard]] fg::omp::team& team() noexcept { return team_; }
  [[nodiscard]] fg::omp::thread& of(std::size_t number) noexcept { return *threads_[number]; }
  /// The calling thread's.
  [[nodiscard]] fg::omp::thread& self() noexcept { return of(explorer::current()->thread() - 1); }

  /// Takes one task from the queues, if there is one, and runs it.
  void help_once() noexcept {
    fg::omp::thread& thief = self();
    auto* const found = static_cast<fg::omp::task*>(team_.policy().pop(thief.inner->number));
    if (found != nullptr && fg::omp::recall::claim_queued(thief, *found)) {
      fg::omp::run(thief, *found);
    }
    fg::omp::report(thief);
  }

 private:
  // Recalled tasks stay in the queues until a thread finds them there.
  void empty_queues() noexcept {
    const auto forget = [this](fg::omp::task& left) {
      require(!fg::omp::recall::claim_queued(*threads_[0], left),
              "what is left in the queues has been run");
      return fg::omp::verdict::forgotten;
    };
    while (fg::pool_task* const left = team_.policy().pop(0)) {
      forget(static_cast<fg::omp::task&>(*left));
    }
    team_.set_aside().take(forget);
  }

  fg::omp::conforming_policy policy_;
  fg::omp::team team_;
  fg::omp::region region_;
  std::array<fg::omp::frame, Threads> parts_;
  std::array<std::unique_ptr<fg::omp::thread>, Threads> threads_;
};

/// A new task that calls `body`. In a block of its own, freed with the task, so that any later
/// access is detected.
template <class Body>
fg::omp::task& make_task(fg::omp::thread& self, Body& body, std::uint16_t flags = 0) {
  using fg::omp::task;
  using fg::omp::task_memory;
  const auto routine = [](fg::pool_task& made) noexcept {
    (**static_cast<Body**>(static_cast<task&>(made).data()))();
  };
  void* const block = self.memory.take(task_memory::kAlone, sizeof(task) + sizeof(Body*));
  task& made =
      fg::omp::detail::fill(self, block, task_memory::kAlone, sizeof(Body*), routine, flags);
  *static_cast<Body**>(made.data()) = &body;
  fg::omp::count_child(self, made);
  return made;
}

}  // namespace model::omp
