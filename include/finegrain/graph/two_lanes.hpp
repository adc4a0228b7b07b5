// Two threads run the nodes of a graph, each its lane, and wait for each other where an edge crosses.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <exception>
#include <vector>

#include "finegrain/core/atomic.hpp"
#include "finegrain/core/cache_line.hpp"
#include "finegrain/core/clock.hpp"
#include "finegrain/core/errors.hpp"
#include "finegrain/graph/early_end.hpp"
#include "finegrain/graph/graph_run.hpp"
#include "finegrain/graph/lane_schedule.hpp"
#include "finegrain/graph/node_times.hpp"

namespace fg::inline FINEGRAIN_ABI::detail {

/// Calls the node. `Timed`: and records how long it takes.
template <bool Timed>
void call_node(const node_body& body, graph_run& run, [[maybe_unused]] std::uint32_t node,
               [[maybe_unused]] node_times& times) {
  if constexpr (Timed) {
    const std::uint64_t start = ticks();
    if (body.call(body.closure, run)) {
      times.add(node, ticks() - start);
    }
  } else {
    body.call(body.closure, run);
  }
}

/// How far each of the two lanes is: one word a lane, on its own line, which its thread writes and
/// the other one reads.
///
/// ## States
/// Each run has a base, so many above that of the run before that nothing has to be reset. A lane's
/// word is
///
///     below the base   none of its steps that is awaited has ended
///     base + k         the first k steps have ended
///     base + n + 1     the lane is over: all its steps have ended, or the rest is dropped
///
/// A step is published if one of the other lane needs it, so a crossing costs one transfer of a line,
/// and those that were published before cost none. The word only rises: waiting is `>=`.
///
/// The second lane may change threads where it would have to wait:
///
///     offered -> running -> paused -> offered ...
///
/// Whoever takes it runs it; if it has waited for a while it pauses, and its thread is free. The
/// first lane's thread offers it again when it may get on, or runs the rest of both, in turn, as far
/// as each can get: if it has to wait for a lane that nobody runs.
///
/// ## Why both threads get on
/// Both lanes follow one order of all nodes that respects the edges. Of the nodes that have not ended,
/// the first in that order is the next one of its lane, and needs nothing. If it is the first lane's,
/// that one gets on. Else the second lane gets on if it is being run, and if it is not, the first
/// lane's thread runs it.
///
/// A worker of a pool that waits runs other tasks on top of what waits. That cannot end in a circle,
/// as each wait is for something that began later than what waits, or is further up on its stack: a
/// first lane waits for the second one, which is begun after it. A second lane that waited for the
/// first one would break that rule. So on a pool it pauses.
///
/// A thread that ends early publishes that its lane is over, after it has set `early_end`: the other
/// one, which may wait for it, sees that, and ends as well.
class two_lanes {
 public:
  /// How a lane was left.
  enum class left : std::uint8_t {
    at_its_end,      ///< this lane is over
    with_the_other,  ///< both are
    paused           ///< the second lane, by a thread that would have had to wait
  };

  two_lanes(graph_run& run, node_times& times) noexcept : run_{run}, times_{times} {}

  /// Another run, with the second lane offered. Requires: the last one is over.
  void begin(const lane_schedule& schedule, std::size_t nodes) noexcept {
    schedule_ = &schedule;
    base_ += over_ + 1;
    over_ = nodes + 1;
    ended_of_second_ = 0;
    offer_second();
  }

  /// Runs the first lane from its beginning, or the second one from where it was paused. `wait(word,
  /// done)` waits until `done()`, which reads `word`, and returns true; or false: in the first lane,
  /// if the second one is paused, or has not begun and nobody else will begin it; in the second one,
  /// to pause. `tell` is called whenever the other lane may wait for what was published.
  /// `end_is_awaited`: by `is_over`; then this object may be gone when the lane is over, and it
  /// may be when the lane is paused: before `tell` is called.
  template <std::size_t Which, bool Timed, class Wait, class Tell>
  left run(Wait wait, Tell tell, bool end_is_awaited = false) noexcept {
    left how = left::at_its_end;
    FINEGRAIN_TRY { how = run_steps<Which, Timed>(wait, tell); }
    FINEGRAIN_CATCH(...) { run_.end.keep(std::current_exception()); }
    if (how == left::paused) {
      // Release: pairs with the acquire in is_paused, after which another thread goes on.
      second_.store(second_lane::paused, memory_order_release);
      tell();
    } else if (end_is_awaited || run_.end.is_set()) {
      publish(words_[Which], over_);
      tell();
    }
    return how;
  }

