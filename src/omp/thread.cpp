// SPDX-License-Identifier: Apache-2.0
#include "thread.hpp"

#include <pthread.h>
#include <sched.h>

#include <mutex>
#include <new>

#include "control_variables.hpp"
#include "settings.hpp"
#include "task_details.hpp"
#include "team_cache.hpp"

namespace fg::omp {
namespace {

// All records ever created, and those whose thread has ended.
struct thread_list {
  std::mutex mutex;
  thread* all = nullptr;
  thread* unused = nullptr;
};

thread_list& list() noexcept {
  // Outlives all threads. Without memory for it the program ends, as without memory for a thread.
  static auto* const threads = new thread_list;  // NOLINT(bugprone-unhandled-exception-at-new)
  return *threads;
}

}  // namespace

thread::thread(std::uint32_t number) noexcept
    : id{number}, throttling{settings::instance().throttles()} {
  enter(root, root_region, 0, 1, -1);
}

void thread::enter(frame& part, region& region, std::size_t number, std::size_t size,
                   int runtime_id) noexcept {
  part.outer = inner;
  part.region = &region;
  part.number = number;
  part.size = size;
  part.runtime_id = runtime_id;
  part.at_once = size == 1;
  part.suspended = running;
  part.implicit.runner.store(id, memory_order_relaxed);  // its own
  part.implicit.listed_below = static_cast<std::uint32_t>(listed.size());
  part.implicit.flags = task::kImplicit;
  inner = &part;
  running = &part.implicit;
}

void thread::leave() noexcept {
  if (inner->implicit.is(task::kHasMore)) {
    if (inner->implicit.details != nullptr) {
      side.destroy(*inner->implicit.details);
    }
    if (inner->implicit.variables != nullptr) {
      inner->implicit.variables->release();
    }
  }
  if (inner->own_variables != nullptr) {
    inner->own_variables->release();
  }
  running = inner->suspended;
  inner = inner->outer;
}

team& thread::join_team_long() const noexcept {
  region& region = *inner->region;
  // Acquire: pairs with the release below, by which another thread publishes the team.
  omp::team* team = region.team.load(memory_order_acquire);
  // Only one thread creates it: hundreds of teams of hundreds would exhaust memory. Relaxed: the
  // claim publishes nothing else.
  if (team == nullptr && !region.team_claimed.exchange(true, memory_order_relaxed)) {
    team = &team_cache::instance().take(inner->size);
    // Release: pairs with the acquires in this function. Sequentially consistent: see
    // runtime/hot_team.hpp.
    region.team.store(team, memory_order_seq_cst);
    if (inner->threads != nullptr) {
      inner->threads->rouse();
    }
  }
  while (team == nullptr) {
    sched_yield();
    // Acquire: pairs with the release above, of the thread that creates the team.
    team = region.team.load(memory_order_acquire);
  }
  inner->team = team;
  inner->deque = inner->at_once ? nullptr : team->deque(inner->number);
  inner->recalls = team->recalls();
  return *team;
}

void thread::apply(control_variables* values) const noexcept {
  if (inner->applied == nullptr && inner->own_variables == nullptr) {
    inner->own_variables = control_variables::capture();
  }
  (values != nullptr ? values : inner->own_variables)->apply(inner->runtime_id);
  inner->applied = values;
}

// Captures the implicit task's own values before they change.
void thread::before_setting() const noexcept {
  if (inner->applied == nullptr && inner->own_variables == nullptr &&
      !running->is(task::kImplicit)) {
    inner->own_variables = control_variables::capture();
  }
}

void thread::after_setting() const noexcept {
  if (inner->at_once && running->is(task::kImplicit)) {
    return;  // its children run on this thread
  }
  control_variables* const now = control_variables::capture();
  if (running->variables != nullptr) {
    running->variables->release();
  }
  running->variables = now;
  running->flags |= task::kHasMore;
  inner->applied = now;
}

void dissolve(region& region) noexcept {
  // Relaxed: ordered by the end of the region in the runtime below.
  if (team* const team = region.team.load(memory_order_relaxed)) {
    team_cache::instance().give_back(*team);
  }
}

thread& thread::appear() noexcept {
  // The key's destructor runs when a thread ends.
  static const pthread_key_t key = [] {
    pthread_key_t made{};
    pthread_key_create(&made, [](void* ended) {
      slot() = nullptr;
      const std::lock_guard hold{list().mutex};
      auto* const its = static_cast<thread*>(ended);
      its->return_blocks();
      its->next_unused = list().unused;
      list().unused = its;
    });
    return made;
  }();
  thread* mine = nullptr;
  {
    const std::lock_guard hold{list().mutex};
    if (list().unused != nullptr) {
      mine = list().unused;
      list().unused = mine->next_unused;
    }
  }
  if (mine == nullptr) {
    // Relaxed: a number that orders nothing.
    static constinit atomic<std::uint32_t> threads{0};
    mine = new (std::nothrow) thread{threads.fetch_add(1, memory_order_relaxed) + 1};
    if (mine == nullptr) {
      end_without_memory("a thread");
    }
    const std::lock_guard hold{list().mutex};
    mine->next = list().all;
    list().all = mine;
  }
  mine->trace = fg::detail::trace_of_this_thread();
  pthread_setspecific(key, mine);
  slot() = mine;
  return *mine;
}

int count_threads() noexcept {
  int count = 0;
  const std::lock_guard hold{list().mutex};
  for (const thread* each = list().all; each != nullptr; each = each->next) {
    ++count;
  }
  for (const thread* each = list().unused; each != nullptr; each = each->next_unused) {
    --count;
  }
  return count;
}

totals count_all() noexcept {
  totals sum;
  const std::lock_guard hold{list().mutex};
  for (const thread* each = list().all; each != nullptr; each = each->next) {
    sum.regions += each->regions;
    sum.tasks += each->tasks;
  }
  return sum;
}

}  // namespace fg::omp
