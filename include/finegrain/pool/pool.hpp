// Many workers that share their tasks.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

#include "finegrain/core/atomic.hpp"
#include "finegrain/core/stop_token.hpp"
#include "finegrain/host/affinity.hpp"
#include "finegrain/pool/arena.hpp"
#include "finegrain/pool/callers.hpp"
#include "finegrain/pool/handed_over.hpp"
#include "finegrain/pool/pool_options.hpp"
#include "finegrain/pool/pool_threads.hpp"
#include "finegrain/pool/posted_tasks.hpp"
#include "finegrain/pool/presence.hpp"
#include "finegrain/pool/worker.hpp"
#include "finegrain/task/pool_task.hpp"
#include "finegrain/thread/fork.hpp"
#include "finegrain/trace/trace.hpp"

namespace fg::inline FINEGRAIN_ABI {

/// A pool of threads that run fine-grained tasks. X-OpenMP's and OMPi's runtimes, and one of our
/// own, are policies of the same pool.
///
///     fg::pool pool;
///     const long n = pool.run([] { return fib(40); });   // fib forks: fg::fork_join(f, g)
///
/// `run` makes the calling thread a worker for the duration of the call. Inside, `fork_join` and
/// `task_group` share work. Any number of threads may call `run` at once, of several pools, also
/// within each other's tasks: none of these calls can deadlock the others.
class pool {
 public:
  /// Starts all workers except the first, which is the thread that calls `run`. If the system
  /// refuses threads, the pool has fewer workers, and `shortage` says why. Throws
  /// std::invalid_argument for a balancing or wait policy of the options that does not exist here,
  /// more workers than `pool_options::kMostWorkers`, no callers or more than
  /// `pool_options::kMostCallers`, or a queue capacity beyond `pool_options::kMostQueueCapacity`;
  /// std::bad_alloc. If the environment names a policy that does not exist, the pool prints a line
  /// on standard error and uses the default.
  explicit pool(const pool_options& options = {}) : threads_{*this, options} {}

  /// Waits until everything that was posted, spawned or resumed here has run, including what these
  /// tasks left here in turn; then stops the workers. Within a task of this pool, or during a call
  /// of `run`, as when exit() destroys a static pool, it does not wait: the workers continue until
  /// the process ends.
  ~pool() {
    detail::arena& shared = threads_.shared();
    if (!made_in_.is_of_this_process()) {
      threads_.abandon();
    } else if (detail::presence::in(*this) != nullptr || shared.callers.any_taken_guess()) {
      threads_.leave();
    } else {
      shared.end.begin();
      shared.wake_all();
      as_caller(*shared.callers.claim(), [] { worker::current()->end_together(); });
      threads_.join();
    }
  }
  pool(const pool&) = delete;
  pool& operator=(const pool&) = delete;

  /// Runs `f` on the calling thread as a worker. Returns what `f` returns, or throws what it
  /// throws. Any thread. Within a task of this pool, also below tasks of other pools, it only calls
  /// `f`.
  ///
  /// `pool_options::callers` threads may be inside at once. A thread that finds no free place
  /// leaves `f` to the pool's threads and waits: `f` then runs on another thread, like a posted
  /// task. Within another pool's task, where waiting could deadlock both, it runs `f` itself
  /// instead, serially.
  ///
  /// All groups created inside have to be waited for inside, which their destructors do. In a
  /// forked child everything runs on the calling thread. A child that was forked within `run` must
  /// not continue to use the pool: tasks that were on other threads do not finish.
  template <class F>
  std::invoke_result_t<F&> run(F&& f) {
    if (!works_outside()) {
      return run_inside(f);
    }
    if (const std::optional<std::size_t> place = threads_.shared().callers.claim()) {
      return run_at(*place, f);
    }
    detail::handed_over<std::remove_reference_t<F>> call{f, threads_.shared()};
    if (!threads_.shared().post(call)) {
      const detail::presence without_worker{*this};
      return f();
    }
    threads_.shared().wait_outside([&call] { return call.has_finished(); });
    return call.take();
  }

  /// The same, unless a stop is requested before `f` has begun, possibly while the call waits for a
  /// place: then `f` is never called, and the result is empty, or false if `f` returns nothing.
  /// Once begun, `f` has to check the token itself: groups and loops take it, too. Requires: `f`
  /// does not return a reference.
  template <class F>
  auto run(const stop_token& stop, F&& f) {
    using result = std::invoke_result_t<F&>;
    static_assert(!std::is_reference_v<result>, "finegrain: a run that may stop returns values");
    if constexpr (std::is_void_v<result>) {
      return run_unless_stopped(stop,
                                [&f] {
                                  f();
                                  return true;
                                })
          .has_value();
    } else {
      return run_unless_stopped(stop, f);
    }
  }

