// Many workers that share their work.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <mutex>
#include <new>
#include <stdexcept>
#include <string>
#include <string_view>
#include <system_error>
#include <thread>
#include <type_traits>
#include <utility>
#include <vector>

#include "finegrain/core/affinity.hpp"
#include "finegrain/core/chosen_wait.hpp"
#include "finegrain/core/clock.hpp"
#include "finegrain/core/cpu_time.hpp"
#include "finegrain/core/exceptions.hpp"
#include "finegrain/core/host_view.hpp"
#include "finegrain/core/process_mark.hpp"
#include "finegrain/core/service_thread.hpp"
#include "finegrain/core/trace.hpp"
#include "finegrain/pool/policies.hpp"
#include "finegrain/pool/pool_options.hpp"
#include "finegrain/pool/seating.hpp"
#include "finegrain/pool/worker.hpp"

namespace fg {

/// Some threads that run fine-grained tasks: X-OpenMP's and OMPi's runtimes, and one of our own, as
/// policies of one pool.
///
///     fg::pool pool;
///     const long n = pool.run([] { return fib(40); });   // fib forks: fg::fork_join(f, g)
///
/// `run` makes the calling thread worker 0 for the length of the call. Inside, `fork_join` and
/// `task_group` share work. Several pools may exist, and `run` of one may be called inside a task
/// of another.
class pool {
 public:
  /// Starts the workers but for the first, which is the thread that calls `run`. Where the system
  /// refuses threads the pool has fewer workers, and `shortage` says why.
  /// Throws std::invalid_argument for a balancing or wait policy of the options that does not exist
  /// here, more workers than `pool_options::kMostWorkers` or a queue capacity beyond
  /// `pool_options::kMostQueueCapacity`; std::bad_alloc. A policy of the environment that does not
  /// exist is a line on standard error, and the default.
  explicit pool(const pool_options& options = {})
      : policy_{options.policy.empty() ? &policy_of_environment() : &find_policy(options.policy)},
        asked_capacity_{checked_capacity(options.queue_capacity)},
        allowed_{allowed_cpus()},
        free_cpu_{current_cpu()},
        thread_name_{options.thread_name},
        seats_{choose_seats(system_host_view(), allowed_, free_cpu_, options.placement,
                            checked_workers(options.workers))},
        shared_{std::make_unique<pool_shared>(
            seats_.cpus.size(), options.help_stack_bytes,
            options.wait.empty() ? wait_policy_of_environment() : find_wait_policy(options.wait),
            budget_ticks(options.spin_budget))},
        workers_(seats_.cpus.size()) {
    FINEGRAIN_TRY {
      // The policy is made for the workers that there are, so the threads come first.
      start_threads(options.scheduling);
      make_policy();
    }
    FINEGRAIN_CATCH(...) {
      stop_threads();
      FINEGRAIN_RETHROW;
    }
    shared_->policy->settle(0);
    show_threads(stage::settling);
    wait_for_arrivals(2 * threads_.size());
    show_threads(stage::serving);
  }

  /// Waits until everything posted has run, then stops the workers. On a worker, or during a call
  /// of `run`, which is where exit() destroys a static pool, it waits for nothing: the workers go
  /// on until the process ends.
  ~pool() {
    if (!made_in_.is_of_this_process()) {
      abandon_threads();
      return;
    }
    // A worker holds the lock itself, or works for whoever does.
    const bool on_worker = worker::presence::of(*this) != nullptr;
    const auto turn =
        on_worker ? std::unique_lock<std::mutex>{} : std::unique_lock{run_mutex_, std::try_to_lock};
    if (!turn) {
      leave_to_threads();
      return;
    }
    // All workers stay until the last posted task has ended: it may push to any of them. Relaxed:
    // the joins order what it did before all that comes behind them.
    run_as_first([&posts = shared_->unfinished_posts] {
      worker::current()->help_until([&posts] { return posts.load(memory_order_relaxed) == 0; });
    });
    stop_threads();
  }
  pool(const pool&) = delete;
  pool& operator=(const pool&) = delete;

