// The default policy: tasks stay private to their worker until a thief asks.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <array>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

#include "finegrain/balance/absences.hpp"
#include "finegrain/balance/victim_choice.hpp"
#include "finegrain/core/cache_line.hpp"
#include "finegrain/core/clock.hpp"
#include "finegrain/queue/private_deque.hpp"
#include "finegrain/task/pool_task.hpp"

namespace fg::inline FINEGRAIN_ABI::detail {

/// Depth first on a deque per worker; thieves take half of the public tasks, the oldest ones. The
/// deques are members of the workers, which also push and pop there without a call (worker.hpp).
///
/// With `deputised_deque`s, a thief that has long found nothing, because the owners are busy and
/// answer no requests, publishes their private tasks itself.
template <class Deque>
class basic_private_deque_balance final : public absent_owners {
 public:
  /// Failed searches before a thief looks for a busy owner, and again before it acts in its place.
  /// That costs a heavy fence: 10 us (asymmetric_fence.hpp), or 100 if the host is slow to handle
  /// an interrupt, and the owner waits for it too. With one look only, this happened for tasks of 1
  /// us from one thread; since then they run at 1.66 to 1.75 instead of 1.40 to 1.48 times the
  /// serial speed (2 CPUs of a Xeon, model 207, KVM). The number itself is not tuned.
  static constexpr std::uint32_t kPatience = 256;

  /// One deque per worker; the deques outlive the policy.
  basic_private_deque_balance(std::vector<Deque*> deques, idle_workers& idle)
      : absent_owners{Deque::kHasDeputies ? 0 : deques.size()},
        deques_{std::move(deques)},
        idle_{idle},
        thieves_(deques_.size()) {
    for (std::size_t worker = 0; worker < deques_.size(); ++worker) {
      deques_[worker]->open(idle.numbers_in_use() > 1);
      thieves_[worker].choice = victim_choice{worker};
    }
  }

  bool push(std::size_t worker, pool_task& task) noexcept override {
    deques_[worker]->end_reserving();
    deques_[worker]->push(task);
    answer(worker);
    return true;
  }

  bool push_reserved(std::size_t worker, pool_task& task) noexcept override {
    Deque& own = *deques_[worker];
    if (!own.begin_reserving()) {
      return false;
    }
    own.push(task);
    answer(worker);
    return true;
  }

  pool_task* pop(std::size_t worker) noexcept override {
    Deque& own = *deques_[worker];
    pool_task* const task = own.pop();
    if (task != nullptr && own.has_to_answer()) {
      answer(worker);
    }
    return task;
  }

  bool answer_requests(std::size_t worker) noexcept override {
    Deque& own = *deques_[worker];
    const bool asked = own.was_asked();
    if (asked && own.has_private_guess()) {
      answer(worker);
    }
    return asked;
  }

  pool_task* steal(std::size_t worker) noexcept override {
    return steal_of(worker, deques_[worker]->region());
  }

  pool_task* steal_any(std::size_t worker) noexcept override {
    return steal_of(worker, kAnyRegion);
  }

  bool has_seen_reserved(std::size_t worker) noexcept override {
    return std::exchange(thieves_[worker].has_seen_reserved, false);
  }

  void announce_sleep(std::size_t worker) noexcept override {
    if constexpr (Deque::kHasDeputies) {
      for (std::size_t other = 0; other < idle_.numbers_in_use(); ++other) {
        if (other != worker) {
          deques_[other]->announce_sleep();
        }
      }
    }
  }

  bool has_work_guess(std::size_t worker) noexcept override {
    return ask_all_for(worker, deques_[worker]->region());
  }

  bool has_any_work_guess(std::size_t worker) noexcept override {
    return ask_all_for(worker, kAnyRegion);
  }

  [[nodiscard]] bool any_task_guess() const noexcept override {
    return std::any_of(deques_.begin(), deques_.end(), [](const Deque* each) {
      return each->has_public_guess() || each->has_private_guess();
    });
  }

 private:
  [[nodiscard]] bool has_own_task(std::size_t worker) noexcept override {
    return deques_[worker]->has_task();
  }
  pool_task* pop_own(std::size_t worker) noexcept override {
    return deques_[worker]->pop_of_any_region();
  }

  // Most tasks that one steal moves. For the tasks of a lone producer, 34 ns each, 32 and 64 were
  // equally fast, and 8 up to a tenth slower (2 CPUs of an EPYC 9004, floor 340 ns).
  static constexpr std::size_t kMostStolen = 32;

  static constexpr std::size_t kNobody = ~std::size_t{0};

  // Of reserved tasks. Each look takes a line from the owner: groups of 16 empty tasks took 30 ns a task
  // beside a thief that looks all the time, 8 to 12 with 1, 2 or 5 us (2 CPUs of an EPYC 9004, KVM).
  static constexpr std::chrono::microseconds kBetweenLooks{1};
  // While a group is longer than its reservation: some tasks, then none for as long.
  static constexpr std::chrono::microseconds kBetweenSteals{10};

  // Of stolen tasks: one microsecond for each, and what surrounds them, which takes 0.3 to 1.5 us if
  // they are short (same machine).
  static constexpr std::chrono::microseconds kSurelyLong{1};
  static constexpr std::size_t kAround = 3;

