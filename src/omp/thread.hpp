// Record of a program's thread, and its part of each region that it is in.
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
struct thread;

/// The threads of a region, where they are ours and not those of a runtime below (runtime/).
class own_threads {
 public:
  /// Barrier of the region. Called on each of its threads, with none of its own tasks left.
  virtual void meet(thread& self) noexcept = 0;
  /// Wakes those that sleep in `meet`: from now on tasks may come, which they run meanwhile.
  virtual void rouse() noexcept = 0;

 protected:
  own_threads() = default;
  own_threads(const own_threads&) = delete;
  own_threads& operator=(const own_threads&) = delete;
  ~own_threads() = default;
};
namespace kmpc {
struct open_taskgraph;
}  // namespace kmpc
namespace runtime {
class hot_team;
class opened_regions;
struct implicit_part;
}  // namespace runtime

/// State that the threads of one parallel region share. Owned by the thread that opened the region;
/// read only when a thread creates a task or reaches a barrier.
struct region {
  /// Null until a thread creates a task or reaches a barrier.
  atomic<omp::team*> team{nullptr};
  /// For reduction(task, ...) on a parallel (0) or worksharing (1) construct.
  atomic<shared_reductions*> reductions[2]{};
  atomic<bool> team_claimed{false};  ///< a thread is creating the team
  atomic<bool> made_tasks{false};

  /// Resets it for another region, writing only what has changed. Requires: no thread is in it, and
  /// `dissolve` has been called. Relaxed throughout, like `dissolve`.
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
  /// Whether it is as it was made. Relaxed: asked by the only thread of a region.
  [[nodiscard]] bool is_untouched() const noexcept {
    return team.load(memory_order_relaxed) == nullptr &&
           reductions[0].load(memory_order_relaxed) == nullptr &&
           reductions[1].load(memory_order_relaxed) == nullptr;
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
  bool at_once = false;              ///< a team of one: tasks run when they are created
  bool expects_tasks = true;         ///< the region's threads meet at its end, to share tasks
  bool recalls = true;               ///< false: the team is known and does not use `listed`
  /// The values set in the runtime below, and those set there by the implicit task. Null: not
  /// known, because nothing has been set.
  control_variables* applied = nullptr;
  control_variables* own_variables = nullptr;
  /// Where the threads are ours: all of them, and what the runtime keeps of this one. Null in a
  /// region of a runtime below.
  own_threads* threads = nullptr;
  runtime::implicit_part* own = nullptr;
  task* suspended = nullptr;  ///< the task that the thread was running outside
  task implicit{};            ///< the thread's implicit task

  /// Whether the thread's part is as `enter` made it. Requires: it has created no task there.
  [[nodiscard]] bool is_untouched() const noexcept {
    return implicit.flags == task::kImplicit && implicit.group == nullptr && team == nullptr &&
           applied == nullptr && own_variables == nullptr;
  }
};

/// Children of another thread's task that have finished on this thread and have not been reported
/// to their parent yet: `count` is still to be subtracted from its `remote_children`. The parent's
/// runner keeps changing that line, so reporting each child took a thief 90 ns (2 CPUs of a Xeon,
/// model 207, floor 126 ns).
///
/// Kept only while the thread continues with other children of that task: a thread that waits for
/// the finished ones waits for the current one, too. See `report`.
struct unreported_children {
  task* parent = nullptr;     ///< null: none
  omp::team* team = nullptr;  ///< the team in which a thread may wait for them
  std::uint64_t count = 0;
};

/// A thread's record. On the heap and never freed, because tasks point to its memory after the
/// thread has ended; the next new thread takes it over. Only the thread itself uses it, except for
/// the side of `memory` that is for other threads.
struct thread {
  task* running = nullptr;    ///< never null between `enter` and `leave`
  frame* inner = nullptr;     ///< the innermost region; the outermost one is `root`
  bool in_runtime = false;    ///< in a call of the runtime below, which may call back
  std::uint32_t id = 0;       ///< from 1 on
  std::uint64_t tasks = 0;    ///< created so far
  std::uint64_t regions = 0;  ///< entered so far
  throttle throttling;
  task_memory memory;
  returned_tasks returned;
  unreported_children unreported;
  std::vector<task*> listed;  ///< see recall.hpp; those of outer regions first
  side_memory side;
  fg::detail::trace_log* trace = nullptr;  ///< of the system thread that uses this record now
  std::vector<dependence> items;           ///< of the depend clause being read
  region root_region;
  frame root;
  kmpc::open_taskgraph* taskgraphs =
      nullptr;                       ///< that the running task, or those suspended, are in
  runtime::hot_team* led = nullptr;  ///< our own threads that this one has opened regions with
  runtime::opened_regions* opened = nullptr;  ///< what it knows of those regions
  thread* next = nullptr;                     ///< in the list of all
  thread* next_unused = nullptr;              ///< in the list of records whose thread has ended

  explicit thread(std::uint32_t number) noexcept;
  thread(const thread&) = delete;
  thread& operator=(const thread&) = delete;

  /// Returns the calling thread's record once it has called `here`; otherwise null, for instance in
  /// a process in which the drop-in is passive.
  static thread* known() noexcept { return slot(); }
  /// Returns the calling thread's record. Constant time except for the first call on a thread.
  /// Requires: the drop-in is active.
  static thread& here() noexcept {
    thread* const mine = known();
    return mine != nullptr ? *mine : appear();
  }

  /// Begins the thread's part of a region, which `leave` ends. Requires: calls nest, and `part` is
  /// unchanged since its construction.
  void enter(frame& part, region& region, std::size_t number, std::size_t size,
             int runtime_id) noexcept;
  void leave() noexcept;
  /// The same for a part that the thread has left before, untouched.
  void enter_again(frame& part) noexcept {
    part.outer = inner;
    part.suspended = running;
    part.implicit.listed_below = static_cast<std::uint32_t>(listed.size());
    inner = &part;
    running = &part.implicit;
    ++regions;
  }
  void leave_untouched() noexcept {
    running = inner->suspended;
    inner = inner->outer;
  }

  /// Gives back the blocks of other threads that it has kept. Called before the thread idles or
  /// ends.
  void return_blocks() noexcept {
    returned.flush();
    side.flush();
  }

  /// Returns the team of the innermost region, creating it if necessary.
  team& join_team() noexcept { return inner->team != nullptr ? *inner->team : join_team_long(); }

  /// Sets these values in the runtime below; null: the implicit task's own values.
  void apply(control_variables* values) const noexcept;
  /// Called before and after a setter of the runtime below, in the running task.
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

/// Gives back the team of a region that has one. Called by the thread that opened the region, when
/// no thread is in it any more.
void dissolve(region& region) noexcept;

/// Regions and tasks of all threads so far. Approximate while they run.
struct totals {
  std::uint64_t regions = 0;
  std::uint64_t tasks = 0;
};
totals count_all() noexcept;
/// How many threads have a record of ours now.
int count_threads() noexcept;

}  // namespace fg::omp