  /// Leaves `closure` to the pool and returns at once. Any thread. Tasks begin in the order of
  /// their posting, when one of the pool's own threads has nothing else to do, within a millisecond
  /// if possible: if all own threads are busy by then, a spare thread runs the oldest tasks. It is
  /// created when it is first needed, and in a pool of one worker before the first post. A worker
  /// that waits within a task never runs posted tasks. In a forked child, and in a pool of one
  /// worker whose spare thread the system refuses, the closure runs at once on the calling thread.
  /// An exception that leaves `closure` ends the program, as it does for a std::thread. Throws
  /// std::bad_alloc and what copying the closure throws; then nothing was posted.
  template <class F>
    requires std::is_invocable_v<std::decay_t<F>&>
  void post(F&& closure) {
    post(task_priority::normal, std::forward<F>(closure));
  }

  /// The same with a priority. Tasks of one priority begin in the order of their posting. `high`
  /// ones begin before everything that an own thread could steal; `background` ones on own threads
  /// that find nothing else, and in a pool of one worker on the spare thread, while no caller is
  /// inside. So background work delays other work by at most the one task that each thread has
  /// begun, and by one more each 100 ms: `posted_tasks::kMostWait` bounds how long it has to wait.
  template <class F>
    requires std::is_invocable_v<std::decay_t<F>&>
  void post(task_priority priority, F&& closure) {
    // Deletes itself after it has run.
    post(priority,
         *std::make_unique<posted_task<std::decay_t<F>>>(std::forward<F>(closure)).release());
  }

  /// Posts a task that the caller owns, with a priority; it goes into no worker's own queue.
  /// Otherwise as below.
  void post(task_priority priority, pool_task& task) noexcept {
    if (!made_in_.is_of_this_process() || !threads_.shared().post(task, priority)) {
      task.run();
    }
  }

  /// Posts a task that the caller owns, without allocation: the building block of `execution/`. Any
  /// thread. On a worker of this pool it goes into that worker's own queue, like a spawned task;
  /// the worker must not block until it has run. On other threads, and if that queue is full, it
  /// begins like a posted task. Requires: `task` lives until its routine is called, once, and the
  /// pool until then. What was written before is visible to the routine. Constant time.
  void post(pool_task& task) noexcept {
    if (!try_offer(task)) {
      post(task_priority::normal, task);
    }
  }

  /// The same for a task that the calling thread may wait for by `wait_for`: if the worker's own
  /// queue does not take it, it runs at once, like a spawned task. True: it was posted.
  bool post_awaited(pool_task& task) noexcept {
    if (try_offer(task)) {
      return false;
    }
    if (detail::presence::in(*this) != nullptr) {
      task.run();
      return false;
    }
    post(task_priority::normal, task);
    return true;
  }

  /// Waits until `done()`, which reads with acquire what another thread releases before it calls
  /// `tell_all_waiting`. Any thread: a worker of this pool runs tasks meanwhile; other threads
  /// sleep, after a worker of another pool has run what lies in its own queues. If `posted` is not
  /// null and still among the posted tasks, and the calling thread works in any pool, so that
  /// others may wait for it, the task is run here, and the wait is over.
  template <class Done>
  void wait_for(pool_task* posted, Done done) {
    const detail::presence* const here = detail::presence::in(*this);
    if (posted != nullptr && detail::presence::in_any() &&
        threads_.shared().posted.remove(*posted)) {
      run_inside([posted] { posted->run(); });
    } else if (here != nullptr && here->self() != nullptr) {
      const detail::presence again{*here};
      here->self()->help_until(done);
    } else {
      worker* const elsewhere = worker::current();
      if (elsewhere != nullptr) {
        elsewhere->run_tasks_within_reach(done);
        elsewhere->go_away();
      }
      threads_.shared().wait_outside(done);
      if (elsewhere != nullptr) {
        elsewhere->come_back();
      }
    }
  }

  /// To be called by a task's routine after it has completed what a thread may wait for by
  /// `wait_for`.
  void tell_all_waiting() noexcept { threads_.shared().tell_all_waiting(); }

