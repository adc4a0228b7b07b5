// One thread of a pool, as its tasks see it.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <thread>
#include <utility>

#include "finegrain/controller/round_trip_meter.hpp"
#include "finegrain/core/atomic.hpp"
#include "finegrain/core/cache_line.hpp"
#include "finegrain/core/clock.hpp"
#include "finegrain/core/frame_address.hpp"
#include "finegrain/pool/arena.hpp"
#include "finegrain/pool/assigned_tasks.hpp"
#include "finegrain/pool/help_room.hpp"
#include "finegrain/pool/posted_tasks.hpp"
#include "finegrain/pool/task_blocks.hpp"
#include "finegrain/pool/worker_pauses.hpp"
#include "finegrain/queue/private_deque.hpp"
#include "finegrain/task/pool_task.hpp"
#include "finegrain/thread/this_thread.hpp"
#include "finegrain/trace/trace.hpp"
#include "finegrain/wait/spin_meter.hpp"
#include "finegrain/wait/wait.hpp"

namespace fg::inline FINEGRAIN_ABI {

class pool;
namespace detail {
class presence;
}

/// What a worker has done. Read while nothing runs in the pool.
struct worker_counters {
  std::uint64_t tasks = 0;  ///< taken from a queue and run, own or others'
  /// Run at once instead of being pushed: queue full, stack deep, or too short to share.
  std::uint64_t inlined = 0;
  std::uint64_t steals = 0;  ///< tasks taken from other workers
  std::uint64_t sleeps = 0;
  std::uint64_t spun_ns = 0;  ///< looking for tasks: looks times the measured time of a look
  /// CPU time of its thread without `spun_ns`; 0 for all but the pool's own threads.
  std::uint64_t worked_ns = 0;
};

/// A worker: its own deque, its memory for tasks, and the loops that wait and help. All functions
/// are for the worker's own thread.
///
/// ## The short path
/// A spawn has to cost about as much as a call. So the default policy's deque is a member of the
/// worker, and `try_push` and `try_pop` use it without a call. Under every other policy the deque
/// always refuses, as it does after a request of a thief, and the long path, `push`, goes to the
/// policy.
///
/// ## Bounded helping
/// A worker that waits runs other tasks meanwhile. These may wait in turn, so its stack grows. When
/// a quarter of its thread's stack is used (help_room.hpp), the tasks that it helps with run in
/// *serial mode*: what they spawn runs at once, so they never wait. Therefore a worker that waits
/// may always help, which excludes deadlock, and the stack holds no more than the bound and one
/// task run serially. If such a task waits after all, for something that was begun elsewhere, it
/// takes nothing from others.
///
/// ## Regions
/// A *region* is what one call of `run`, one posted task or one `isolate` spawns. A worker that
/// waits within a task takes only tasks of its current region: others may need what the waiting
/// task holds, for example a lock, or take far longer than what it waits for. A worker between two
/// tasks takes any task, and is in that task's region then. Under policies that do not distinguish
/// regions (`balancing_policy::uses_own_deques`) all tasks are of one region, and what is isolated
/// runs serially.
///
/// ## Posted tasks
/// Only one of the pool's own threads that is between two tasks runs them (`serve_until`), and the
/// spare thread: see arena.
class alignas(kCacheLineBytes) worker {
 public:
  enum class pushed {
    own_deque,  ///< `try_pop` or `take_back` gets it unless another worker has taken it
    policy,     ///< somewhere; it comes back through `help` if at all
    nowhere     ///< the caller has to run it now
  };

  worker(detail::arena& shared, std::size_t id) noexcept
      : home_{shared.home}, shared_{shared}, id_{id}, pauses_{shared.spin_budget_ticks} {}
  worker(const worker&) = delete;
  worker& operator=(const worker&) = delete;

  /// The worker that the calling thread is now, null if it is none.
  static worker* current() noexcept { return slot(); }

  [[nodiscard]] std::size_t id() const noexcept { return id_; }
  [[nodiscard]] pool& home() const noexcept { return *home_; }
  [[nodiscard]] detail::task_blocks& blocks() noexcept { return blocks_; }
  /// Keeps a block of another worker, which gets it back before this one idles.
  void keep_for(worker& maker, void* block) noexcept { returned_.add(maker.blocks_, block); }
  [[nodiscard]] detail::private_deque& deque() noexcept { return deque_; }
  /// From other threads: as `pool::counters`, but without `worked_ns`: a worker knows no thread.
  [[nodiscard]] worker_counters counters() const noexcept {
    return {.tasks = tasks_,
            .inlined = inlined_,
            .steals = steals_,
            // Relaxed: a count, which orders nothing.
            .sleeps = sleeps_.load(memory_order_relaxed),
            .spun_ns = static_cast<std::uint64_t>(to_ns(1) * meter_.spun_ticks())};
  }
  /// True while spawned tasks have to run at once.
  [[nodiscard]] bool is_serial() const noexcept { return serial_; }
  /// Whether it is one of the pool's own threads: neither the spare one nor a caller.
  [[nodiscard]] bool is_own_thread() const noexcept { return id_ - 1 < shared_.threads; }

