#include "thread.hpp"

#include <pthread.h>
#include <sched.h>

#include <mutex>
#include <new>

#include "settings.hpp"
#include "task_details.hpp"
#include "team_cache.hpp"

namespace fg::omp {
namespace {

// All threads that ever were, and those of them that have ended.
struct thread_list {
  std::mutex mutex;
  thread* all = nullptr;
  thread* unused = nullptr;
};

thread_list& list() noexcept {
  // Outlives all threads. Without memory for it the program ends, as without any for a thread.
  static auto* const threads = new thread_list;  // NOLINT(bugprone-unhandled-exception-at-new)
  return *threads;
}

}  // namespace

thread::thread(std::uint32_t number) noexcept
    : id{number}, throttling{settings::instance().throttles()} {
  enter(root, root_region, 0, 1, -1);
}

void thread::enter(frame& part, region& place, std::size_t seat, std::size_t size,
                   int runtime_id) noexcept {
  part.outer = inner;
  part.place = &place;
  part.seat = seat;
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
  region& place = *inner->place;
  // Acquire, both: pairs with the release below, by which another thread publishes it.
  team* group = place.group.load(memory_order_acquire);
  // One thread makes it: hundreds of teams of hundreds would not have memory. Relaxed: who makes it
  // tells nothing else.
  if (group == nullptr && !place.team_claimed.exchange(true, memory_order_relaxed)) {
    group = &team_cache::instance().take(inner->size);
    place.group.store(group, memory_order_release);
  }
  while (group == nullptr) {
    sched_yield();
    // Acquire: pairs with the release above, of the thread that makes the team.
    group = place.group.load(memory_order_acquire);
  }
  inner->group = group;
  inner->deque = inner->at_once ? nullptr : group->deque(inner->seat);
  inner->recalls = group->recalls();
  return *group;
}

void dissolve(region& place) noexcept {
  // Relaxed: the end of the region, which the runtime below has brought about, orders it.
  if (team* const group = place.group.load(memory_order_relaxed)) {
    team_cache::instance().give_back(*group);
  }
}

thread& thread::appear() noexcept {
  // The key's destructor is how we learn that a thread ends.
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
    // Relaxed: a number.
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
