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

// What a wait remembers between two looks.
struct search {
  explicit search(const task* of) noexcept : ancestor{of} {}

  const task* ancestor;  // only its descendants may run here; null: all may
  spin_wait<> idle;
  // Tasks that may not run here keep coming: looks to let pass before the next one is taken out of
  // a queue, and how often that was so.
  std::uint32_t skip = 0;
  std::uint32_t misfits = 0;
};

void set_aside(team& group, task& one) noexcept {
  group.set_aside().put(one);
  group.tell_all();
}

// Whether a task from a queue may run here. A claim comes first: a task that somebody else has
// begun may have ended, and its parents with it.
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

// A task that a queue gave, if it may run here. Otherwise it goes back, or where all can find it.
task* accept(thread& self, pool_task* found, bool own, search& state) noexcept {
  if (found == nullptr) {
    return nullptr;
  }
  auto& candidate = static_cast<task&>(*found);
  switch (judge(self, candidate, state.ancestor)) {
    case verdict::taken:
      state.misfits = 0;
      return &candidate;
    case verdict::forgotten:
      return nullptr;
    case verdict::refused:
      break;
  }
  // One's own queue gets it back: those behind it are older, and seldom fit either. But where
  // nobody else makes progress, they have to be looked through.
  constexpr std::uint32_t kPatience = 8;
  team& group = *self.inner->group;
  ++state.misfits;
  state.skip = std::uint32_t{16} << std::min(state.misfits, 8U);
  if (!own || state.misfits > kPatience || !group.policy().push(self.inner->seat, candidate)) {
    set_aside(group, candidate);
  }
  return nullptr;
}

task* find(thread& self, search& state) noexcept {
  team& group = *self.inner->group;
  if (group.set_aside().has_any_guess()) [[unlikely]] {
    if (task* const aside =
            group.set_aside().take([&](task& one) { return judge(self, one, state.ancestor); })) {
      return aside;
    }
  }
  if (group.has_fulfilled_guess()) [[unlikely]] {
    finish_fulfilled(self, group);
  }
  if (group.recalls()) {
    if (task* const recalled = recall::take(self, state.ancestor)) {
      return recalled;
    }
  }
  if (state.skip > 0) [[unlikely]] {
    --state.skip;
    return nullptr;
  }
  const std::size_t seat = self.inner->seat;
  if (task* const own = accept(self, group.policy().pop(seat), true, state)) {
    return own;
  }
  return accept(self, group.policy().steal(seat), false, state);
}

// Between two looks. True: it was so long in vain that the thread should sleep.
[[gnu::noinline]] bool rest(thread& self, const team& group, spin_wait<>& idle) noexcept {
  self.return_blocks();
  if (group.is_oversubscribed()) {
    sched_yield();
  } else {
    pause();
  }
  return idle.count_look() &&
         idle.waited_ticks() > settings::instance().spin_ticks(group.is_oversubscribed());
}

template <class Done>
[[gnu::noinline]] void sleep(thread& self, team& group, Done& done) noexcept {
  const fg::detail::library_span span{self.trace, fg::detail::sleep_span};
  const std::size_t seat = self.inner->seat;
  const auto announce = [&] { group.policy().announce_sleep(seat); };
  group.idle().sleep(seat, true, announce, [&] {
    return done() || group.has_fulfilled_guess() || group.set_aside().has_any_guess() ||
           group.policy().has_work_guess(seat);
  });
}

// Of what a thread runs this is in the trace: tasks that it has looked for. What these run
// themselves lies within.
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

// Runs tasks until `done()`, which has to read with acquire what others release.
template <class Done>
[[gnu::noinline]] void work_until(thread& self, Done done, const task* ancestor) noexcept {
  team& group = self.join_team();
  self.throttling.start_afresh(self.tasks);
  search state{ancestor};
  while (!done()) {
    task* const found = find(self, state);
    if (found == nullptr || found->parent != self.unreported.parent) {
      report(self);
    }
    if (found != nullptr) {
      run_found(self, *found);
      self.throttling.start_afresh(self.tasks);  // the next one may make others
      state.idle = {};
    } else if (rest(self, group, state.idle)) {
      sleep(self, group, done);
      state.idle = {};
    }
  }
  report(self);
}

}  // namespace

namespace detail {

[[gnu::noinline]] bool runs_next(thread& self) noexcept {
  team* const group = self.inner->group;
  const bool was_asked = group != nullptr && group->policy().answer_requests(self.inner->seat);
  const auto count_pending = [&] {
    if (group != nullptr && group->recalls()) {
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
    self.inner->group->policy().answer_requests(self.inner->seat);
    return;
  }
  if (runs_at_once(self)) {
    run(self, ready);
    return;
  }
  team& group = self.join_team();
  if (ready.priority > 0) {
    submit_successor(self, ready);
    return;
  }
  const bool listed = group.recalls() && recall::list(self, ready);
  if (!group.policy().push(self.inner->seat, ready)) {
    if (listed) {
      recall::unlist(self, ready);
    }
    settings::instance().throttles() ? run(self, ready) : set_aside(group, ready);
  }
}

void wait_for_unfinished_children(thread& self) noexcept {
  const task& waiting = *self.running;
  const auto all_finished = [&] { return children::all_finished(waiting.children_sum()); };
  deputised_deque* const own = self.inner->deque;
  do {
    // Its own children first, the newest ones, as long as they lie in its own deque.
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

void submit_successor(thread& self, task& ready) noexcept {
  team& group = self.join_team();
  if (ready.priority > 0 || !group.policy().push(self.inner->seat, ready)) {
    set_aside(group, ready);
  }
}

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
  if (self.inner->group == nullptr) {
    return;
  }
  search state{self.running};
  if (task* const found = find(self, state)) {
    run_found(self, *found);
  } else {
    self.return_blocks();
    sched_yield();
  }
  report(self);  // also of what `find` has finished
}

void drain(thread& self) noexcept {
  const task& implicit = self.inner->implicit;
  if (implicit.children_sum() != 0) {
    work_until(self, [&] { return implicit.children_sum() == 0; }, nullptr);
  }
  self.throttling.start_afresh(self.tasks);
}

void barrier(thread& self) noexcept {
  drain(self);
  if (self.inner->at_once) {
    return;
  }
  team& group = self.join_team();
  const std::uint32_t before = group.generation();
  if (!group.arrive()) {
    work_until(self, [&] { return group.generation() != before; }, nullptr);
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
