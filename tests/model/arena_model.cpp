// How threads enter, leave and sleep in a pool (pool/callers.hpp, outside_waiters.hpp,
// joint_end.hpp).
// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <array>
#include <cstddef>
#include <optional>

#include "checker/protocol.hpp"
#include "finegrain/core/atomic.hpp"
#include "finegrain/pool/callers.hpp"
#include "finegrain/pool/joint_end.hpp"
#include "finegrain/wait/asymmetric_fence.hpp"

namespace {

using fg::memory_order_acquire;
using fg::memory_order_relaxed;
using fg::memory_order_release;

// ---- caller_slots ----

// Non-atomic data in a slot is used by one thread at a time.
template <std::size_t Slots>
void places() {
  fg::detail::caller_slots slots{Slots};
  std::array<int, 2> used{};
  int refused = 0;
  const auto work_at = [&](std::size_t place) {
    model::require(place < Slots, "there is such a place");
    ++used[place];
    slots.leave(place);
  };
  const auto come = [&] {
    if (const std::optional<std::size_t> place = slots.claim()) {
      work_at(*place);
      return true;
    }
    return false;
  };
  std::array<bool, 3> came{};
  model::run_threads([&] { came[0] = come(); }, [&] { came[1] = come(); },
                     [&] { came[2] = come(); });
  for (const bool each : came) {
    refused += each ? 0 : 1;
  }
  model::require(used[0] + used[1] + refused == 3, "each has had a place, or was refused");
  model::require(refused < 3 && !slots.any_taken_guess(), "all are free again");
}

// ---- outside_waiters ----

// Two completions, and threads that wait for them.
template <bool Asymmetric>
void waiters() {
  fg::detail::asymmetric_fence::is_available = Asymmetric;
  fg::detail::outside_waiters outside;
  std::array<fg::atomic<bool>, 2> done{};
  std::array<int, 2> result{};
  const auto wait_for = [&](std::size_t which) {
    outside.wait([&] { return done[which].load(memory_order_acquire); });
    model::require(result[which] == 1, "what was done is seen");
  };
  model::run_threads(
      [&] {
        for (std::size_t which = 0; which < 2; ++which) {
          result[which] = 1;
          done[which].store(true, memory_order_release);
          outside.tell();
        }
      },
      [&] { wait_for(1); }, [&] { wait_for(0); });
}

// ---- joint_end ----

// Queues of one task each, a number: a task with a number above 0 spawns a smaller one for the next
// participant.
template <std::size_t Participants>
struct team {
  fg::detail::joint_end end;
  std::array<fg::atomic<int>, Participants> queues{};
  fg::atomic<int> left;

  explicit team(int tasks) : left{tasks} {
    for (std::size_t more = 1; more < Participants; ++more) {
      end.add_participant();
    }
    end.begin();
  }

  // Takes from its own queue with a relaxed exchange: the fences order which thread took before
  // which.
  void take_and_run(std::size_t self) {
    const int task = queues[self].exchange(0, memory_order_relaxed);
    if (task == 0) {
      return;
    }
    left.fetch_sub(1, memory_order_relaxed);
    if (task > 1) {
      queues[(self + 1) % Participants].store(task - 1, memory_order_relaxed);
    }
  }

  [[nodiscard]] bool any_task() const {
    return std::ranges::any_of(
        queues, [](const fg::atomic<int>& each) { return each.load(memory_order_relaxed) != 0; });
  }

  void end_together(std::size_t self) {
    while (!end.is_over()) {
      take_and_run(self);
      if (any_task()) {
        model::await([&] {
          return end.is_over() || queues[self].load(memory_order_relaxed) != 0 || !any_task();
        });
        continue;
      }
      if (end.rest()) {
        break;
      }
      model::await([&] { return end.is_over() || any_task(); });
      if (!end.is_over()) {
        end.work_again();
      }
    }
    model::require(left.load(memory_order_relaxed) == 0, "nothing is left when it is over");
  }
};

void two_end() {
  team<2> both{3};
  both.queues[0].store(3, memory_order_relaxed);
  model::run_threads([&] { both.end_together(0); }, [&] { both.end_together(1); });
}

void three_end() {
  team<3> all{1};
  all.queues[0].store(1, memory_order_relaxed);
  model::run_threads([&] { all.end_together(0); }, [&] { all.end_together(1); },
                     [&] { all.end_together(2); });
}

}  // namespace

int main(int argc, char** argv) {
  constexpr model::explorer::limits kLoops{.turns = 2};
  return model::check_protocol("arena (pool): 2 and 3 threads",
                               {{"1 place, 3 callers", "one at a time", places<1>},
                                {"2 places, 3 callers", "one at a time", places<2>},
                                {"2 wait outside", "both are told", waiters<true>},
                                {"2 wait outside, no membarrier", "both are told", waiters<false>},
                                {"2 end together", "nothing is left", two_end, kLoops},
                                {"3 end together", "nothing is left", three_end, kLoops}},
                               argc, argv);
}
