// A thread of the program, and its part of each region that it is in.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

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

class control_variables;
struct shared_reductions;

/// What the threads of one parallel region share. Owned by whoever opened the region; read only
/// when a thread makes a task or meets a barrier.
struct region {
  /// Null until a thread makes a task or meets a barrier.
  atomic<omp::team*> team{nullptr};
  /// Of reduction(task, ...) on a parallel (0) or worksharing (1) construct.
  atomic<shared_reductions*> reductions[2]{};
  atomic<bool> team_claimed{false};  ///< a thread is making the team
  atomic<bool> made_tasks{false};

  /// Makes it as new for another region, and writes only what has changed. Requires: no thread is
  /// in it, and `dissolve` has been called. Relaxed throughout: as `dissolve`.
  void renew() noexcept {
    const auto set_back = [](auto& field) {
      if (field.load(memory_order_relaxed)) {
        field.store({}, memory_order_relaxed);
      }
    };
    set_back(team);
    set_back(reductions[0]);
    set_back(reductions[1]);
    set_back(team_claimed);
    set_back(made_tasks);
  }
};

/// One thread's part of a region: its implicit task and its number in the team. On the thread's
/// stack, or on the heap for regions that two calls open and close.
struct frame {
  frame* outer = nullptr;
  omp::region* region = nullptr;
  omp::team* team = nullptr;         ///< null until needed: see `thread::join_team`
  deputised_deque* deque = nullptr;  ///< null: no team yet, its policy has none, or `at_once`
  std::size_t number = 0;            ///< of the thread in the team
  std::size_t size = 1;              ///< threads in the team
  int runtime_id = -1;               ///< LLVM's number of the thread; -1: not known
  bool at_once = false;              ///< a team of one: tasks run when they are made
  bool expects_tasks = true;         ///< the region's threads meet at its end, to share tasks
  bool recalls = true;               ///< false: the team is known, and has no use for `listed`
  /// What is set in the runtime below, and what was set there by the implicit task; null: not
  /// known, because nothing has been set.
  control_variables* applied = nullptr;
  control_variables* own_variables = nullptr;
  task* suspended = nullptr;  ///< what the thread was running outside
  task implicit{};            ///< the thread's implicit task
};

/// Children of one task of another thread that have finished here and that the task has not been
/// told of: `count` is to be subtracted from its `remote_children`. The task's runner keeps
/// changing that line, so telling it of each child took a thief 90 ns (2 CPUs of a Xeon, model 207,
/// floor 126 ns).
///
/// Kept no longer than the thread goes on with other children of that task: whoever waits for those
/// that have finished waits for this one, too. See `report`.
struct unreported_children {
  task* parent = nullptr;     ///< null: none
  omp::team* team = nullptr;  ///< in which a thread may wait for them
  std::uint64_t count = 0;
};

/// A thread's record. On the heap and never freed, because tasks point to its memory after the
/// thread has ended; the next new thread takes it over. Everything but the other side of `memory`:
/// the thread itself only.
struct thread {
  task* running = nullptr;    ///< never null between `enter` and `leave`
  frame* inner = nullptr;     ///< the innermost region; the outermost one is `root`
  bool in_runtime = false;    ///< inside a call of the runtime below, which may call back
  std::uint32_t id = 0;       ///< from 1 on
  std::uint64_t tasks = 0;    ///< made so far
  std::uint64_t regions = 0;  ///< entered so far
  throttle throttling;
  task_memory memory;
  returned_tasks returned;
  unreported_children unreported;
  std::vector<task*> listed;  ///< of recall.hpp, those of the outer regions first
  side_memory side;
  fg::detail::trace_log* trace = nullptr;  ///< of the system's thread that this is now
  std::vector<dependence> items;           ///< of the depend clause that is being read
  region root_region;
  frame root;
  thread* next = nullptr;         ///< in the list of all
  thread* next_unused = nullptr;  ///< in the list of those whose thread has ended

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

  /// Begins the thread's part of a region, which `leave` ends. Requires: nested; `part` as it was
  /// made.
  void enter(frame& part, region& region, std::size_t number, std::size_t size,
             int runtime_id) noexcept;
  void leave() noexcept;

  /// Gives back the blocks of other threads that it has kept. Before it idles or ends.
  void return_blocks() noexcept {
    returned.flush();
    side.flush();
  }

  /// The team of the innermost region.
  team& join_team() noexcept { return inner->team != nullptr ? *inner->team : join_team_long(); }

  /// Sets these values in the runtime below; null: the implicit task's own.
  void apply(control_variables* values) const noexcept;
  /// To be called before and after a setter of the runtime below, in the running task.
  void before_setting() const noexcept;
  void after_setting() const noexcept;

 private:
  static thread*& slot() noexcept {
    constinit static thread_local thread* mine = nullptr;
    return mine;
  }
  static thread& appear() noexcept;
  team& join_team_long() const noexcept;
};

/// Gives back the team of a region that has one. Whoever opened the region, when no thread is in it
/// any more.
void dissolve(region& region) noexcept;

/// Regions and tasks of all threads so far. A guess while they run.
struct totals {
  std::uint64_t regions = 0;
  std::uint64_t tasks = 0;
};
totals count_all() noexcept;

}  // namespace fg::omp