  // ---- pushing and popping ----

  /// The short path; false: `push` has to be called.
  bool try_push(pool_task& task) noexcept { return deque_.push_unless_asked(task); }
  /// The short path; false: `take_back` has to be called. True: the caller runs the task.
  bool try_pop(const pool_task& task) noexcept { return deque_.pop_unless_asked(task); }

  /// The long path.
  pushed push(pool_task& task) noexcept {
    if (serial_ || !policy_->push(id_, task)) {
      ++inlined_;
      return pushed::nowhere;
    }
    return uses_own_deque_ ? pushed::own_deque : pushed::policy;
  }

  /// Whether it can reserve tasks: under the default policy.
  [[nodiscard]] bool may_reserve() const noexcept { return uses_own_deque_; }
  /// Pushes a task that others leave to this worker for some microseconds. False: call `push`.
  bool push_reserved(pool_task& task) noexcept {
    return deque_.push_if_reserved(task) || policy_->push_reserved(id_, task);
  }

  /// Pushes a task that no thread here waits for. False: it has to run now, and nothing happened.
  bool offer(pool_task& task) noexcept {
    return try_push(task) || (!serial_ && policy_->push(id_, task));
  }

  /// Leaves `task` to worker `id` of this pool, which runs it when it has none of its own left.
  void assign(std::size_t id, detail::assigned_task& task) noexcept {
    task.region = deque_.region();
    shared_.workers[id]->assigned_.put(task);
    if (shared_.idle.any_after_publishing()) {
      shared_.idle.wake(id);
    }
  }

  /// Waits until `task`, pushed by this worker, is its own again (true: the caller runs it), or
  /// `done()`. Helps with other tasks meanwhile.
  template <class Done>
  bool take_back(const pool_task& task, Done done) noexcept {
    while (uses_own_deque_) {
      pool_task* const newest = policy_->pop(id_);
      if (newest == &task) {
        return true;
      }
      if (newest == nullptr) {
        break;  // stolen: thieves take the oldest first, so all older ones are gone, too
      }
      run(*newest);
    }
    help_until(done);
    return false;
  }

  /// Takes back `task`, last pushed into this worker's own deque, at once. False: another has it.
  [[nodiscard]] bool take_back_at_once(const pool_task& task) noexcept {
    return policy_->pop(id_) == &task;
  }

  /// True if a task pushed now would soon be taken, as far as the policy can tell: under the
  /// default one, if another worker has asked for work. The others always return true.
  [[nodiscard]] bool wants_tasks() const noexcept {
    return !serial_ && (!uses_own_deque_ || deque_.was_asked());
  }
  /// True if there are other workers, which may take what is pushed.
  [[nodiscard]] bool has_others() const noexcept {
    return !serial_ && shared_.idle.numbers_in_use() > 1;
  }
  /// True if a branch pushed now would be the oldest task here, for others to take at once. Only
  /// under the default policy.
  [[nodiscard]] bool would_offer_next() const noexcept {
    return uses_own_deque_ && has_others() && deque_.is_empty_in_region();
  }
  /// True if a worker sleeps, or did a moment ago: what is pushed then may cost a wake-up.
  [[nodiscard]] bool any_sleeps_guess() const noexcept { return shared_.idle.any_guess(); }
  /// Wakes one sleeper, if there is one, which costs a system call.
  void wake_one() noexcept { shared_.idle.wake_one(); }
  /// True if all of the pool's own threads sleep, or did a moment ago.
  [[nodiscard]] bool all_sleep_guess() const noexcept {
    return shared_.idle.asleep_guess() >= shared_.threads;
  }
  /// What it costs to have a branch run by another worker, in ticks.
  [[nodiscard]] detail::round_trip_meter& steal_meter() noexcept { return steal_meter_; }
  /// Counts a task that was run at once without being offered to other workers.
  void count_inlined() noexcept { ++inlined_; }

  // ---- waiting ----