  /// Runs `f` as worker 0 and returns what it returns, or throws what it throws. Any thread;
  /// concurrent callers wait their turn. Called on a worker of this pool, also from within another
  /// pool's `run` in a task of this one, it just calls `f`.
  /// All groups made inside have to be waited for inside, which their destructors do.
  /// In a forked child everything runs on the calling thread. A child that was forked within `run`
  /// may not go on using the pool: tasks that were elsewhere do not finish.
  template <class F>
  std::invoke_result_t<F&> run(F&& f) {
    if (worker* const here = worker::presence::of(*this)) {
      const worker::presence present{*here, here->is_serial()};
      return f();
    }
    if (!made_in_.is_of_this_process()) {
      return f();  // a forked child, where the workers are not: no worker here, so all runs inline
    }
    const std::lock_guard turn{run_mutex_};
    const detail::library_span span{trace_of_caller(), detail::run_span};
    return run_as_first(f);
  }

  /// Leaves `closure` to the workers; returns at once. Any thread. Tasks begin in the order of
  /// their posting, when a worker has nothing else to do; in a pool of one worker during the next
  /// `run` or in the destructor; in a forked child at once, on the calling thread. An exception
  /// that leaves `closure` ends the program, as it does for a std::thread. Throws std::bad_alloc
  /// and what copying the closure throws; then nothing was posted.
  template <class F>
    requires std::is_invocable_v<std::decay_t<F>&>
  void post(F&& closure) {
    if (!made_in_.is_of_this_process()) {
      [own = std::decay_t<F>(std::forward<F>(closure))]() mutable noexcept {
        static_cast<void>(own());
      }();
      return;
    }
    auto task = std::make_unique<posted_task<std::decay_t<F>>>(std::forward<F>(closure));
    put_into_inbox(*task.release());  // it deletes itself when it has run
  }

  /// Hands over a task that the caller keeps, without allocation: the building block of
  /// `execution/`. Any thread. On a worker of this pool it goes to that worker's own queue, as what
  /// is spawned does; it must not block until the task has run. Elsewhere, and where that queue is
  /// full, it begins in the order of posting; in a forked child at once.
  /// Requires: `task` lives until its routine is called, once, and the pool until then. What was
  /// written before is visible to the routine. Constant time.
  void post(pool_task& task) noexcept {
    if (!made_in_.is_of_this_process()) {
      task.run();
      return;
    }
    worker* const here = worker::current();
    if (here == nullptr || &here->home() != this || !here->offer(task)) {
      put_into_inbox(task);
    }
  }