  /// Number of workers, including one caller of `run`.
  [[nodiscard]] std::size_t size() const noexcept { return threads_.size(); }
  /// Upper bound of the workers' numbers, `worker::id()`: `size()`, and what further callers and
  /// the spare thread need.
  [[nodiscard]] std::size_t numbers() const noexcept { return threads_.numbers(); }
  /// Number of threads that may be inside `run` at once, each as a worker.
  [[nodiscard]] std::size_t callers() const noexcept { return threads_.callers(); }
  /// Name of the balancing policy.
  [[nodiscard]] std::string_view policy() const noexcept { return threads_.policy(); }
  /// Number of tasks that each of the policy's queues holds; 0: the queues grow.
  [[nodiscard]] std::size_t queue_capacity() const noexcept { return threads_.queue_capacity(); }
  /// Name of the wait policy.
  [[nodiscard]] std::string_view wait_policy() const noexcept { return threads_.wait_policy(); }
  /// The CPU of each worker, -1 if it is not pinned: worker 0, and others according to
  /// `pool_options::pinning`. A worker moves to another CPU for a caller of `run` that is on its
  /// CPU. Requires: no call of `run`.
  [[nodiscard]] const std::vector<int>& cpus() const noexcept { return threads_.cpus(); }
  /// Why there are fewer workers than requested; empty if there are not.
  [[nodiscard]] const std::string& shortage() const noexcept { return threads_.shortage(); }
  /// Why workers do not have the scheduling class of the options; empty if they have it.
  [[nodiscard]] const std::string& scheduling_refusal() const noexcept {
    return threads_.scheduling_refusal();
  }
  /// What worker `id` has done. Requires: no call of `run`, no posted task that has not finished,
  /// and id < numbers(). A system call.
  [[nodiscard]] worker_counters counters(std::size_t id) const {
    return threads_.counters(id, made_in_.is_of_this_process());
  }

 private:
  template <class F>
  struct posted_task : pool_task {
    explicit posted_task(F closure) : closure_(std::move(closure)) {
      routine.store(&run_and_delete, memory_order_relaxed);  // the inbox's lock orders it
    }
    static void run_and_delete(pool_task& task) noexcept {
      auto* const self = &static_cast<posted_task&>(task);
      static_cast<void>(self->closure_());
      delete self;
    }
    F closure_;
  };

  // On a worker of this pool: into its own queue. False: no worker here, or the queue refuses.
  bool try_offer(pool_task& task) noexcept {
    worker* const here = worker::current();
    return here != nullptr && &here->home() == this && here->offer(task);
  }

  // Whether a call of `run` may wait for a place: the calling thread works in no pool, and this is
  // no forked child.
  [[nodiscard]] bool works_outside() const noexcept {
    return !detail::presence::in_any() && made_in_.is_of_this_process();
  }

  template <class F>
  std::optional<std::invoke_result_t<F&>> run_unless_stopped(const stop_token& stop, F&& f) {
    if (stop.stop_requested()) {
      return std::nullopt;
    }
    if (!works_outside()) {
      return run_inside(f);
    }
    detail::arena& shared = threads_.shared();
    if (const std::optional<std::size_t> place = shared.callers.claim()) {
      return run_at(*place, f);
    }
    detail::handed_over<std::remove_reference_t<F>> call{f, shared};
    if (!shared.post(call)) {
      const detail::presence without_worker{*this};
      return f();
    }
    const auto wake = [&shared] { shared.outside.tell(); };
    const stop_callback<decltype(wake)> waking{stop, wake};
    shared.wait_outside([&] { return call.has_finished() || stop.stop_requested(); });
    if (stop.stop_requested() && shared.posted.remove(call)) {
      return std::nullopt;
    }
    shared.wait_outside([&call] { return call.has_finished(); });
    return call.take();
  }

  // On a thread that already works in some pool, or in a forked child: never waits.
  template <class F>
  std::invoke_result_t<F&> run_inside(F&& f) {
    if (const detail::presence* const here = detail::presence::in(*this)) {
      const detail::presence again{*here};
      return f();
    }
    if (!made_in_.is_of_this_process()) {
      return f();  // no worker exists in this process, so all runs inline
    }
    if (const std::optional<std::size_t> place = threads_.shared().callers.claim()) {
      return run_at(*place, f);
    }
    const detail::presence without_worker{*this};
    return f();
  }

  template <class F>
  std::invoke_result_t<F&> run_at(std::size_t place, F& f) {
    const detail::library_span span{trace_of_caller(), detail::run_span};
    if (place == 0) {
      threads_.make_way_for(current_cpu());
    }
    return as_caller(place, f);
  }

  // Calls `f` at a place for callers, which it gives back.
  template <class F>
  std::invoke_result_t<F&> as_caller(std::size_t place, F&& f) {
    detail::arena& shared = threads_.shared();
    struct leave_at_exit {
      detail::caller_slots& callers;
      std::size_t place;
      ~leave_at_exit() { callers.leave(place); }
    } const leaving{shared.callers, place};
    return detail::work_as(*shared.workers[shared.number_of_caller(place)], trace_of_caller(), f);
  }

  [[nodiscard]] detail::trace_log* trace_of_caller() const noexcept {
    return is_traced_ ? detail::trace_of_this_thread() : nullptr;
  }

  bool is_traced_ = detail::is_traced();
  detail::process_mark made_in_;
  detail::pool_threads threads_;
};

}  // namespace fg::inline FINEGRAIN_ABI
