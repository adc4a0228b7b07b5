// One thread of a pool, as its tasks see it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "finegrain/core/atomic.hpp"
#include "finegrain/core/cache_line.hpp"
#include "finegrain/core/chosen_wait.hpp"
#include "finegrain/core/clock.hpp"
#include "finegrain/core/spin_meter.hpp"
#include "finegrain/core/trace.hpp"
#include "finegrain/core/wait.hpp"
#include "finegrain/pool/assigned_tasks.hpp"
#include "finegrain/pool/balancer.hpp"
#include "finegrain/pool/inbox.hpp"
#include "finegrain/pool/returned_blocks.hpp"
#include "finegrain/pool/task_blocks.hpp"
#include "finegrain/queue/private_deque.hpp"
#include "finegrain/task/pool_task.hpp"

namespace fg {

class pool;
class worker;

/// What the workers of a pool have in common.
struct pool_shared {
  pool_shared(std::size_t worker_count, std::size_t stack_bytes, chosen_wait between_looks,
              std::uint64_t spin_ticks)
      : idle{worker_count},
        help_stack_bytes{stack_bytes},
        wait{between_looks},
        spin_budget_ticks{spin_ticks} {}

  idle_workers idle;
  inbox posted;
  atomic<std::size_t> unfinished_posts{0};  // more than `posted` holds: those that run, too
  balancer* policy = nullptr;
  std::vector<worker*> workers;  // by number
  std::size_t help_stack_bytes;
  chosen_wait wait;
  std::uint64_t spin_budget_ticks;
  atomic<bool> stop{false};
};

/// What a worker has done. Read while nothing runs in the pool.
struct worker_counters {
  std::uint64_t tasks = 0;    ///< taken from a queue and run, own or others'
  std::uint64_t inlined = 0;  ///< run at once instead of being pushed: queue full, or stack deep
  std::uint64_t steals = 0;   ///< tasks got from other workers
  std::uint64_t sleeps = 0;
  std::uint64_t spun_ns = 0;  ///< looking for tasks: looks times the measured time of a look
  /// CPU time of its thread without `spun_ns`. Of worker 0, whose threads are the callers of `run`:
  /// 0.
  std::uint64_t worked_ns = 0;
};

/// A worker: its own deque, its memory for tasks, and the loops that wait and help. All functions
/// are for the worker's own thread.
///
/// ## The short way
/// A spawn has to cost about as much as a call. So the deque of the default policy lies here, and
/// `try_push` and `try_pop` touch it without a call. Under every other policy the deque refuses
/// always, as it does when a thief has asked, and the long way, `push`, goes to the policy.
///
/// ## Bounded helping
/// A worker that waits runs other tasks meanwhile, which may wait in their turn: its stack grows.
/// Beyond `help_stack_bytes` the tasks that it helps with run in *serial mode*: what they spawn
/// runs at once, so they never wait. A worker that waits may therefore always help, which excludes
/// deadlock, and the stack holds no more than the bound and one task run serially.
class alignas(kCacheLineBytes) worker {
 public:
  enum class pushed {
    own_deque,  ///< `try_pop` or `take_back` gets it if nobody was faster
    policy,     ///< somewhere; it comes back through `help` if at all
    nowhere     ///< the caller has to run it now
  };

  worker(pool& home, pool_shared& shared, std::size_t id) noexcept
      : home_{&home}, shared_{shared}, id_{id} {}
  worker(const worker&) = delete;
  worker& operator=(const worker&) = delete;

  /// The worker that the calling thread is now, null if it is none.
  static worker* current() noexcept { return slot(); }

  [[nodiscard]] std::size_t id() const noexcept { return id_; }
  [[nodiscard]] pool& home() const noexcept { return *home_; }
  [[nodiscard]] task_blocks& blocks() noexcept { return blocks_; }
  /// For a block of another worker's, which gets it back before this one idles.
  void keep_for(worker& maker, void* block) noexcept { returned_.add(maker.blocks_, block); }
  [[nodiscard]] private_deque& deque() noexcept { return deque_; }
  /// On other threads: as `pool::counters`. But for `worked_ns`: it knows no thread.
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

  // ---- pushing and popping ----

