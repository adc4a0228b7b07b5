// Which threads wait for a task, count it and free it (omp/task.hpp, omp/task_life.hpp), under the
// shipped scheduler: without recall, so that a task is in one place only.
// SPDX-License-Identifier: Apache-2.0
#include <array>
#include <cstddef>

#include "checker/protocol.hpp"
#include "omp/region.hpp"
#include "scheduler.hpp"
#include "taskgroup.hpp"

namespace {

using fg::omp::completion_event;
using fg::omp::dependence;
using fg::omp::dependence_node;
using fg::omp::dependence_table;
using fg::omp::task;
using fg::omp::task_details;
using fg::omp::thread;
using region = model::omp::region<2>;

constexpr bool kRecalls = true;
constexpr model::explorer::limits kLoops{.turns = 6};

// A task that makes another one and does not wait for it is freed by the one that ends last: its
// own end races with the other's.
void grandchild() {
  region all{!kRecalls};
  int ran = 0;
  const auto inner = [&] { ++ran; };
  const auto outer = [&] { fg::omp::submit(all.self(), model::omp::make_task(all.self(), inner)); };
  model::run_threads(
      [&] {
        thread& self = all.self();
        fg::omp::submit(self, model::omp::make_task(self, outer));
        fg::omp::end_part(self);
        model::require(ran == 1, "a task is run once, and seen by whoever waits for it");
      },
      [&] { all.help_once(); });
}

// Two children that two other threads finish: each notifies the parent, which waits.
void two_helpers() {
  model::omp::region<3> all{!kRecalls};
  int ran[2]{};
  const auto first = [&] { ++ran[0]; };
  const auto second = [&] { ++ran[1]; };
  model::run_threads(
      [&] {
        thread& self = all.self();
        fg::omp::submit(self, model::omp::make_task(self, first));
        fg::omp::submit(self, model::omp::make_task(self, second));
        fg::omp::end_part(self);
        model::require(ran[0] == 1 && ran[1] == 1,
                       "a task is run once, and seen by whoever waits for it");
      },
      [&] { all.help_once(); }, [&] { all.help_once(); });
}

// One thief finishes both: the first notification is delayed until the second has ended, at most.
void kept_back() {
  region all{!kRecalls};
  int ran = 0;
  const auto body = [&] { ++ran; };
  model::run_threads(
      [&] {
        thread& self = all.self();
        fg::omp::submit(self, model::omp::make_task(self, body));
        fg::omp::submit(self, model::omp::make_task(self, body));
        model::await([&] { return fg::omp::children::all_finished(self.running->children_sum()); });
        model::require(ran == 2, "a task is run once, and seen by whoever waits for it");
        fg::omp::end_part(self);
      },
      [&] {
        thread& self = all.self();
        for (int i = 0; i < 2; ++i) {
          task& found =
              *static_cast<task*>(model::await([&] { return all.team().policy().pop(1); }));
          fg::omp::run(self, found);
        }
        fg::omp::report(self);
      });
}

// A group that is left as soon as its last task has ended, on another thread.
void taskgroup() {
  region all{!kRecalls};
  int ran = 0;
  const auto body = [&] { ++ran; };
  model::run_threads(
      [&] {
        thread& self = all.self();
        {
          fg::omp::taskgroup group{.outer = nullptr, .opened_by = self.running};
          self.running->group = &group;
          fg::omp::submit(self, model::omp::make_task(self, body));
          fg::omp::wait_for(self, group);
          self.running->group = nullptr;
          model::require(ran == 1, "a task is run once, and seen by whoever waits for its group");
        }
        fg::omp::end_part(self);
      },
      [&] { all.help_once(); });
}

constexpr std::array<dependence, 1> kWrites{{{1, fg::omp::access::inout}}};

// As fg::omp::submit_depending, with a node on the heap.
void submit_writer(thread& self, dependence_table& table, auto& body) {
  task& made = model::omp::make_task(self, body, task::kHasMore);
  auto& node =
      *new dependence_node{&made, [](dependence_node& unused) noexcept { delete &unused; }};
  made.details = self.side.make<task_details>();
  made.details->node = &node;
  table.link(node, kWrites);
  if (node.end_linking()) {
    fg::omp::submit(self, made);
  }
}

// The thread that ends a task submits its successor, possibly after the parent was notified of that
// end.
void successor() {
  region all{!kRecalls};
  int ran[2]{};
  const auto first = [&] { ++ran[0]; };
  const auto second = [&] {
    ++ran[1];
    model::require(ran[0] == 1, "it runs after its predecessor, and sees it");
  };
  model::run_threads(
      [&] {
        thread& self = all.self();
        dependence_table table;
        submit_writer(self, table, first);
        submit_writer(self, table, second);
        fg::omp::end_part(self);
        model::require(ran[1] == 1, "a task is run once, and seen by whoever waits for it");
      },
      [&] { all.help_once(); });
}

task& make_detachable(region& all, thread& self, auto& body) {
  task& made = model::omp::make_task(self, body, task::kHasMore);
  made.details = self.side.make<task_details>();
  made.details->event.emplace();
  made.details->event->whose = &made;
  made.details->event->team = &all.team();
  return made;
}

// A task whose event another thread fulfils, before or after the end of its body.
void event() {
  region all{!kRecalls};
  int ran = 0;
  int fulfilled = 0;
  const auto body = [&] { ++ran; };
  thread* maker = nullptr;
  task* made = nullptr;
  const auto prepare = [&](thread& self) {
    maker = &self;
    made = &make_detachable(all, self, body);
  };
  prepare(all.of(0));
  model::run_threads(
      [&] {
        thread& self = all.self();
        fg::omp::run(self, *made);
        fg::omp::end_part(self);
        model::require(ran == 1 && fulfilled == 1, "whoever waits sees what came before both");
      },
      [&] {
        ++fulfilled;
        fg::omp::fulfil(*made->details->event);
      });
}

// The same if the task ran on another thread than its maker, with a child that lives longer.
void event_of_a_parent() {
  region all{!kRecalls};
  int ran = 0;
  int fulfilled = 0;
  const auto inner = [&] { ++ran; };
  const auto outer = [&] { fg::omp::submit(all.self(), model::omp::make_task(all.self(), inner)); };
  task& made = make_detachable(all, all.of(0), outer);
  model::run_threads(
      [&] {
        thread& self = all.self();
        fg::omp::submit(self, made);
        ++fulfilled;
        fg::omp::fulfil(*made.details->event);
        fg::omp::end_part(self);
        model::require(ran == 1, "a task is run once, and seen by whoever waits for it");
      },
      [&] { all.help_once(); });
}

// Two events that two threads fulfil at once.
void two_events() {
  region all{!kRecalls};
  int fulfilled[2]{};
  const auto body = [] {};
  task* const made[2]{&make_detachable(all, all.of(0), body),
                      &make_detachable(all, all.of(0), body)};
  fg::omp::run(all.of(0), *made[0]);
  fg::omp::run(all.of(0), *made[1]);
  const auto fulfil = [&](int which) {
    ++fulfilled[which];
    fg::omp::fulfil(*made[which]->details->event);
  };
  model::run_threads(
      [&] {
        fg::omp::end_part(all.self());
        model::require(fulfilled[0] == 1 && fulfilled[1] == 1,
                       "whoever waits sees what came before");
      },
      [&] { fulfil(0); }, [&] { fulfil(1); });
}

}  // namespace

int main(int argc, char** argv) {
  return model::check_protocol(
      "life of a task (omp)",
      {{"a task that does not wait for its child", "freed once, its effects seen", grandchild,
        kLoops},
       {"2 children, 3 threads", "its effects seen", two_helpers, kLoops},
       {"2 children of a thief", "its effects seen", kept_back, kLoops},
       {"a taskgroup", "its effects seen, left alone when it is gone", taskgroup, kLoops},
       {"a successor", "run once, in order, freed once", successor, kLoops},
       {"an event", "freed once, its effects seen", event, kLoops},
       {"an event of a task with a child", "freed once, its effects seen", event_of_a_parent,
        kLoops},
       {"2 events, 3 threads", "freed once, its effects seen", two_events, kLoops}},
      argc, argv);
}
