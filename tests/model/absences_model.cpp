// Which thread empties the queues of a worker that no thread is at the moment
// (balance/absences.hpp).
// SPDX-License-Identifier: Apache-2.0
#include <array>
#include <cstddef>

#include "checker/protocol.hpp"
#include "finegrain/balance/absences.hpp"
#include "finegrain/balance/deputies.hpp"
#include "finegrain/balance/xqueue_static.hpp"
#include "finegrain/queue/spsc_ring.hpp"
#include "finegrain/wait/asymmetric_fence.hpp"
#include "watched_task.hpp"
#include "watched_team.hpp"

namespace {

using ring_type = fg::detail::spsc_ring<fg::pool_task*>;

constexpr std::size_t kOwner = 1;

// The queue of a worker, to which worker 0 pushes.
template <std::size_t Tasks>
struct setting {
  explicit setting(std::size_t workers) : standing_in{workers} {}

  void push(std::size_t number) { ring.try_push(&tasks[number].write()); }
  fg::pool_task* pop() {
    fg::pool_task* task = nullptr;
    ring.try_pop(task);
    return task;
  }
  // Like a worker that leaves. True: another thread has to visit.
  bool leave(std::size_t worker) {
    standing_in.leave(worker);
    return standing_in.any_task(is_there());
  }
  bool visit_next(std::size_t worker) {
    return take_if_any(
        standing_in.visit_next(worker, is_there(), [this](std::size_t) { return pop(); }));
  }
  bool visit_any() {
    return take_if_any(standing_in.visit_any(is_there(), [this](std::size_t) { return pop(); }));
  }
  [[nodiscard]] auto is_there() const {
    return [this](std::size_t whose) { return whose == kOwner && ring.size_guess() != 0; };
  }

  std::array<watched_task, Tasks> tasks;
  ring_type ring{2};
  fg::detail::absences standing_in;
};

// It is away, and comes back while another thread visits its queue.
void comes_back() {
  setting<2> here{2};
  model::require(!here.leave(kOwner), "there is no task");
  here.push(0);
  here.push(1);
  model::run_threads([&] { here.visit_any(); },
                     [&] {
                       here.standing_in.come_back(kOwner);
                       take_if_any(here.pop());
                       take_if_any(here.pop());
                       model::require(!here.leave(kOwner), "no task is left");
                     });
  require_all_taken(here.tasks);
}

// Two visitors, each at its first check.
void two_visitors() {
  setting<2> here{3};
  model::require(!here.leave(kOwner), "there is no task");
  here.push(0);
  here.push(1);
  model::run_threads([&] { here.visit_next(0); },
                     [&] {
                       here.visit_next(2);  // checks worker 0
                       here.visit_next(2);
                     });
  while (here.visit_any()) {
  }
  require_all_taken(here.tasks);
}

// The thread that pushes leaves, too: one of the two knows that a visit is needed.
void both_leave() {
  setting<1> here{2};
  bool by_pusher = false;
  bool by_owner = false;
  model::run_threads(
      [&] {
        here.push(0);
        by_pusher = here.leave(0);
      },
      [&] {
        take_if_any(here.pop());
        by_owner = here.leave(kOwner);
      });
  while ((by_pusher || by_owner) && here.visit_any()) {
  }
  require_all_taken(here.tasks);
}

// The same while a third one visits.
void a_visitor_beside() {
  setting<2> here{3};
  model::require(!here.leave(kOwner), "there is no task");
  here.push(0);
  bool by_pusher = false;
  model::run_threads(
      [&] {
        here.push(1);
        by_pusher = here.leave(0);
      },
      [&] {
        here.visit_next(2);  // checks worker 0
        here.visit_next(2);
      });
  while (by_pusher && here.visit_any()) {
  }
  require_all_taken(here.tasks);
}

// The thread that pushes sleeps while the other one leaves: it does not sleep with the task
// unclaimed.
template <bool HasMembarrier>
void sleeps_while_it_leaves() {
  fg::detail::asymmetric_fence::is_available = HasMembarrier;
  std::array<watched_task, 2> tasks;
  fg::detail::idle_workers idle{2};
  fg::detail::xqueue_static policy{2, idle, 2};
  watched_team team{policy, idle, 2};
  model::run_threads(
      [&] {
        team.push(0, tasks[0]);  // to itself
        team.push(0, tasks[1]);
        team.run_own(0);
        team.sleep(0);
        team.run_own(0);
        while (!team.is_done() && team.look(0)) {
        }
      },
      [&] {
        team.run_own(1);
        if (policy.leave(1)) {
          team.run_of_absent();
        }
      });
  require_all_taken(tasks);
}

// A deputy of a busy worker, which leaves, and a visitor.
void a_deputy_beside() {
  fg::detail::asymmetric_fence::is_available = true;
  std::array<watched_task, 2> tasks;
  ring_type ring{2};
  fg::detail::deputies standing_in{3, fg::detail::deputised::caller, 0};
  const auto pop = [&](std::size_t) {
    fg::pool_task* task = nullptr;
    ring.try_pop(task);
    return task;
  };
  const auto has_task = [&](std::size_t whose) { return whose == 0 && ring.size_guess() != 0; };
  for (watched_task& each : tasks) {
    ring.try_push(&each.write());
  }
  const auto look = [&](std::size_t worker) {
    return take_if_any(standing_in.take_as_deputy(worker, has_task, pop));
  };
  model::run_threads([&] { standing_in.leave(0); }, [&] { look(1); }, [&] { look(2); });
  while (take_if_any(standing_in.absent().visit_any(has_task, pop))) {
  }
  require_all_taken(tasks);
}

}  // namespace

int main(int argc, char** argv) {
  return model::check_protocol(
      "absences (pool): a worker that leaves, one that pushes, one and two visitors",
      {{"it comes back beside a visitor", "each task once", comes_back},
       {"2 visitors", "each task once", two_visitors},
       {"both leave", "no task is forgotten", both_leave},
       {"both leave, and a visitor", "no task is forgotten", a_visitor_beside},
       {"who pushes sleeps", "woken, or the task is taken", sleeps_while_it_leaves<true>},
       {"who pushes sleeps, no membarrier", "woken, or the task is taken",
        sleeps_while_it_leaves<false>},
       {"a deputy, a visitor and the one who leaves", "each task once", a_deputy_beside}},
      argc, argv);
}