  struct alignas(kCacheLineBytes) thief {
    [[nodiscard]] bool leaves_alone(std::size_t worker) const noexcept {
      return worker == left_alone && ticks() < alone_until;
    }
    void leave_alone(std::size_t worker, std::chrono::nanoseconds time) noexcept {
      left_alone = worker;
      alone_until = ticks() + to_ticks(time);
      has_seen_reserved = true;
    }

    victim_choice choice;
    std::uint64_t alone_until = 0;  // ticks
    std::size_t left_alone = kNobody;
    std::size_t stolen = 0;  // from that one, `kBetweenSteals` before; not reported yet
    bool has_seen_reserved = false;
    std::uint32_t in_vain = 0;
    std::size_t suspect = kNobody;  // had private tasks at the last look
  };

  pool_task* steal_of(std::size_t worker, region_id region) noexcept {
    const std::size_t workers = idle_.numbers_in_use();
    if (workers < 2) {
      return nullptr;
    }
    thief& self = thieves_[worker];
    report(self);
    const std::size_t chosen = self.choice.current();
    if (self.leaves_alone(chosen)) {
      self.choice.another(workers);
      return nullptr;
    }
    Deque& victim = *deques_[chosen];
    std::array<pool_task*, kMostStolen> stolen;
    const std::size_t count = victim.steal(stolen, region);
    if (count == 0) {
      if (victim.is_reserved_guess()) {
        self.leave_alone(chosen, kBetweenLooks);
      }
      victim.ask();
      self.choice.another(workers);
      stand_in_after_patience(worker);
      return nullptr;
    }
    if (victim.is_reserving_guess()) {
      self.leave_alone(chosen, kBetweenSteals);
      self.stolen = count;
    }
    self.in_vain = 0;
    self.suspect = kNobody;
    deques_[worker]->end_reserving();  // not of these, of which it knows nothing
    deques_[worker]->set_region(region);
    for (std::size_t i = 0; i < count; ++i) {  // they lie in the victim's cache: all at once
      prefetch_for_write(stolen[i]);
    }
    for (std::size_t i = count; i > 1; --i) {  // the oldest of them is popped first
      deques_[worker]->push(*stolen[i - 1]);
    }
    if (count > 1) {
      answer(worker);
    }
    return stolen[0];
  }

  // To the worker that had reserved what this one stole last and has run by now.
  void report(thief& self) noexcept {
    if (self.stolen != 0 && ticks() + to_ticks(kBetweenSteals) - self.alone_until >
                                (kAround + self.stolen) * to_ticks(kSurelyLong)) {
      deques_[self.left_alone]->report_long();
    }
    self.stolen = 0;
  }

  // Whether other workers have tasks of this region; asks all of them for tasks.
  bool ask_all_for(std::size_t worker, region_id region) noexcept {
    bool found = false;
    for (std::size_t other = 0; other < idle_.numbers_in_use(); ++other) {
      if (other != worker) {
        Deque& each = *deques_[other];
        each.ask();
        found = found ||
                (each.has_public_guess() &&
                 (region == kAnyRegion || each.public_region_guess() == region)) ||
                (Deque::kHasDeputies && each.has_private_guess());
      }
    }
    return found;
  }

  // Publishes the tasks of an owner that has private ones and does not answer. An owner that has
  // some right now is nearly always about to answer. It counts as busy only if it also had some at
  // the previous look, with no steal in between. These looks are rare because they take the cache
  // line of its pushes and pops from the owner.
  void stand_in_after_patience(std::size_t worker) noexcept {
    if constexpr (Deque::kHasDeputies) {
      thief& self = thieves_[worker];
      if (++self.in_vain < kPatience) {
        return;
      }
      self.in_vain = 0;
      const std::size_t suspect = std::exchange(self.suspect, next_with_private(worker));
      if (self.suspect == suspect && suspect != kNobody && deques_[suspect]->publish_as_deputy()) {
        wake_one(*deques_[suspect]);
      }
    }
  }

  [[nodiscard]] std::size_t next_with_private(std::size_t worker) const noexcept {
    for (std::size_t i = 1; i < deques_.size(); ++i) {
      const std::size_t other = (worker + i) % deques_.size();
      if (deques_[other]->has_private_guess()) {
        return other;
      }
    }
    return kNobody;
  }

  // Out of line: inlined, it cost each pop four instructions of saved registers (clang 19, x86-64).
  FINEGRAIN_NOINLINE void answer(std::size_t worker) noexcept {
    Deque& own = *deques_[worker];
    if (own.answer() && wake_one(own) && Deque::kHasDeputies) {
      own.demand_attention();  // other sleepers may exist whose request this has ended
    }
  }

  // Wakes a worker that takes the public tasks of `from`. True: a worker slept, or was about to.
  bool wake_one(const Deque& from) noexcept {
    const bool any = idle_.any_after_publishing();
    if (any) {
      idle_.wake_one_for(from.public_region_guess());
    }
    return any;
  }

  std::vector<Deque*> deques_;
  idle_workers& idle_;
  std::vector<thief> thieves_;
};

using private_deque_balance = basic_private_deque_balance<private_deque>;

}  // namespace fg::inline FINEGRAIN_ABI::detail