  /// Runs tasks until `done()`. The completing thread calls `tell_waiting` afterwards. If its
  /// effects are to be seen, `done` reads with acquire what the completion releases.
  template <class Done>
  void help_until(Done done) noexcept {
    serve<within_a_task>(done);
  }

  /// Runs tasks like `help_until` until `done()`, or until none is within reach.
  template <class Done>
  void run_tasks_within_reach(Done done) noexcept {
    while (!done() && look<within_a_task, true>()) {
    }
  }

  /// Runs the tasks that no other worker can take, or that lie in this one's queues.
  void run_own_tasks() noexcept {
    while (pool_task* const task = own_task<between_tasks>()) {
      run(*task);
    }
  }

  /// The main loop of an own thread: runs tasks, posted ones too, until `done()`, which carries no
  /// data; `idle_workers::wake_all` wakes a sleeper for it. `end_together` has to follow.
  template <class Done>
  void serve_until(Done done) noexcept {
    serve<between_tasks>(done);
  }

  /// From now on this worker looks for posted tasks, if it is one of the own threads.
  void look_out() noexcept {
    if (!looks_out_ && is_own_thread()) {
      looks_out_ = true;
      shared_.watch.look_out(id_ - 1);
    }
  }

  /// After the pool's end has begun: runs tasks with all others until none is left (joint_end).
  void end_together() noexcept {
    spin_wait<> idle;
    while (!shared_.end.is_over()) {
      if (look<between_tasks, true>()) {
        idle = {};
      } else if (shared_.any_task_guess()) {
        // A task is out of reach, and no thread tells when it is taken: must not rest before.
        if (rest(idle) && has_looked_for_budget(idle)) {
          std::this_thread::sleep_for(kBetweenLooksInTheEnd);
        }
      } else if (shared_.end.rest()) {
        shared_.wake_all();
      } else {
        wait_for_task_or_end();
      }
    }
  }

  // ---- elsewhere ----

  /// The thread ends working here, works in another pool, or waits for one, until `come_back`:
  /// others may take what lies in this worker's queues, and a notice is posted for it. Linear in
  /// the workers. Requires: it is not away.
  void go_away() noexcept {
    if (uses_own_deque_ && !deque_.has_task()) [[likely]] {
      return;
    }
    is_away_ = true;
    if (policy_->leave(id_)) {
      shared_.left.post_notice();
    }
  }
  /// Waits while another thread takes a task in its place.
  void come_back() noexcept {
    if (std::exchange(is_away_, false)) {
      policy_->come_back(id_);
    }
  }

  // ---- regions ----

  /// While this object lives, what the worker spawns is a region of its own, and while it waits it
  /// runs only tasks of that region.
  class new_region {
   public:
    explicit new_region(worker& self) noexcept : self_{self}, was_serial_{self.serial_} {
      self.deque_.begin_region(aside_, self.fresh_region());
      if (!self.uses_own_deque_) {
        self.set_serial(true);
      }
    }
    ~new_region() {
      self_.set_serial(was_serial_);
      self_.deque_.end_region(aside_);
    }
    new_region(const new_region&) = delete;
    new_region& operator=(const new_region&) = delete;

   private:
    worker& self_;
    bool was_serial_;
    detail::private_deque::put_aside aside_;
  };

  /// What the worker runs from now on is a region of its own. Requires: it has no task.
  void begin_root() noexcept {
    shared_.idle.use_number(id_);
    deque_.set_region(fresh_region());
  }

  /// To be called after a completion that another worker may wait for.
  void tell_waiting() noexcept {
    if (shared_.idle.any_after_publishing()) [[unlikely]] {
      shared_.idle.wake_waiting();
    }
  }

  /// The log in which the tasks of this worker are recorded; null: none.
  void use_trace(detail::trace_log* log) noexcept { trace_ = log; }

  /// The policy for its tasks, and whether that uses the workers' deques. Before the first push.
  void use_policy(detail::balancer& policy, bool use) noexcept {
    policy_ = &policy;
    uses_own_deque_ = use;
    if (!use) {
      deque_.refuse_fast_path();
    }
  }

 private:
  friend class detail::presence;

  // The situation in which a worker looks for work.
  enum where : std::uint8_t {
    within_a_task,  ///< which waits for something to finish
    between_tasks   ///< an own thread, or the one that ends the pool: it runs posted tasks, too
  };

  // For when others take so long that this worker should sleep: costs a thousandth of a CPU.
  static constexpr std::chrono::milliseconds kBetweenLooksInTheEnd{1};

  static worker*& slot() noexcept {
    constinit static thread_local worker* present = nullptr;
    return present;
  }

