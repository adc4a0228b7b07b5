// A thread of the program, as the drop-in sees it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "control_variables.hpp"
#include "dependences.hpp"
#include "finegrain/core/atomic.hpp"
#include "finegrain/queue/private_deque.hpp"
#include "finegrain/trace/trace.hpp"
#include "side_memory.hpp"
#include "task.hpp"
#include "task_memory.hpp"
#include "team.hpp"
#include "throttle.hpp"

namespace fg::omp {

struct shared_reductions;

/// What the threads of one parallel region share. Lies with whoever opened the region; looked into
/// only when a thread makes a task or meets a barrier.
struct region {
  /// Null until a thread makes a task or meets a barrier.
  atomic<team*> group{nullptr};
  /// Of reduction(task, ...) on a parallel (0) or worksharing (1) construct.
  atomic<shared_reductions*> reductions[2]{};
  atomic<bool> team_claimed{false};  ///< a thread makes it
  atomic<bool> made_tasks{false};

  /// Makes it as new, for another region; what is so is not written. Requires: no thread is in it,
  /// and `dissolve` has been called. Relaxed throughout: as `dissolve`.
  void renew() noexcept {
    const auto set_back = [](auto& field) {
      if (field.load(memory_order_relaxed)) {
        field.store({}, memory_order_relaxed);
      }
    };
    set_back(group);
    set_back(reductions[0]);
    set_back(reductions[1]);
    set_back(team_claimed);
    set_back(made_tasks);
  }
};

/// One thread's part of a region: its implicit task and its place in the team. On its stack, or for
/// regions that are opened and closed by two calls, on the heap.
struct frame {
  frame* outer = nullptr;
  region* place = nullptr;
  team* group = nullptr;             ///< null until needed: see `thread::join_team`
  deputised_deque* deque = nullptr;  ///< null: no team yet, its policy has none, or `at_once`
  std::size_t seat = 0;              ///< number in the team
  std::size_t size = 1;              ///< threads in it
  int runtime_id = -1;               ///< LLVM's number of the thread; -1: not known
  bool at_once = false;              ///< a team of one: tasks run when they are made
  bool expects_tasks = true;         ///< the region: its threads meet at its end, to share tasks
  bool recalls = true;               ///< false: the team is known, and has no use for `listed`
  /// What is in the runtime below now, and what was when it was the implicit task's; null: not
  /// known, because nothing was set.
  control_variables* applied = nullptr;
  control_variables* own_variables = nullptr;
  task* suspended = nullptr;  ///< what the thread was running outside
  task implicit{};            ///< as a task that nobody has made is
};

/// Children of one task that another thread runs, as far as they have finished here and that task
/// has not been told: `count` is to be subtracted from its `remote_children`. The word lies beside
/// what its runner changes all the time, so that a thief who told it of each child took 90 ns for
/// that (2 CPUs of a Xeon, model 207, floor 126 ns).
///
/// Kept back no longer than the thread goes on with other children of that task: whoever waits for
/// those that have finished waits for this one, too. See `report`.
struct unreported_children {
  task* parent = nullptr;  ///< null: none
  team* group = nullptr;   ///< where somebody may wait for them
  std::uint64_t count = 0;
};

/// Lives on the heap, for ever: tasks point to its memory after the thread has ended. The next new
/// thread gets it then. Everything but the other side of `memory`: the thread itself only.
struct thread {
  task* running = nullptr;    ///< never null between `enter` and `leave`
  frame* inner = nullptr;     ///< the innermost region; the outermost one is `root`
  bool in_runtime = false;    ///< inside a call of the runtime below, which may call back
  std::uint32_t id = 0;       ///< from 1 on
  std::uint64_t tasks = 0;    ///< made, also for the last line under FINEGRAIN_OMP_VERBOSE
  std::uint64_t regions = 0;  ///< entered
  throttle throttling;
  task_memory memory;
  returned_tasks returned;
  unreported_children unreported;
  std::vector<task*> listed;  ///< of recall.hpp, those of the outer regions below
  side_memory side;
  fg::detail::trace_log* trace = nullptr;  ///< of the system's thread that this is now
  std::vector<dependence> items;           ///< of the depend clause that is being read
  region root_region;
  frame root;
  thread* next = nullptr;         ///< of the list of all
  thread* next_unused = nullptr;  ///< of those whose thread has ended

  explicit thread(std::uint32_t number) noexcept;
  thread(const thread&) = delete;
  thread& operator=(const thread&) = delete;

  /// The calling thread's, once it has called `here`; otherwise null, as in a process that the
  /// drop-in leaves alone.
  static thread* known() noexcept { return slot(); }
  /// The calling thread's. Constant time but for the first call on a thread. Requires: the drop-in
  /// is active.
  static thread& here() noexcept {
    thread* const mine = known();
    return mine != nullptr ? *mine : appear();
  }

  /// Begins to be part of a region, `leave` ends it. Requires: nested; `part` as it was made.
  void enter(frame& part, region& place, std::size_t seat, std::size_t size,
             int runtime_id) noexcept;
  void leave() noexcept;

  /// Gives back the blocks of others that it has kept. Before it idles or ends.
  void return_blocks() noexcept {
    returned.flush();
    side.flush();
  }

  /// The team of the innermost region.
  team& join_team() noexcept { return inner->group != nullptr ? *inner->group : join_team_long(); }

 private:
  static thread*& slot() noexcept {
    constinit static thread_local thread* mine = nullptr;
    return mine;
  }
  static thread& appear() noexcept;
  team& join_team_long() const noexcept;
};

/// Gives the team of a region back, if it got one. Whoever has opened the region, when no thread is
/// in it any more.
void dissolve(region& place) noexcept;

/// Regions and tasks of all threads so far. A guess while they run.
struct totals {
  std::uint64_t regions = 0;
  std::uint64_t tasks = 0;
};
totals count_all() noexcept;

}  // namespace fg::omp