  /// The short way; false: `push` has to be called.
  bool try_push(pool_task& task) noexcept { return deque_.push_unless_asked(task); }
  /// The short way; false: `take_back` has to be called. True: the caller runs the task.
  bool try_pop(const pool_task& task) noexcept { return deque_.pop_unless_asked(task); }

  /// The long way.
  pushed push(pool_task& task) noexcept {
    if (serial_ || !shared_.policy->push(id_, task)) {
      ++inlined_;
      return pushed::nowhere;
    }
    return uses_own_deque_ ? pushed::own_deque : pushed::policy;
  }

  /// Pushes a task for which nobody here waits. False: it would have to run now, and nothing
  /// happened.
  bool offer(pool_task& task) noexcept {
    return try_push(task) || (!serial_ && shared_.policy->push(id_, task));
  }

  /// Leaves `task` to worker `id` of this pool, which runs it when it has none of its own left.
  void assign(std::size_t id, pool_task& task) noexcept {
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
      pool_task* const newest = shared_.policy->pop(id_);
      if (newest == &task) {
        return true;
      }
      if (newest == nullptr) {
        break;  // stolen: thieves take the oldest first, so all that was below is gone, too
      }
      run(*newest);
    }
    help_until(done);
    return false;
  }

  /// True when a task pushed now would find a taker soon, as far as the policy tells: with the
  /// default one, when somebody has asked for work. The others say yes always.
  [[nodiscard]] bool wants_tasks() const noexcept {
    return !serial_ && (!uses_own_deque_ || deque_.was_asked());
  }
  /// A task that was run at once without being offered to anybody.
  void count_inlined() noexcept { ++inlined_; }

  // ---- waiting ----

  /// Runs tasks until `done()`, which reads with acquire what somebody else's completion releases
  /// where its effects are to be seen; whoever completes it calls `tell_waiting` then.
  template <class Done>
  void help_until(Done done) noexcept {
    serve(done, true);
  }

  /// Runs what no other worker can take, or what lies in this one's queues.
  void run_own_tasks() noexcept {
    while (pool_task* const task = own_task()) {
      run(*task);
    }
  }

  /// The life of a worker without a caller: runs tasks until the pool stops.
  void serve_until_stopped() noexcept {
    // Relaxed: it carries no data; a worker that sleeps sees it behind the fences of idle_workers.
    serve([this] { return shared_.stop.load(memory_order_relaxed); }, false);
  }

  /// To be called after something was completed that another worker may wait for.
  void tell_waiting() noexcept {
    if (shared_.idle.any_after_publishing()) [[unlikely]] {
      shared_.idle.wake_waiting();
    }
  }

  /// The calling thread is this worker while this lives. `serial`: nothing is pushed.
  class presence {
   public:
    presence(worker& self, bool serial) noexcept
        : self_{self}, was_serial_{self.serial_}, outer_{innermost()}, outer_worker_{slot()} {
      if (of(self.home()) == nullptr) {
        self.stack_base_ = here();
      }
      innermost() = this;
      slot() = &self;
      self.set_serial(serial);
    }
    ~presence() {
      self_.set_serial(was_serial_);
      slot() = outer_worker_;
      innermost() = outer_;
    }
    presence(const presence&) = delete;
    presence& operator=(const presence&) = delete;

    /// The worker of `home` that this thread is, perhaps below workers of other pools; null if
    /// none.
    static worker* of(const pool& home) noexcept {
      for (const presence* each = innermost(); each != nullptr; each = each->outer_) {
        if (&each->self_.home() == &home) {
          return &each->self_;
        }
      }
      return nullptr;
    }

   private:
    static presence*& innermost() noexcept {
      constinit static thread_local presence* top = nullptr;
      return top;
    }

    worker& self_;
    bool was_serial_;
    presence* outer_;
    worker* outer_worker_;
  };

  /// Where what this worker runs is written down; null: nowhere.
  void use_trace(detail::trace_log* log) noexcept { trace_ = log; }

  /// Whether the pool's policy uses the deques in the workers. Before the first push.
  void use_own_deque(bool use) noexcept {
    uses_own_deque_ = use;
    if (!use) {
      deque_.demand_attention();
    }
  }