  // Used by this worker only, so no read-modify-write. 2^47 of them; 0 is no region.
  detail::region_id fresh_region() noexcept {
    return uses_own_deque_ ? (++regions_ << 17U) + id_ : 0;
  }

  // The calling thread is this worker from here on: sets how far down its stack it may help.
  FINEGRAIN_ALWAYS_INLINE void begin_stack() noexcept {
    stack_base_ = detail::frame_address();
    help_bytes_ =
        detail::help_room(detail::stack_of_this_thread(), stack_base_, shared_.most_help_bytes);
  }

  void set_serial(bool serial) noexcept {
    serial_ = serial;
    if (serial) {
      deque_.refuse_fast_path();  // until the next `push` without it
    }
  }

  // Also true if a task has switched to its own stack, above or below, whose end is unknown: then
  // the difference exceeds any room.
  [[nodiscard]] FINEGRAIN_ALWAYS_INLINE bool is_deep() const noexcept {
    return stack_base_ - detail::frame_address() > help_bytes_;
  }

  void run(pool_task& task) noexcept {
    ++tasks_;
    if (!serial_ && is_deep()) [[unlikely]] {
      set_serial(true);
      task.run();
      set_serial(false);
    } else {
      task.run();
    }
  }

  // A task that no other worker can take, or that lies in this one's queues.
  template <where Where>
  pool_task* own_task() noexcept {
    if (pool_task* const own = policy_->pop(id_)) {
      return own;
    }
    detail::assigned_task* const assigned = assigned_.take(takes<Where>());
    if (assigned != nullptr) {
      deque_.set_region(assigned->region);
    }
    return assigned;
  }

  template <where Where>
  pool_task* steal() noexcept {
    if (serial_) {
      return nullptr;
    }
    pool_task* const stolen =
        Where == within_a_task ? policy_->steal(id_) : policy_->steal_any(id_);
    if (stolen != nullptr) {
      ++steals_;
    }
    return stolen;
  }

  template <where Where>
  [[nodiscard]] detail::region_id takes() const noexcept {
    return Where == within_a_task ? deque_.region() : detail::kAnyRegion;
  }

  template <bool Traced>
  void run_traced(pool_task& task, const detail::span_kind& kind) noexcept {
    if constexpr (Traced || detail::kHasZones) {
      const detail::library_span span{trace_, kind};
      run(task);
    } else {
      run(task);
    }
  }

  template <where Where, class Done>
  void serve(Done done) noexcept {
    if (trace_ == nullptr) [[likely]] {
      serve_tasks<Where, false>(done);
    } else {
      serve_tasks<Where, true>(done);
    }
  }

  template <where Where, bool Traced, class Done>
  void serve_tasks(Done& done) noexcept {
    spin_wait<> idle;
    while (!done()) {
      if (look<Where, Traced>()) {
        idle = {};
      } else if (rest(idle) && has_looked_enough<Where>(idle)) {
        // What others had reserved counts as found: each such group would have to wake a sleeper.
        Where == between_tasks && policy_->has_seen_reserved(id_) ? pauses_.found_task(ticks())
                                                                  : sleep<Where>(done);
        idle = {};
      }
    }
  }

  // Runs one task, if there is one within reach.
  template <where Where, bool Traced>
  FINEGRAIN_ALWAYS_INLINE bool look() noexcept {
    const std::uint64_t steals_before = steals_;
    pool_task* task = own_task<Where>();
    if constexpr (Where == between_tasks) {
      if (task == nullptr && run_posted<Traced>(task_priority::high)) {
        return true;
      }
    }
    if (task == nullptr) {
      task = steal<Where>();
    }
    if (task != nullptr) {
      stop_looking<Where>();
      run_traced<Traced>(*task,
                         steals_ != steals_before ? detail::stolen_task_span : detail::task_span);
      return true;
    }
    if constexpr (Where == between_tasks) {
      if (run_posted<Traced>(task_priority::background)) {
        return true;
      }
      look_out();
    }
    return false;
  }

  // Runs one posted task of at least this priority, if there is one. Requires: it has no task of
  // its own left, which would be of another region.
  template <bool Traced>
  bool run_posted(task_priority least) noexcept {
    if (!shared_.posted.has_work_guess()) [[likely]] {
      return false;
    }
    pool_task* const task = shared_.posted.take(least);
    if (task == nullptr) {
      return false;
    }
    stop_looking<between_tasks>();
    begin_root();
    run_traced<Traced>(*task, detail::posted_task_span);
    return true;
  }

