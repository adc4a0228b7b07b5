// The workers of a pool run a graph: two in lanes, more by stealing.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <cstdint>

#include "finegrain/controller/exploration_budget.hpp"
#include "finegrain/core/atomic.hpp"
#include "finegrain/core/clock.hpp"
#include "finegrain/graph/lane_schedule.hpp"
#include "finegrain/graph/two_lanes.hpp"
#include "finegrain/pool/steal_cost.hpp"
#include "finegrain/pool/worker.hpp"
#include "finegrain/task/pool_task.hpp"
#include "finegrain/wait/wait.hpp"

namespace fg::inline FINEGRAIN_ABI::detail {

// How long a lane looks for the other one's step: longer than a node that finegrain is made for. Then
// the first one helps, and the second one pauses.
inline constexpr std::chrono::microseconds kLookInLane{20};

/// True if `done()` within that time.
template <class Done>
bool look_in_lane(const Done& done) noexcept {
  const std::uint64_t longest = to_ticks(kLookInLane);
  for (spin_wait<> looks; !done();) {
    if (looks.waited_ticks() >= longest) {
      return false;
    }
    looks();
  }
  return true;
}

/// The second lane, for another worker. It lies on the stack of the first lane's.
template <bool Timed>
class second_lane_task : public pool_task {
 public:
  second_lane_task(two_lanes& lanes, worker& first) noexcept : lanes_{lanes}, first_{first} {
    // Relaxed: the push that publishes the task releases it.
    routine.store(&run_taken, memory_order_relaxed);
  }

  /// Whether the worker of the first lane has got it back from the pool's queues: then the lane is for
  /// that worker's next wait to run.
  [[nodiscard]] bool is_back() const noexcept { return is_back_; }
  void come_back() noexcept { is_back_ = true; }

 private:
  static void run_taken(pool_task& task) noexcept {
    auto& self = static_cast<second_lane_task&>(task);
    worker& here = *worker::current();
    if (&here == &self.first_) {
      self.come_back();  // it helps, in the middle of a wait
      return;
    }
    two_lanes& lanes = self.lanes_;
    lanes.begin_second();
    const auto look = [](const void* /*word*/, const auto& done) { return look_in_lane(done); };
    // When the lane is over, or paused, the first one's worker may leave the frame of the task.
    lanes.run<1, Timed>(look, [&here] { here.tell_waiting(); }, true);
  }

  two_lanes& lanes_;
  worker& first_;
  bool is_back_ = false;  // of the first lane's worker only
};

/// A worker and the others of its pool.
class pool_team {
 public:
  explicit pool_team(worker& self) noexcept : self_{self} {}

  [[nodiscard]] worker& self() const noexcept { return self_; }
  [[nodiscard]] bool can_share() const noexcept { return self_.has_others(); }
  /// Requires: not `can_share`.
  [[nodiscard]] bool never_shares() const noexcept { return !self_.is_serial(); }
  [[nodiscard]] bool is_ready() const noexcept { return !self_.all_sleep_guess(); }
  [[nodiscard]] bool is_asleep() const noexcept { return self_.all_sleep_guess(); }
  void wake() noexcept {
    if (is_asleep()) {
      self_.wake_one();
    }
  }
  void miss_sleeper() const noexcept {}  // workers learn no rhythm
  void count_kept(std::uint64_t) const noexcept {}
  [[nodiscard]] std::uint64_t round_trip_ticks() { return steal_ticks(self_); }
  /// A crossing is not a steal, which takes 225 ns where a line takes 44 to 65 there and back, and 740 to
  /// 1,100 where that takes 240. With a quarter of it the model says 0.63 and 0.75 to 0.8 of serial for
  /// eight layers of seven nodes of 200 ns and a join, which take 0.66 and 0.87 to 1.03; with a half it
  /// said 1.05 to 1.19 of those, so they were not tried (2 CPUs of an EPYC 9005, KVM).
  [[nodiscard]] detail::lane_costs lane_costs() {
    const std::uint64_t steal = round_trip_ticks();
    return {.begin = steal / 2, .cross = steal / 4};
  }
  [[nodiscard]] const long_wait& waited() const noexcept { return waited_; }
  [[nodiscard]] static std::uint64_t period_ticks() noexcept { return 0; }

  /// The second lane on the worker that takes it.
  template <bool Timed>
  void run_lanes(two_lanes& lanes) noexcept {
    second_lane_task<Timed> second{lanes, self_};
    worker::pushed where = offer(second);
    const auto wait = [&](const void* /*word*/, const auto& done) {
      return wait_in_first(lanes, second, where, done);
    };
    const auto tell = [&] {
      self_.tell_waiting();
      if (lanes.is_paused()) [[unlikely]] {
        lanes.offer_second();
        where = offer(second);
      }
    };
    if (lanes.run<0, Timed>(wait, tell) != two_lanes::left::with_the_other &&
        !wait_in_first(lanes, second, where, [&lanes] { return lanes.is_over(); })) {
      lanes.run<1, Timed>([](auto...) { return true; }, [] {});  // the first lane has ended
    }
  }

 private:
  worker::pushed offer(pool_task& second) noexcept {
    return self_.try_push(second) ? worker::pushed::own_deque : self_.push(second);
  }

  // Waits in the first lane. False: not `done()`, and no other thread has the second lane.
  template <bool Timed, class Done>
  bool wait_in_first(const two_lanes& lanes, second_lane_task<Timed>& second, worker::pushed where,
                     const Done& done) noexcept {
    const auto settled = [&] { return done() || second.is_back() || lanes.is_paused(); };
    if (lanes.second_runs_guess()) {
      if (!look_in_lane(settled)) {
        self_.help_until(settled);
      }
    } else if (where == worker::pushed::nowhere) {
      return false;
    } else if (where == worker::pushed::policy) {
      self_.help_until(settled);
    } else if (!second.is_back() && !lanes.is_paused() && self_.take_back(second, settled)) {
      second.come_back();
    }
    return done();
  }

  worker& self_;
  long_wait waited_;  // none is known: where it waits long it runs other tasks
};

}  // namespace fg::inline FINEGRAIN_ABI::detail
