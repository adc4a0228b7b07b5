// X-OpenMP's policy in which a thief waits for the answer to its request.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "finegrain/balance/idle_workers.hpp"
#include "finegrain/balance/steal_requests.hpp"
#include "finegrain/balance/victim_choice.hpp"
#include "finegrain/balance/xqueue_balance.hpp"
#include "finegrain/core/atomic.hpp"
#include "finegrain/core/cache_line.hpp"
#include "finegrain/core/pause.hpp"

namespace fg::inline FINEGRAIN_ABI::detail {

/// Tasks are dealt out in turn. A worker without tasks asks another one for a task and waits a
/// short time for it. The victim answers at its next pop, if it has a task besides the one that it
/// takes itself, into the thief's mailbox.
///
/// Source: X-OpenMP (2024), section 4.1, Algorithms 2 and 3. The wait is theirs: it doubles with
/// every request that was not answered in time, up to a maximum, and shrinks by a constant with
/// every one that was (their listing resets it to the minimum, their text decreases it; the text
/// gives the reason, so we follow the text).
///
/// ## States of a thief
///
///     free      no request, mailbox empty
///     asked     one request at one victim: it stands, or is claimed and its answer is on the way,
///               or is in the mailbox
///
///     free  -> asked   the request was accepted
///     asked -> free    the answer was taken from the mailbox, or the request was withdrawn
///
/// ## Races, and corrections
/// * *Late answer.* A thief of the paper that gives up forgets its request. The answer may come
///   while it asks another victim, whose answer overwrites the first: a task is lost. Here the
///   request stands when the wait is over, and `pop` looks into the mailbox. Only the next `steal`
///   withdraws it, before it asks another victim; if that fails, the victim has claimed it, and the
///   thief remains `asked` until the answer is there. So a mailbox never gets a second task before
///   it is empty.
/// * *Claim without a task* does not happen: before the claim the victim makes sure of a task,
///   which no other thread can pop.
/// * *Wait that does not end.* Line 6 of Algorithm 3 goes on while a stolen task IS there. Ours
///   ends when there is one.
/// * *Sleep.* A thief asks, or leaves its request standing, before it sleeps; the answer wakes it.
///
/// More in steal_requests and deputies.
///
/// ## Memory order
/// The victim's release of the mailbox, read with acquire by the thief, passes the task. The thief
/// empties the mailbox before it asks (release), the victim fills it after its claim (acquire): so
/// emptying it cannot erase a later answer.
class xqueue_wait final : public xqueue_balance {
 public:
  /// How long a thief waits for an answer, in loop iterations (a pause and a look). Not tuned.
  struct patience {
    std::uint32_t min_tries = 8;
    std::uint32_t max_tries = 128;
  };

  /// `idle` outlives the policy. Requires: 0 < min_tries <= max_tries. Throws std::bad_alloc.
  xqueue_wait(std::size_t workers, idle_workers& idle, patience wait = {8, 128},
              std::size_t ring_capacity = xqueue::kRingCapacity, deputised whom = deputised::caller)
      : xqueue_balance{workers, idle, ring_capacity, whom},
        wait_{wait},
        requests_{workers},
        thieves_(workers) {
    for (std::size_t worker = 0; worker < workers; ++worker) {
      thieves_[worker].choice = victim_choice{worker};
      thieves_[worker].tries = wait.min_tries;
    }
  }

  bool push(std::size_t worker, pool_task& task) noexcept override {
    requests_.open(worker);
    return queues_.deal(worker, task);
  }

  /// Also returns an answer that came late.
  pool_task* pop(std::size_t worker) noexcept override {
    return deputies_.take_as_owner(worker, [&] {
      pool_task* const task = take(worker);
      if (task != nullptr) {
        requests_.open(worker);
        answer(worker);
      }
      return task;
    });
  }

  /// Asks one worker, and the same one again as long as it answers. Bounded: `max_tries`.
  pool_task* steal(std::size_t worker) noexcept override {
    if (queues_.workers() < 2) {
      return nullptr;
    }
    requests_.close(worker);
    pool_task* const task = deputies_.take_as_owner(worker, [&] {
      pool_task* late = nullptr;
      return become_free(worker, late) && ask(worker) ? wait_for_answer(worker) : late;
    });
    return task != nullptr ? task
                           : deputies_.take_as_deputy(
                                 worker, [&](std::size_t absent) { return has_task(absent); },
                                 [&](std::size_t absent) { return take(absent); });
  }