  /// Relaxed: whatever makes another thread take the lane releases it.
  void offer_second() noexcept { second_.store(second_lane::offered, memory_order_relaxed); }
  /// Both relaxed: a hint for the first lane's thread, which looks otherwise in its queue first.
  void begin_second() noexcept { second_.store(second_lane::running, memory_order_relaxed); }
  [[nodiscard]] bool second_runs_guess() const noexcept {
    return second_.load(memory_order_relaxed) == second_lane::running;
  }
  /// For the first lane's thread, which has it then.
  [[nodiscard]] bool is_paused() const noexcept {
    // Acquire: pairs with the release in run.
    return second_.load(memory_order_acquire) == second_lane::paused;
  }
  /// Whether the second lane is over.
  [[nodiscard]] bool is_over() const noexcept { return has_reached(words_[1], over_); }

 private:
  struct alignas(kCacheLineBytes) word {
    atomic<std::uint64_t> reached{0};
  };

  enum class second_lane : std::uint8_t { offered, running, paused };

  template <std::size_t Which, bool Timed, class Wait, class Tell>
  left run_steps(Wait& wait, Tell& tell) {
    const std::vector<lane_step>& lane = schedule_->lane(Which);
    const word& other = words_[1 - Which];
    for (std::size_t ended = Which == 0 ? 0 : ended_of_second_; ended != lane.size();) {
      const lane_step& step = lane[ended];
      if (step.needs != 0 && !has_reached(other, step.needs) &&
          !wait(static_cast<const void*>(&other), [&] { return has_reached(other, step.needs); })) {
        return give_up<Which, Timed>(ended);
      }
      if (run_.end.is_set()) [[unlikely]] {
        break;
      }
      call_node<Timed>(step.body, run_, step.node, times_);
      ++ended;
      if (step.is_awaited) {
        publish(words_[Which], ended);
        tell();
      }
    }
    return left::at_its_end;
  }

  template <std::size_t Which, bool Timed>
  left give_up(std::size_t ended) {
    if constexpr (Which == 0) {
      run_both<Timed>({ended, ended_of_second_});
      return left::with_the_other;
    } else {
      ended_of_second_ = ended;
      return left::paused;
    }
  }

  // The rest of both lanes on one thread.
  template <bool Timed>
  void run_both(std::array<std::size_t, 2> ended) {
    for (;;) {
      const std::size_t which = may_run(0, ended) ? 0 : 1;
      const std::vector<lane_step>& lane = schedule_->lane(which);
      if (ended[which] == lane.size() || run_.end.is_set()) {
        return;  // neither can get on, so both have ended
      }
      const lane_step& step = lane[ended[which]++];
      call_node<Timed>(step.body, run_, step.node, times_);
    }
  }

  [[nodiscard]] bool may_run(std::size_t which, const std::array<std::size_t, 2>& ended) const {
    const std::vector<lane_step>& lane = schedule_->lane(which);
    return ended[which] != lane.size() && lane[ended[which]].needs <= ended[1 - which];
  }

  // Release: pairs with the acquire in has_reached. What the steps have written, and `early_end`, is
  // visible to the other lane afterwards.
  void publish(word& own, std::uint64_t state) const noexcept {
    own.reached.store(base_ + state, memory_order_release);
  }
  // Acquire: pairs with the release in publish.
  [[nodiscard]] bool has_reached(const word& other, std::uint64_t state) const noexcept {
    return other.reached.load(memory_order_acquire) >= base_ + state;
  }

  graph_run& run_;
  node_times& times_;
  const lane_schedule* schedule_ = nullptr;
  std::uint64_t base_ = 1;  // above the words' initial value
  std::uint64_t over_ = 0;
  std::size_t ended_of_second_ = 0;  // of whoever has the second lane
  alignas(kCacheLineBytes) atomic<second_lane> second_{second_lane::offered};
  std::array<word, 2> words_;
};

}  // namespace fg::inline FINEGRAIN_ABI::detail
