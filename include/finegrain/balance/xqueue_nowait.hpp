// X-OpenMP's policy in which thieves do not wait for the answer to a request.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <vector>

#include "finegrain/balance/idle_workers.hpp"
#include "finegrain/balance/steal_requests.hpp"
#include "finegrain/balance/victim_choice.hpp"
#include "finegrain/balance/xqueue_balance.hpp"
#include "finegrain/core/cache_line.hpp"

namespace fg::inline FINEGRAIN_ABI::detail {

/// Tasks are dealt out in turn. A worker without tasks asks another one for some and continues to
/// look at its own queues. The victim answers at its next pop, if it has a task besides the one
/// that it takes itself, or at its next push: into its ring towards the thief, so that each ring
/// keeps its single producer. One answer is up to `steal_size` tasks. Tasks of a worker that runs
/// something long stay there until it pops or pushes.
///
/// Source: X-OpenMP (2024), section 4.2, Algorithms 4 and 5; corrections in steal_requests and
/// deputies. One more: a request that the victim cannot answer, because its ring towards the thief
/// is full, stands; the paper leaves this case open.
///
/// ## Protocol and races
/// A thief may have asked several workers, and may be busy or asleep when they answer. An answer is
/// then an ordinary task in its queues, and the thief is woken. Nothing has to be cancelled. A
/// claimed request is answered with at least one task: before the claim the victim makes sure of
/// the task, which no other thread can pop, and of the room, which no other thread can fill.
class xqueue_nowait final : public xqueue_balance {
 public:
  /// `idle` outlives the policy. Requires: steal_size > 0. Throws std::bad_alloc.
  xqueue_nowait(std::size_t workers, idle_workers& idle, std::size_t steal_size = 1,
                std::size_t ring_capacity = xqueue::kRingCapacity,
                deputised whom = deputised::caller)
      : xqueue_balance{workers, idle, ring_capacity, whom},
        steal_size_{steal_size},
        requests_{workers},
        thieves_(workers) {
    for (std::size_t worker = 0; worker < workers; ++worker) {
      thieves_[worker].choice = victim_choice{worker};
    }
  }

  bool push(std::size_t worker, pool_task& task) noexcept override {
    requests_.open(worker);
    return hand_over(worker, task) || queues_.deal(worker, task);
  }

  pool_task* pop(std::size_t worker) noexcept override {
    return deputies_.take_as_owner(worker, [&] {
      pool_task* const task = queues_.pop(worker);
      if (task != nullptr) {
        requests_.open(worker);
        answer(worker);
      }
      return task;
    });
  }

  /// Asks one worker, and the same one again as long as it answers. Returns null, except for tasks
  /// pushed to an absent worker: answers are returned by `pop`.
  pool_task* steal(std::size_t worker) noexcept override {
    if (queues_.workers() < 2) {
      return nullptr;
    }
    requests_.close(worker);
    asking& own = thieves_[worker];
    if (own.asked && requests_.stands(own.choice.current(), own.request)) {
      own.choice.another(queues_.workers());
    }
    own.asked = requests_.ask(own.choice.current(), worker, own.request);
    if (!own.asked) {
      own.choice.another(queues_.workers());
    }
    return deputies_.take_as_deputy(
        worker, [&](std::size_t absent) { return queues_.has_task_guess(absent); },
        [&](std::size_t absent) { return queues_.pop(absent); });
  }

  /// Asks all workers: one that has or gets tasks wakes this worker.
  bool has_work_guess(std::size_t worker) noexcept override {
    for (std::size_t victim = 0; victim < queues_.workers(); ++victim) {
      steal_requests::word_type request = 0;
      if (victim != worker) {
        requests_.ask(victim, worker, request);
      }
    }
    return deputies_.any_within_reach(
        worker, [&](std::size_t each) { return queues_.has_task_guess(each); });
  }

  [[nodiscard]] bool any_task_guess() const noexcept override { return queues_.any_task_guess(); }

 private:
  struct alignas(kCacheLineBytes) asking {
    victim_choice choice;
    bool asked = false;  // the current choice, by `request`
    steal_requests::word_type request = 0;
  };

  // Whether there is a thief, and the ring towards it has room.
  bool can_give(std::size_t worker, std::size_t thief) noexcept {
    return thief != steal_requests::kNobody && thief != worker && queues_.has_room(worker, thief);
  }

  // At enqueue: gives the new task to the worker that asked, with older ones up to `steal_size_`.
  bool hand_over(std::size_t worker, pool_task& task) noexcept {
    const steal_requests::word_type seen = requests_.look(worker);
    const std::size_t thief = steal_requests::asker_of(seen);
    if (!can_give(worker, thief) || !requests_.claim(worker, seen)) {
      return false;
    }
    queues_.push(worker, thief, task);
    deputies_.own(worker, [&] { give(worker, thief, steal_size_ - 1); });
    queues_.wake(thief);
    return true;
  }

  // At dequeue. Requires: the caller owns the queues of `worker`.
  void answer(std::size_t worker) noexcept {
    const steal_requests::word_type seen = requests_.look(worker);
    const std::size_t thief = steal_requests::asker_of(seen);
    if (can_give(worker, thief) && queues_.has_task_guess(worker) &&
        requests_.claim(worker, seen)) {
      give(worker, thief, steal_size_);
      queues_.wake(thief);
    }
  }

  // Moves up to `count` tasks. Requires: the caller owns the queues of `worker`.
  void give(std::size_t worker, std::size_t thief, std::size_t count) noexcept {
    for (; count > 0 && queues_.has_room(worker, thief); --count) {
      pool_task* const task = queues_.pop(worker);
      if (task == nullptr) {
        return;
      }
      queues_.push(worker, thief, *task);
    }
  }

  const std::size_t steal_size_;
  steal_requests requests_;
  std::vector<asking> thieves_;
};

}  // namespace fg::inline FINEGRAIN_ABI::detail
