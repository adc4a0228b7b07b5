// SPDX-License-Identifier: Apache-2.0
#include "scheduler.hpp"

#include <sched.h>

#include <algorithm>

#include "finegrain/core/clock.hpp"
#include "finegrain/core/pause.hpp"
#include "finegrain/trace/trace.hpp"
#include "finegrain/wait/wait.hpp"
#include "recall.hpp"
#include "settings.hpp"

namespace fg::omp {
namespace {

// State of a waiting thread between two searches for a task.
struct search {
  explicit search(const task* of) noexcept : ancestor{of} {}

  const task* ancestor;  // only its descendants may run here; null: all may
  spin_wait<> idle;
  // While tasks that may not run here keep coming: searches to skip before the next task is taken
  // from a queue, and how many such tasks came in a row.
  std::uint32_t skip = 0;
  std::uint32_t refused = 0;
};

void set_aside(team& team, task& one) noexcept {
  team.set_aside().put(one);
  team.tell_all();
}

// Whether a task from a queue may run here. The claim comes first: a task that another thread has
// begun may be gone, and its parents with it.
verdict judge(thread& self, task& candidate, const task* ancestor) noexcept {
  if (!recall::claim_queued(self, candidate)) {
    return verdict::forgotten;
  }
  if (ancestor == nullptr || candidate.descends_from(*ancestor)) {
    return verdict::taken;
  }
  recall::unclaim(candidate);
  return verdict::refused;
}

// Returns a task taken from a queue if it may run here; otherwise puts it back, or aside.
task* accept(thread& self, pool_task* found, bool own, search& state) noexcept {
  if (found == nullptr) {
    return nullptr;
  }
  auto& candidate = static_cast<task&>(*found);
  switch (judge(self, candidate, state.ancestor)) {
    case verdict::taken:
      state.refused = 0;
      return &candidate;
    case verdict::forgotten:
      return nullptr;
    case verdict::refused:
      break;
  }
  // A task from the thread's own queue goes back there: the tasks after it are older and can rarely
  // run here either. But if no other thread makes progress, they must be tried, too.
  constexpr std::uint32_t kPatience = 8;
  team& team = *self.inner->team;
  ++state.refused;
  state.skip = std::uint32_t{16} << std::min(state.refused, 8U);
  if (!own || state.refused > kPatience || !team.policy().push(self.inner->number, candidate)) {
    set_aside(team, candidate);
  }
  return nullptr;
}

// Finishes the tasks of the team whose events were fulfilled after their bodies had ended.
void finish_fulfilled(thread& self, team& team) noexcept {
  for (completion_event* each = team.take_fulfilled(); each != nullptr;) {
    completion_event* const next = each->next_fulfilled;  // `each` is freed with its task
    submit_successors(self, finish_detached(self, *each->whose));
    each = next;
  }
}

task* find(thread& self, search& state) noexcept {
  team& team = *self.inner->team;
  if (team.set_aside().has_any_guess()) [[unlikely]] {
    if (task* const aside =
            team.set_aside().take([&](task& one) { return judge(self, one, state.ancestor); })) {
      return aside;
    }
  }
  if (team.has_fulfilled_guess()) [[unlikely]] {
    finish_fulfilled(self, team);
  }
  if (team.recalls()) {
    if (task* const recalled = recall::take(self, state.ancestor)) {
      return recalled;
    }
  }
  if (state.skip > 0) [[unlikely]] {
    --state.skip;
    return nullptr;
  }
  const std::size_t number = self.inner->number;
  if (task* const own = accept(self, team.policy().pop(number), true, state)) {
    return own;
  }
  return accept(self, team.policy().steal(number), false, state);
}

// Idles between two searches. Returns true if they have failed for so long that the thread should
// sleep.
[[gnu::noinline]] bool rest(thread& self, const team& team, spin_wait<>& idle) noexcept {
  self.return_blocks();
  if (team.is_oversubscribed()) {
    sched_yield();
  } else {
    pause();
  }
  return idle.count_look() &&
         idle.waited_ticks() > settings::instance().spin_ticks(team.is_oversubscribed());
}

template <class Done>
[[gnu::noinline]] void sleep(thread& self, team& team, Done& done) noexcept {
  const fg::detail::library_span span{self.trace, fg::detail::sleep_span};
  const std::size_t number = self.inner->number;
  const auto announce = [&] { team.policy().announce_sleep(number); };
  team.idle().sleep(number, true, announce, [&] {
    return done() || team.has_fulfilled_guess() || team.set_aside().has_any_guess() ||
           team.policy().has_work_guess(number);
  });
}

// Runs a task and records it in the trace. The trace shows the tasks that a thread has searched
// for; tasks that these run themselves are nested in them.
[[gnu::noinline]] void run_traced(thread& self, task& found) noexcept {
  const bool is_own = found.memory == &self.memory;
  const fg::detail::library_span span{
      self.trace, is_own ? fg::detail::task_span : fg::detail::stolen_task_span};
  run(self, found);
}

void run_found(thread& self, task& found) noexcept {
  if (self.trace == nullptr && !fg::detail::kHasZones) [[likely]] {
    run(self, found);
  } else {
    run_traced(self, found);
  }
}

// Runs tasks until `done()`, which must read with acquire what other threads release.
template <class Done>
[[gnu::noinline]] void work_until(thread& self, Done done, const task* ancestor) noexcept {
  team& team = self.join_team();
  self.throttling.start_afresh(self.tasks);
  search state{ancestor};
  while (!done()) {
    task* const found = find(self, state);
    if (found == nullptr || found->parent != self.unreported.parent) {
      report(self);
    }
    if (found != nullptr) {
      run_found(self, *found);
      self.throttling.start_afresh(self.tasks);  // the next task may create others
      state.idle = {};
    } else if (rest(self, team, state.idle)) {
      sleep(self, team, done);
      state.idle = {};
    }
  }
  report(self);
}

// Queues the task and never runs it here.
void leave_to_team(thread& self, task& ready) noexcept {
  team& team = self.join_team();
  if (ready.priority > 0 || !team.policy().push(self.inner->number, ready)) {
    set_aside(team, ready);
  }
}

}  // namespace

namespace detail {

[[gnu::noinline]] bool runs_next(thread& self) noexcept {
  team* const team = self.inner->team;
  const bool was_asked = team != nullptr && team->policy().answer_requests(self.inner->number);
  const auto count_pending = [&] {
    if (team != nullptr && team->recalls()) {
      recall::sweep(self);
    }
    self.memory.collect();
    return throttle::count{.pending = self.memory.pending(), .now = ticks()};
  };
  return self.throttling.look({.now = ticks(), .made = self.tasks, .was_asked = was_asked},
                              count_pending);
}

[[gnu::noinline]] void submit_long(thread& self, task& ready,
                                   deputised_deque::push_result so_far) noexcept {
  if (so_far == deputised_deque::push_result::pushed_and_asked) {
    self.inner->team->policy().answer_requests(self.inner->number);
    return;
  }
  if (runs_at_once(self)) {
    run(self, ready);
    return;
  }
  team& team = self.join_team();
  if (ready.priority > 0) {
    leave_to_team(self, ready);
    return;
  }
  const bool listed = team.recalls() && recall::list(self, ready);
  if (!team.policy().push(self.inner->number, ready)) {
    if (listed) {
      recall::unlist(self, ready);
    }
    settings::instance().throttles() ? run(self, ready) : set_aside(team, ready);
  }
}

[[gnu::noinline]] void submit_all(thread& self, task& first) noexcept {
  for (pool_task* each = &first; each != nullptr;) {
    auto& ready = static_cast<task&>(*each);
    each = ready.older;  // before the queue links it
    leave_to_team(self, ready);
  }
}

void wait_for_unfinished_children(thread& self) noexcept {
  const task& waiting = *self.running;
  const auto all_finished = [&] { return children::all_finished(waiting.children_sum()); };
  deputised_deque* const own = self.inner->deque;
  do {
    // The thread's own children first, newest first, as long as they are in its own deque.
    pool_task* const newest = own != nullptr ? own->pop_newest_unless_asked() : nullptr;
    if (newest == nullptr) {
      work_until(self, all_finished, &waiting);
      return;
    }
    task& candidate = static_cast<task&>(*newest);
    if (candidate.parent != &waiting) [[unlikely]] {
      own->push(candidate);
      work_until(self, all_finished, &waiting);
      return;
    }
    run(self, candidate);
  } while (!all_finished());
}

}  // namespace detail

void wait_for(thread& self, dependence_node& node) noexcept {
  if (node.is_blocked()) {
    work_until(self, [&] { return !node.is_blocked(); }, self.running);
  }
  self.throttling.start_afresh(self.tasks);
}

void wait_for(thread& self, const taskgroup& group) noexcept {
  if (!group.is_empty()) {
    work_until(self, [&] { return group.is_empty(); }, self.running);
  }
  self.throttling.start_afresh(self.tasks);
}

void yield(thread& self) noexcept {
  if (self.inner->team == nullptr) {
    return;
  }
  search state{self.running};
  if (task* const found = find(self, state)) {
    run_found(self, *found);
  } else {
    self.return_blocks();
    sched_yield();
  }
  report(self);  // includes what `find` has finished
}

void drain(thread& self) noexcept {
  const task& implicit = self.inner->implicit;
  if (implicit.children_sum() != 0) {
    work_until(self, [&] { return implicit.children_sum() == 0; }, nullptr);
  }
  self.throttling.start_afresh(self.tasks);
}

void help_until(thread& self, bool (*done)(const void* of), const void* of) noexcept {
  work_until(self, [=] { return done(of); }, nullptr);
}

void barrier(thread& self) noexcept {
  drain(self);
  if (self.inner->at_once) {
    return;
  }
  if (self.inner->threads != nullptr) {
    self.inner->threads->meet(self);
    return;
  }
  team& team = self.join_team();
  const std::uint32_t before = team.generation();
  if (!team.arrive()) {
    work_until(self, [&] { return team.generation() != before; }, nullptr);
  }
}

void end_part(thread& self) noexcept {
  self.inner->expects_tasks ? barrier(self) : drain(self);
  if (self.listed.size() > self.inner->implicit.listed_below) [[unlikely]] {
    recall::forget(self);
  }
  self.leave();
}

}  // namespace fg::omp