 private:
  static worker*& slot() noexcept {
    constinit static thread_local worker* present = nullptr;
    return present;
  }

  // An address in the current stack frame. Stacks grow downwards on all our targets.
  [[gnu::always_inline]] static std::uintptr_t here() noexcept {
    return reinterpret_cast<std::uintptr_t>(__builtin_frame_address(0));
  }

  void set_serial(bool serial) noexcept {
    serial_ = serial;
    if (serial) {
      deque_.demand_attention();  // until the next `push` without it
    }
  }

  void run(pool_task& task) noexcept {
    ++tasks_;
    if (!serial_ && stack_base_ - here() > shared_.help_stack_bytes) [[unlikely]] {
      set_serial(true);
      task.run();
      set_serial(false);
    } else {
      task.run();
    }
  }

  pool_task* own_task() noexcept {
    pool_task* const own = shared_.policy->pop(id_);
    return own != nullptr ? own : assigned_.take();
  }

  pool_task* find_work() noexcept {
    if (pool_task* const own = own_task()) {
      return own;
    }
    pool_task* const stolen = shared_.policy->steal(id_);
    if (stolen != nullptr) {
      ++steals_;
    }
    return stolen;
  }

  // What comes from outside, when there is nothing else. False: there was none.
  template <bool Traced>
  bool run_posted() noexcept {
    pool_task* const task = shared_.posted.take();
    if (task == nullptr) {
      return false;
    }
    run_traced<Traced>(*task, detail::posted_task_span);
    // Relaxed: a count, and no more; see the pool's destructor.
    shared_.unfinished_posts.fetch_sub(1, memory_order_relaxed);
    tell_waiting();
    return true;
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

  template <class Done>
  void serve(Done done, bool waits) noexcept {
    if (trace_ == nullptr) [[likely]] {
      serve_tasks<false>(done, waits);
    } else {
      serve_tasks<true>(done, waits);
    }
  }

  template <bool Traced, class Done>
  void serve_tasks(Done& done, bool waits) noexcept {
    spin_wait<> idle;
    while (!done()) {
      const std::uint64_t steals_before = steals_;
      if (pool_task* const task = find_work()) {
        run_traced<Traced>(*task,
                           steals_ != steals_before ? detail::stolen_task_span : detail::task_span);
        idle = {};
      } else if (run_posted<Traced>()) {
        idle = {};
      } else if (rest(idle)) {
        sleep(done, waits);
        idle = {};
      }
    }
  }

  // Between two looks for work. True: it was for so long in vain that the worker should sleep.
  [[gnu::noinline]] bool rest(spin_wait<>& idle) noexcept {
    returned_.flush();
    shared_.wait();
    meter_.add_looks(1);
    if (!idle.count_look()) [[likely]] {
      return false;
    }
    if (idle.span_ticks() != 0) {
      meter_.add_timed(spin_wait<>::kLooksPerClockRead, idle.span_ticks());
    }
    return shared_.wait.sleeps_by_itself() && idle.waited_ticks() > shared_.spin_budget_ticks;
  }

  template <class Done>
  [[gnu::noinline]] void sleep(Done& done, bool waits) noexcept {
    // Relaxed, both: a count, of which this thread is the only writer.
    sleeps_.store(sleeps_.load(memory_order_relaxed) + 1, memory_order_relaxed);
    const detail::library_span span{trace_, detail::sleep_span};
    shared_.idle.sleep(id_, waits, [&] {
      return done() || assigned_.has_task_guess() || shared_.policy->has_work_guess(id_) ||
             shared_.posted.has_work_guess();
    });
  }

  private_deque deque_;
  pool* home_;
  pool_shared& shared_;
  std::size_t id_;
  bool uses_own_deque_ = true;
  bool serial_ = false;
  std::uintptr_t stack_base_ = 0;
  std::uint64_t tasks_ = 0;
  std::uint64_t inlined_ = 0;
  std::uint64_t steals_ = 0;
  detail::spin_meter meter_;
  atomic<std::uint64_t> sleeps_{0};     // others may look while this worker falls asleep
  detail::trace_log* trace_ = nullptr;  // of the thread that this worker is now
  task_blocks blocks_;
  assigned_tasks assigned_;
  returned_blocks returned_;
};

}  // namespace fg