  /// Leaves a request with one worker, which wakes this one when it answers.
  bool has_work_guess(std::size_t worker) noexcept override {
    const bool entered = deputies_.own(worker, [&] {
      for (std::size_t i = 1; i < queues_.workers() && !thieves_[worker].asked; ++i) {
        ask(worker);
      }
    });
    return !entered ||
           deputies_.any_within_reach(worker, [&](std::size_t each) { return has_task(each); });
  }

  [[nodiscard]] bool any_task_guess() const noexcept override {
    return std::any_of(thieves_.begin(), thieves_.end(),
                       [](const thief& each) {
                         // Relaxed: a guess, as in has_task_guess.
                         return each.mailbox.load(memory_order_relaxed) != nullptr;
                       }) ||
           queues_.any_task_guess();
  }

 private:
  struct thief {
    alignas(kCacheLineBytes) victim_choice choice;
    bool asked = false;  // the current choice, by `request`
    steal_requests::word_type request = 0;
    std::uint32_t tries = 0;
    alignas(kCacheLineBytes) atomic<pool_task*> mailbox{nullptr};
  };

  [[nodiscard]] bool has_task(std::size_t worker) const noexcept override {
    // Relaxed: a guess; the thread that then takes the task looks with acquire.
    return thieves_[worker].mailbox.load(memory_order_relaxed) != nullptr ||
           queues_.has_task_guess(worker);
  }

  // The functions below require: the caller owns the queues of the worker.

  pool_task* take(std::size_t worker) noexcept override {
    pool_task* const task = take_answer(worker);
    return task != nullptr ? task : queues_.pop(worker);
  }

  // Asked -> free if the answer is there.
  pool_task* take_answer(std::size_t worker) noexcept {
    thief& own = thieves_[worker];
    if (!own.asked) {
      return nullptr;
    }
    pool_task* const task = own.mailbox.load(memory_order_acquire);  // pairs with answer's release
    if (task != nullptr) {
      own.mailbox.store(nullptr, memory_order_relaxed);  // ordered by the next ask's release
      own.asked = false;
      own.tries = std::max(own.tries - 1, wait_.min_tries);
    }
    return task;
  }

  // True: free, without an answer. Otherwise `task` is the answer, or null if it is on the way.
  bool become_free(std::size_t worker, pool_task*& task) noexcept {
    thief& own = thieves_[worker];
    task = take_answer(worker);
    if (task == nullptr && own.asked && requests_.withdraw(own.choice.current(), own.request)) {
      own.asked = false;
      own.choice.another(queues_.workers());
    }
    return task == nullptr && !own.asked;
  }

  // Free -> asked unless the victim refuses.
  bool ask(std::size_t worker) noexcept {
    thief& own = thieves_[worker];
    own.asked = requests_.ask(own.choice.current(), worker, own.request);
    if (!own.asked) {
      own.choice.another(queues_.workers());
    }
    return own.asked;
  }

  pool_task* wait_for_answer(std::size_t worker) noexcept {
    thief& own = thieves_[worker];
    for (std::uint32_t i = 0; i < own.tries; ++i) {
      if (pool_task* const task = take_answer(worker)) {
        return task;
      }
      pause();
    }
    own.tries = std::min(own.tries * 2, wait_.max_tries);
    return nullptr;
  }

  // The victim's side.
  void answer(std::size_t worker) noexcept {
    const steal_requests::word_type seen = requests_.look(worker);
    const std::size_t asker = steal_requests::asker_of(seen);
    if (asker == steal_requests::kNobody || asker == worker || !queues_.has_task_guess(worker) ||
        !requests_.claim(worker, seen)) {
      return;
    }
    // Release: pairs with the acquire in take_answer.
    thieves_[asker].mailbox.store(queues_.pop(worker), memory_order_release);
    queues_.wake(asker);
  }

  const patience wait_;
  steal_requests requests_;
  std::vector<thief> thieves_;
};

}  // namespace fg::inline FINEGRAIN_ABI::detail