  /// Workers, with the caller of `run`.
  [[nodiscard]] std::size_t size() const noexcept { return workers_.size(); }
  /// Name of the balancing policy.
  [[nodiscard]] std::string_view policy() const noexcept { return policy_->name; }
  /// Tasks that each of the policy's queues holds; 0: they grow.
  [[nodiscard]] std::size_t queue_capacity() const noexcept { return balancer_->queue_capacity(); }
  /// Name of the wait policy.
  [[nodiscard]] std::string_view wait_policy() const noexcept { return shared_->wait.name(); }
  /// The CPU of each worker, -1 where it is not tied. A worker makes way for a caller of `run` that
  /// is on its CPU. Requires: no call of `run`.
  [[nodiscard]] const std::vector<int>& cpus() const noexcept { return seats_.cpus; }
  /// Why there are fewer workers than asked for; empty if there are not.
  [[nodiscard]] const std::string& shortage() const noexcept { return shortage_; }
  /// Why workers do not have the scheduling class of the options; empty if they have.
  [[nodiscard]] const std::string& scheduling_refusal() const noexcept {
    return scheduling_refusal_;
  }
  /// What worker `id` has done. Requires: no call of `run`, nothing posted that has not ended, and
  /// id < size(). A system call.
  [[nodiscard]] worker_counters counters(std::size_t id) const {
    worker_counters counted = workers_.at(id)->counters();
    const std::uint64_t cpu_ns =
        id != 0 && made_in_.is_of_this_process() ? thread_cpu_ns(threads_[id - 1]) : 0;
    counted.worked_ns = cpu_ns - std::min(cpu_ns, counted.spun_ns);
    return counted;
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

  void put_into_inbox(pool_task& task) noexcept {
    pool_shared& shared = *shared_;  // the task may call exit(), which destroys a static pool
    // Relaxed: the inbox's lock orders it before the subtraction behind the task.
    shared.unfinished_posts.fetch_add(1, memory_order_relaxed);
    // Woken before the task can run: whom it tells may destroy the pool beside this call.
    shared.posted.put(task, [&idle = shared.idle] {
      if (idle.any_after_publishing()) {
        idle.wake_one();
      }
    });
  }

  template <class F>
  std::invoke_result_t<F&> run_as_first(F&& f) {
    make_way_for(current_cpu());
    worker& first = *workers_.front();
    first.use_trace(trace_of_caller());
    const worker::presence present{first, false};
    // What it has taken from others must not lie with a worker that is not there.
    struct run_the_rest_at_exit {
      worker& self;
      ~run_the_rest_at_exit() { self.run_own_tasks(); }
    } const rest{first};
    return f();
  }

  [[nodiscard]] detail::trace_log* trace_of_caller() const noexcept {
    return is_traced_ ? detail::trace_of_this_thread() : nullptr;
  }

  static std::size_t checked_capacity(std::size_t asked) {
    return checked(asked, pool_options::kMostQueueCapacity, "a queue capacity of ", " tasks");
  }
  static std::size_t checked_workers(std::size_t asked) {
    return checked(asked, pool_options::kMostWorkers, "a pool of ", " workers");
  }

  static std::size_t checked(std::size_t asked, std::size_t most, const char* before,
                             const char* after) {
    if (asked > most) {
      detail::raise(std::invalid_argument(std::string{"finegrain: "} + before +
                                          std::to_string(asked) + after +
                                          " is more than the most, " + std::to_string(most)));
    }
    return asked;
  }

  void start_threads(const scheduling& wanted) {
    threads_.reserve(seats_.cpus.size() - 1);
    for (std::size_t id = 1; id < seats_.cpus.size(); ++id) {
      std::thread thread;
      const std::string refusal =
          detail::try_start_service_thread(thread, thread_name(id).c_str(), &pool::live, this, id);
      if (!refusal.empty()) {
        shortage_ = "the system refused thread " + std::to_string(id) + ": " + refusal;
        break;
      }
      threads_.push_back(std::move(thread));
      if (scheduling_refusal_.empty()) {
        scheduling_refusal_ = detail::try_schedule(threads_.back(), wanted);
      }
    }
    wait_for_arrivals(threads_.size());
    seats_.cpus.resize(threads_.size() + 1);
    workers_.resize(threads_.size() + 1);
    shared_->workers.resize(threads_.size() + 1);
  }

  void make_policy() {
    workers_.front() = std::make_unique<worker>(*this, *shared_, 0);
    std::vector<private_deque*> deques;
    for (const std::unique_ptr<worker>& each : workers_) {
      if (each == nullptr) {
        detail::raise(std::bad_alloc{});
      }
      each->use_own_deque(policy_->uses_own_deques);
      deques.push_back(&each->deque());
      shared_->workers[each->id()] = each.get();
    }
    balancer_ = policy_->make(
        {.deques = std::move(deques), .idle = shared_->idle, .queue_capacity = asked_capacity_});
    shared_->policy = balancer_.get();
  }

  // The threads begin together, in steps, because of what each of them makes for itself.
  enum class stage : std::uint32_t {
    starting,  // each one makes its worker and arrives
    settling,  // there is a policy: each one settles in it and arrives again
    serving    // nobody moves any more; or, without a policy, the constructor has failed
  };

  [[nodiscard]] std::string thread_name(std::size_t id) const {
    return detail::kept_name(thread_name_, "-" + std::to_string(id));
  }

  void wait_for_arrivals(std::size_t wanted) noexcept {
    // Acquire, both: pairs with the release in arrive.
    for (std::size_t arrived = arrived_.load(memory_order_acquire); arrived != wanted;
         arrived = arrived_.load(memory_order_acquire)) {
      arrived_.wait(arrived, memory_order_relaxed);  // the load behind it acquires
    }
  }

  void show_threads(stage next) noexcept {
    stage_.store(next, memory_order_release);  // pairs with the acquire in wait_beyond
    stage_.notify_all();
  }

  void arrive() noexcept {
    arrived_.fetch_add(1, memory_order_release);  // pairs with the acquire in wait_for_arrivals
    arrived_.notify_one();
  }

  void wait_beyond(stage present) noexcept {
    stage_.wait(present, memory_order_acquire);  // pairs with the release in show_threads
  }

  // A caller on the CPU of a worker that is tied there would have to share it, until the system
  // moves the caller: measured, 64 tasks of 1 ms took 1.25 times as long. So the worker moves to
  // the CPU that the caller was on before. One load and some compares otherwise.
  void make_way_for(int cpu) noexcept {
    const std::size_t id = who_makes_way(seats_, cpu, free_cpu_);
    if (id != 0 && !pin_thread(threads_[id - 1], free_cpu_)) {
      seats_.cpus[id] = free_cpu_;
      free_cpu_ = cpu;
    }
  }

  void live(std::size_t id) {
    set_allowed_cpus(allowed_);
    if (seats_.cpus[id] >= 0 && pin_this_thread(seats_.cpus[id])) {
      seats_.cpus[id] = -1;  // the CPU was taken away meanwhile: untied
    }
    // Made where it is used: its memory comes from this CPU's NUMA node.
    workers_[id].reset(new (std::nothrow) worker(*this, *shared_, id));
    arrive();
    wait_beyond(stage::starting);
    if (shared_->policy == nullptr) {
      return;  // the constructor has failed
    }
    shared_->policy->settle(id);
    worker& self = *workers_[id];
    self.use_trace(detail::trace_of_this_thread(thread_name(id).c_str()));
    arrive();
    wait_beyond(stage::settling);
    const worker::presence present{self, false};
    self.serve_until_stopped();
  }

  void stop_threads() noexcept {
    shared_->stop.store(true, memory_order_relaxed);  // it carries no data
    show_threads(stage::serving);
    if (shared_->idle.any_after_publishing()) {
      shared_->idle.wake_all();
    }
    for (std::thread& thread : threads_) {
      detail::join_service_thread(thread);
    }
  }

  // At exit(), in the midst of their work: what they use has to stay.
  void leave_to_threads() noexcept {
    abandon_threads();
    for (std::unique_ptr<worker>& each : workers_) {
      static_cast<void>(each.release());
    }
    static_cast<void>(balancer_.release());
    static_cast<void>(shared_.release());
  }

  // In a forked child, where the threads are not, and where they can not be joined: only their
  // names are given back. What they held stays allocated.
  void abandon_threads() noexcept {
    for (std::thread& thread : threads_) {
      ::new (static_cast<void*>(&thread)) std::thread{};
    }
  }

  const balancing_policy* policy_;
  std::size_t asked_capacity_;  // 0: the policy's own
  std::vector<int> allowed_;
  int free_cpu_;  // left to the caller of run
  std::string thread_name_;
  bool is_traced_ = detail::is_traced();
  seating seats_;
  std::unique_ptr<pool_shared> shared_;
  std::unique_ptr<balancer> balancer_;
  std::vector<std::unique_ptr<worker>> workers_;
  std::vector<std::thread> threads_;
  std::string shortage_;
  std::string scheduling_refusal_;
  atomic<std::size_t> arrived_{0};
  atomic<stage> stage_{stage::starting};
  std::mutex run_mutex_;
  detail::process_mark made_in_;
};

}  // namespace fg
