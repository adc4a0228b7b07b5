// The policies over deques and combining queues (balance/private_deque_balance.hpp,
// chase_lev_balance.hpp, combining.hpp) as a pool's workers call them.
// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <array>
#include <cstddef>
#include <vector>

#include "checker/protocol.hpp"
#include "finegrain/balance/balancer.hpp"
#include "finegrain/balance/chase_lev_balance.hpp"
#include "finegrain/balance/combining.hpp"
#include "finegrain/balance/private_deque_balance.hpp"
#include "watched_team.hpp"

namespace {

// The policies, each with its queues, which are small.
template <std::size_t Workers, class Lock>
struct deques_of {
  static constexpr std::size_t kWorkers = Workers;
  using deque_type = fg::detail::basic_private_deque<Lock, 1>;
  explicit deques_of(fg::detail::idle_workers& idle) : policy{addresses(), idle} {}
  std::array<deque_type, Workers> deques;
  fg::detail::basic_private_deque_balance<deque_type> policy;

 private:
  std::vector<deque_type*> addresses() {
    std::vector<deque_type*> all(Workers);
    std::ranges::transform(deques, all.begin(), [](deque_type& each) { return &each; });
    return all;
  }
};
template <std::size_t Workers>
using private_deques = deques_of<Workers, fg::detail::no_lock>;
using deputised_deques = deques_of<2, fg::detail::biased_lock>;
struct chase_lev {
  static constexpr std::size_t kWorkers = 2;
  explicit chase_lev(fg::detail::idle_workers& idle) : policy{kWorkers, idle, 2} {}
  fg::detail::chase_lev_balance policy;
};
struct combining {
  static constexpr std::size_t kWorkers = 2;
  explicit combining(fg::detail::idle_workers& idle) : policy{kWorkers, idle, 2} {}
  fg::detail::combining_balance policy;
};

// Both check, push and steal, and never sleep. The first task may be reserved, the second one is not.
template <class Setting, auto PushFirst = &watched_team<fg::detail::balancer>::push>
void both_awake() {
  fg::detail::asymmetric_fence::is_available = true;
  std::array<watched_task, 2> tasks;
  fg::detail::idle_workers idle{Setting::kWorkers};
  Setting setting{idle};
  watched_team<fg::detail::balancer> team{setting.policy, idle, 2};
  model::run_threads(
      [&] {
        (team.*PushFirst)(0, tasks[0]);
        team.push(0, tasks[1]);
        team.run_own(0);
      },
      [&] {
        team.look(1);
        team.look(1);
      });
  team.run_own(1);
  require_all_taken(tasks);
}

// Worker 1 sleeps while worker 0 pushes and pops: the push, or the last completion, wakes it.
template <class Setting, bool HasMembarrier>
void beside_a_sleeper() {
  fg::detail::asymmetric_fence::is_available = HasMembarrier;
  std::array<watched_task, 1> tasks;
  fg::detail::idle_workers idle{Setting::kWorkers};
  Setting setting{idle};
  watched_team team{setting.policy, idle, 1};
  model::run_threads(
      [&] {
        team.push(0, tasks[0]);
        team.run_own(0);
      },
      [&] {
        team.sleep(1);
        team.look(1);
      });
  require_all_taken(tasks);
}

// Worker 0 pushes a task and is then busy: worker 1 does not sleep while the task waits.
template <class Setting, bool HasMembarrier>
void busy_owner() {
  fg::detail::asymmetric_fence::is_available = HasMembarrier;
  std::array<watched_task, 1> tasks;
  fg::detail::idle_workers idle{Setting::kWorkers};
  Setting setting{idle};
  watched_team team{setting.policy, idle, 1};
  model::run_threads([&] { team.push(0, tasks[0]); }, [&] { team.sleep(1); });
  team.run_own(0);
  require_all_taken(tasks);
}

// The same with a reserved task. Time does not pass here, so the other worker leaves it alone.
template <bool HasMembarrier>
void busy_owner_of_a_reserved_task() {
  fg::detail::asymmetric_fence::is_available = HasMembarrier;
  std::array<watched_task, 1> tasks;
  fg::detail::idle_workers idle{2};
  private_deques<2> setting{idle};
  watched_team team{setting.policy, idle, 1};
  model::run_threads([&] { team.push_reserved(0, tasks[0]); },
                     [&] {
                       team.look(1);  // and asks
                       team.sleep(1);
                     });
  team.run_own(0);
  require_all_taken(tasks);
}

// The same with two sleepers: one of them wakes up, and wakes the other.
template <class Setting>
void busy_owner_of_three() {
  fg::detail::asymmetric_fence::is_available = true;
  std::array<watched_task, 1> tasks;
  fg::detail::idle_workers idle{Setting::kWorkers};
  Setting setting{idle};
  watched_team team{setting.policy, idle, 1};
  const auto sleep = [&](std::size_t worker) {
    team.sleep(worker);
    team.end_sleep();
  };
  model::run_threads([&] { team.push(0, tasks[0]); }, [&] { sleep(1); }, [&] { sleep(2); });
  team.run_own(0);
  require_all_taken(tasks);
}

}  // namespace

int main(int argc, char** argv) {
  return model::check_protocol(
      "private_deque, chase_lev, combining (pool): 2 and 3 workers, queues of 2 tasks",
      {{"private deques, both awake", "each task once", both_awake<private_deques<2>>},
       {"private deques, one sleeps", "each task once", beside_a_sleeper<private_deques<2>, true>},
       {"private deques, one sleeps, no membarrier", "each task once",
        beside_a_sleeper<private_deques<2>, false>},
       {"private deques, the owner is busy", "woken", busy_owner<private_deques<2>, true>},
       {"private deques, the owner is busy, reserved", "woken",
        busy_owner_of_a_reserved_task<true>},
       {"private deques, the owner is busy, reserved, no membarrier", "woken",
        busy_owner_of_a_reserved_task<false>},
       {"private deques, reserved until a push", "each task once",
        both_awake<private_deques<2>, &watched_team<fg::detail::balancer>::push_reserved>},
       {"deputised deques, one sleeps", "each task once", beside_a_sleeper<deputised_deques, true>},
       {"deputised deques, the owner is busy", "woken", busy_owner<deputised_deques, true>},
       {"private deques, busy beside two", "woken", busy_owner_of_three<private_deques<3>>},
       {"Chase-Lev deques, both awake", "each task once", both_awake<chase_lev>},
       {"Chase-Lev deques, one sleeps", "each task once", beside_a_sleeper<chase_lev, true>},
       {"Chase-Lev deques, the owner is busy", "woken", busy_owner<chase_lev, true>},
       {"Chase-Lev deques, busy, no membarrier", "woken", busy_owner<chase_lev, false>},
       {"combining queues, both awake", "each task once", both_awake<combining>},
       {"combining queues, one sleeps", "each task once", beside_a_sleeper<combining, true>},
       {"combining queues, the owner is busy", "woken", busy_owner<combining, true>}},
      argc, argv);
}