  // Called when it has found a task.
  template <where Where>
  void stop_looking() noexcept {
    if constexpr (Where == between_tasks) {
      if (looks_out_) {
        looks_out_ = false;
        if (pauses_.is_pause()) {
          pauses_.found_task(ticks());
        }
        shared_.stop_looking(id_);
      }
    }
  }

  // Between two looks for work. True: `idle` has read the clock.
  FINEGRAIN_NOINLINE bool rest(spin_wait<>& idle) noexcept {
    returned_.flush();
    shared_.wait();
    meter_.add_looks(1);
    if (!idle.count_look()) [[likely]] {
      return false;
    }
    if (idle.span_ticks() != 0) {
      meter_.add_timed(spin_wait<>::kLooksPerClockRead, idle.span_ticks());
    }
    return true;
  }

  // Called after a clock read without a task. True: it should sleep.
  //
  // Between tasks its pauses tell how long to look. Within a task it looks for the whole budget: as
  // long as a worker sleeps there, each end of a stolen task in the pool costs a system call that
  // wakes it (`tell_waiting`), and then it is late for a join.
  template <where Where>
  [[nodiscard]] bool has_looked_enough(const spin_wait<>& idle) noexcept {
    if constexpr (Where == between_tasks) {
      return shared_.wait.sleeps_by_itself() &&
             pauses_.has_looked_enough(idle.now() - idle.waited_ticks(), idle.now());
    } else {
      return has_looked_for_budget(idle);
    }
  }

  [[nodiscard]] bool has_looked_for_budget(const spin_wait<>& idle) const noexcept {
    return shared_.wait.sleeps_by_itself() && idle.waited_ticks() > shared_.spin_budget_ticks;
  }

  template <where Where, class Done>
  FINEGRAIN_NOINLINE void sleep(Done& done) noexcept {
    [[maybe_unused]] const bool slept =
        sleep_unless<Where>([&] { return done() || has_work_guess<Where>(); });
    if constexpr (Where == between_tasks) {
      slept ? pauses_.was_woken(ticks()) : pauses_.found_task(ticks());
    }
  }

  // The worker rests, having found nothing to do. Waits until there is a task, or it is over.
  FINEGRAIN_NOINLINE void wait_for_task_or_end() noexcept {
    const auto is_over_or_has_work = [this] {
      return shared_.end.is_over() || has_work_guess<between_tasks>();
    };
    spin_wait<> looks;
    while (!is_over_or_has_work()) {
      if (rest(looks) && has_looked_for_budget(looks)) {
        sleep_unless<between_tasks>(is_over_or_has_work);
      }
    }
    if (!shared_.end.is_over()) {
      shared_.end.work_again();
    }
  }

  // Whether a look may find a task.
  template <where Where>
  [[nodiscard]] bool has_work_guess() noexcept {
    return assigned_.has_task(takes<Where>()) ||
           (Where == within_a_task
                ? policy_->has_work_guess(id_)
                : policy_->has_any_work_guess(id_) || shared_.posted.has_work_guess());
  }

  // True if it slept.
  template <where Where, class FoundWork>
  bool sleep_unless(FoundWork found_work) noexcept {
    // Relaxed, both: a count, of which this thread is the only writer.
    sleeps_.store(sleeps_.load(memory_order_relaxed) + 1, memory_order_relaxed);
    const detail::library_span span{trace_, detail::sleep_span};
    return shared_.idle.sleep_in_region(takes<Where>(), id_, Where == within_a_task, found_work);
  }

  detail::private_deque deque_;
  pool* home_;
  detail::arena& shared_;
  detail::balancer* policy_ = nullptr;
  std::size_t id_;
  bool uses_own_deque_ = true;
  bool serial_ = false;
  bool looks_out_ = false;
  bool is_away_ = false;
  std::uintptr_t stack_base_ = 0;
  std::size_t help_bytes_ = 0;
  std::uint64_t tasks_ = 0;
  std::uint64_t inlined_ = 0;
  std::uint64_t steals_ = 0;
  std::uint64_t regions_ = 0;
  detail::spin_meter meter_;
  detail::round_trip_meter steal_meter_;
  detail::worker_pauses pauses_;
  atomic<std::uint64_t> sleeps_{0};     // others may look while this worker falls asleep
  detail::trace_log* trace_ = nullptr;  // of the thread that this worker is now
  detail::task_blocks blocks_;
  detail::assigned_tasks assigned_;
  detail::returned_blocks returned_;
};

}  // namespace fg::inline FINEGRAIN_ABI
