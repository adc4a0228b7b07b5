// X-OpenMP's policies (balance/xqueue*.hpp) as a pool's workers call them.
//
// Here a single check is the wait for an answer. Its `pause` then ends a turn of a loop that has
// written (the request). A second one would end a turn that has only read, and wait until the
// answer arrives: it would never be late.
// SPDX-License-Identifier: Apache-2.0
#include <array>
#include <cstddef>

#include "checker/protocol.hpp"
#include "finegrain/balance/xqueue_nowait.hpp"
#include "finegrain/balance/xqueue_static.hpp"
#include "finegrain/balance/xqueue_wait.hpp"
#include "watched_team.hpp"

namespace {

using fg::detail::deputised;
constexpr std::size_t kWorkers = 2;

// Worker 1 sleeps while worker 0 pushes, and takes what it can get: a task that only worker 1 can
// take, an answer, or the last completion wakes it.
template <int Tasks, bool HasMembarrier, class Policy, auto... Arguments>
void beside_a_sleeper() {
  fg::detail::asymmetric_fence::is_available = HasMembarrier;
  std::array<watched_task, Tasks> tasks;
  fg::detail::idle_workers idle{kWorkers};
  Policy policy{kWorkers, idle, Arguments...};
  watched_team team{policy, idle, Tasks};
  model::run_threads(
      [&] {
        for (watched_task& each : tasks) {
          team.push(0, each);
        }
        team.run_own(0);
      },
      [&] {
        team.sleep(1);
        team.run_own(1);
      });
  team.run_own(1);
  require_all_taken(tasks);
}

// Worker 0 distributes two tasks and is then busy: worker 1 does not sleep with its own unclaimed.
template <bool HasMembarrier>
void busy_dealer() {
  fg::detail::asymmetric_fence::is_available = HasMembarrier;
  std::array<watched_task, 2> tasks;
  fg::detail::idle_workers idle{kWorkers};
  fg::detail::xqueue_static policy{kWorkers, idle, 2};
  watched_team team{policy, idle, 2};
  model::run_threads(
      [&] {
        team.push(0, tasks[0]);
        team.push(0, tasks[1]);
      },
      [&] {
        team.sleep(1);
        team.run_own(1);
      });
  team.run_own(0);
  team.run_own(1);
  require_all_taken(tasks);
}

// Both check, push and steal, and never sleep.
template <class Policy, auto... Arguments>
void both_awake() {
  fg::detail::asymmetric_fence::is_available = true;
  std::array<watched_task, 3> tasks;
  fg::detail::idle_workers idle{kWorkers};
  Policy policy{kWorkers, idle, Arguments...};
  watched_team team{policy, idle, 3};
  model::run_threads(
      [&] {
        team.push(0, tasks[0]);
        team.push(0, tasks[1]);
        team.push(0, tasks[2]);
        team.look(0);
        team.look(0);
      },
      [&] {
        team.look(1);
        team.look(1);
      });
  for (int i = 0; i < 2; ++i) {  // what is left; steals come after pops
    team.run_own(0);
    team.run_own(1);
  }
  model::require(!policy.any_task_guess(), "no queue holds a task");
  require_all_taken(tasks);
}

constexpr fg::detail::xqueue_wait::patience kOneLook{.min_tries = 1, .max_tries = 1};
constexpr std::size_t kOneSlot = 1;
constexpr std::size_t kTwoSlots = 2;
constexpr std::size_t kOneTask = 1;
constexpr std::size_t kTwoTasks = 2;

}  // namespace

int main(int argc, char** argv) {
  using fg::detail::xqueue_nowait;
  using fg::detail::xqueue_static;
  using fg::detail::xqueue_wait;
  return model::check_protocol(
      "xqueue_static, _wait, _nowait (pool): 2 workers, rings of 1 and 2 slots",
      {{"static, both awake", "each task once", both_awake<xqueue_static, kOneSlot>},
       {"static, one sleeps", "each task once",
        beside_a_sleeper<2, true, xqueue_static, kTwoSlots>},
       {"static, one sleeps, no membarrier", "each task once",
        beside_a_sleeper<2, false, xqueue_static, kTwoSlots>},
       {"the dealer is busy", "woken", busy_dealer<true>},
       {"the dealer is busy, no membarrier", "woken", busy_dealer<false>},
       {"wait, both awake", "each task once", both_awake<xqueue_wait, kOneLook, kTwoSlots>},
       {"wait, one sleeps", "each task once",
        beside_a_sleeper<2, true, xqueue_wait, kOneLook, kTwoSlots>},
       {"nowait, both awake", "each task once", both_awake<xqueue_nowait, kOneTask, kTwoSlots>},
       {"nowait of 2, both awake", "each task once",
        both_awake<xqueue_nowait, kTwoTasks, kTwoSlots>},
       {"nowait, one sleeps", "each task once",
        beside_a_sleeper<2, true, xqueue_nowait, kOneTask, kTwoSlots>}},
      argc, argv);
}
