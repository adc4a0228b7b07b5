// Starts, names, pins and ends the threads of a pool.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <new>
#include <stdexcept>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "finegrain/core/atomic.hpp"
#include "finegrain/core/errors.hpp"
#include "finegrain/host/affinity.hpp"
#include "finegrain/host/cpu_registry.hpp"
#include "finegrain/host/host_view.hpp"
#include "finegrain/pool/arena.hpp"
#include "finegrain/pool/policies.hpp"
#include "finegrain/pool/pool_cpus.hpp"
#include "finegrain/pool/pool_options.hpp"
#include "finegrain/pool/presence.hpp"
#include "finegrain/pool/spare_life.hpp"
#include "finegrain/pool/worker.hpp"
#include "finegrain/thread/service_thread.hpp"
#include "finegrain/trace/trace.hpp"

namespace fg::inline FINEGRAIN_ABI {
class pool;
}

namespace fg::inline FINEGRAIN_ABI::detail {

/// The parts of a pool: its arena, its policy, all workers, callers' included, and its threads from
/// start to end. The creating thread calls `join`, `leave` or `abandon` before it is destroyed.
class pool_threads {
 public:
  /// As `pool`'s constructor, for `home`.
  pool_threads(pool& home, const pool_options& options)
      : policy_{options.policy.name().empty() ? &policy_of_environment()
                                              : &find_policy(options.policy.name())},
        asked_capacity_{checked_capacity(options.queue_capacity)},
        callers_{policy_->uses_own_deques ? checked_callers(options.callers) : 1},
        allowed_{allowed_cpus()},
        thread_name_{options.thread_name},
        cpus_{choose_cpus(options, allowed_)},
        arena_{std::make_unique<arena>(home, cpus_.cpus.size() - 1, callers_, options,
                                       spare_thread::life{.name = kept_name(thread_name_, "-spare"),
                                                          .cpus = allowed_,
                                                          .priority = options.scheduling,
                                                          .routine = &live_as_spare})},
        workers_(cpus_.cpus.size()) {
    FINEGRAIN_TRY {
      // The policy is made for the workers that exist, so the threads come first.
      start_threads(options.scheduling);
      make_policy();
    }
    FINEGRAIN_CATCH(...) {
      show_threads(stage::serving);
      join();
      FINEGRAIN_RETHROW;
    }
    arena_->policy->settle(0);
    show_threads(stage::settling);
    wait_for_arrivals(2 * threads_.size());
    show_threads(stage::serving);
  }
  pool_threads(const pool_threads&) = delete;
  pool_threads& operator=(const pool_threads&) = delete;

  /// What the workers share.
  [[nodiscard]] arena& shared() noexcept { return *arena_; }

  // ---- the end ----

  /// Waits for all threads. Requires: the end is over (`joint_end`).
  void join() {
    for (service_thread& thread : threads_) {
      join_service_thread(thread);
    }
    arena_->spare.join();
  }

  /// For exit() while the threads work: everything that they use has to stay.
  void leave() noexcept {
    abandon();
    for (std::unique_ptr<worker>& each : workers_) {
      static_cast<void>(each.release());
    }
    static_cast<void>(balancer_.release());
    static_cast<void>(arena_.release());
  }

  /// For a forked child, in which the threads do not exist, and for threads that cannot be joined:
  /// drops only their handles. What they held stays allocated.
  void abandon() noexcept {
    cpus_.claim.abandon();
    for (service_thread& thread : threads_) {
      ::new (static_cast<void*>(&thread)) service_thread{};
    }
    arena_->spare.abandon();
  }

  // ---- placement ----

  /// Moves a pinned worker off the CPU of a caller, to the CPU that the caller was on before.
  /// Otherwise both share a CPU until the system moves the caller: measured, 64 tasks of 1 ms took
  /// 1.25 times as long. One load and some compares if none is pinned there. One thread at a time.
  void make_way_for(int cpu) noexcept {
    const int free_cpu = cpus_.callers_cpu;
    const std::size_t id = worker_to_move(cpus_, cpu, free_cpu);
    // Another pool's caller may also have been there, and that pool's worker may have moved there.
    if (id == 0 || !cpus_.claim.try_swap(cpu, free_cpu)) {
      return;
    }
    if (pin_thread(threads_[id - 1], free_cpu)) {
      static_cast<void>(cpus_.claim.try_swap(free_cpu, cpu));
    } else {
      cpus_.cpus[id] = std::exchange(cpus_.callers_cpu, cpu);
    }
  }

  // ---- what there is: see `pool` ----

  [[nodiscard]] std::size_t size() const noexcept { return threads_.size() + 1; }
  [[nodiscard]] std::size_t numbers() const noexcept { return workers_.size(); }
  [[nodiscard]] std::size_t callers() const noexcept { return callers_; }
  [[nodiscard]] std::string_view policy() const noexcept { return policy_->name; }
  [[nodiscard]] std::size_t queue_capacity() const noexcept { return balancer_->queue_capacity(); }
  [[nodiscard]] std::string_view wait_policy() const noexcept { return arena_->wait.name(); }
  [[nodiscard]] const std::vector<int>& cpus() const noexcept { return cpus_.cpus; }
  [[nodiscard]] const std::string& shortage() const noexcept { return shortage_; }
  [[nodiscard]] const std::string& scheduling_refusal() const noexcept {
    return scheduling_refusal_;
  }
  /// Without the CPU time of threads that were abandoned.
  [[nodiscard]] worker_counters counters(std::size_t id, bool has_threads) const {
    worker_counters counted = workers_.at(id)->counters();
    const bool has_thread = has_threads && id - 1 < threads_.size();
    const std::uint64_t cpu_ns = has_thread ? thread_cpu_ns(threads_[id - 1]) : 0;
    counted.worked_ns = cpu_ns - std::min(cpu_ns, counted.spun_ns);
    return counted;
  }

 private:
  static std::size_t checked_capacity(std::size_t asked) {
    return checked(asked, pool_options::kMostQueueCapacity, "a queue capacity of ", " tasks");
  }
  static std::size_t checked_workers(std::size_t asked) {
    return checked(asked, pool_options::kMostWorkers, "a pool of ", " workers");
  }
  static std::size_t checked_callers(std::size_t asked) {
    if (asked == 0) {
      raise(std::invalid_argument("finegrain: a pool for 0 callers"));
    }
    return checked(asked, pool_options::kMostCallers, "a pool for ", " callers");
  }

  static std::size_t checked(std::size_t asked, std::size_t most, const char* before,
                             const char* after) {
    if (asked > most) {
      raise(std::invalid_argument(std::string{"finegrain: "} + before + std::to_string(asked) +
                                  after + " is more than the most, " + std::to_string(most)));
    }
    return asked;
  }

  static claimed_pool_cpus choose_cpus(const pool_options& options,
                                       const std::vector<int>& allowed) {
    const worker_pinning pinning = options.pinning ? *options.pinning : pinning_of_environment();
    return claim_pool_cpus(cpu_registry::of_process(), system_host_view(), allowed, current_cpu(),
                           options.placement, pinning, checked_workers(options.workers));
  }

  void start_threads(const scheduling& wanted) {
    threads_.reserve(cpus_.cpus.size() - 1);
    for (std::size_t id = 1; id < cpus_.cpus.size(); ++id) {
      service_thread thread;
      const std::string refusal = try_start_service_thread(
          thread, {thread_name(id).c_str(), wanted}, &pool_threads::live, this, id);
      if (!refusal.empty()) {
        shortage_ = "the system refused thread " + std::to_string(id) + ": " + refusal;
        break;
      }
      threads_.push_back(std::move(thread));
      if (scheduling_refusal_.empty()) {
        scheduling_refusal_ = try_schedule(threads_.back(), wanted);
      }
    }
    wait_for_arrivals(threads_.size());
    cpus_.cpus.resize(threads_.size() + 1);
    cpus_.claim.keep_only(cpus_.cpus);
    workers_.resize(threads_.size() + 1);
    arena_->threads = threads_.size();
  }

  void make_policy() {
    workers_.front() = std::make_unique<worker>(*arena_, 0);
    for (std::size_t more = 0; more < callers_; ++more) {  // the spare thread, and further callers
      workers_.push_back(std::make_unique<worker>(*arena_, workers_.size()));
    }
    arena_->idle.use_number(threads_.size());
    // If the policy has queues of its own, the spare thread has none.
    const std::size_t with_queues = policy_->uses_own_deques ? workers_.size() : size();
    std::vector<private_deque*> deques;
    for (const std::unique_ptr<worker>& each : workers_) {
      if (each == nullptr) {
        raise(std::bad_alloc{});
      }
      if (deques.size() != with_queues) {
        deques.push_back(&each->deque());
      }
      arena_->workers.push_back(each.get());
    }
    balancer_ = policy_->make(
        {.deques = std::move(deques), .idle = arena_->idle, .queue_capacity = asked_capacity_});
    for (const std::unique_ptr<worker>& each : workers_) {
      const bool has_queues = each->id() < with_queues;
      each->use_policy(has_queues ? *balancer_ : arena_->no_queues, policy_->uses_own_deques);
      each->go_away();  // until a thread becomes this worker
    }
    for (std::size_t thread = 0; thread < threads_.size(); ++thread) {
      arena_->end.add_participant();
    }
    arena_->policy = balancer_.get();
  }

  // The threads begin together, in steps, because of what each of them allocates for itself.
  enum class stage : std::uint32_t {
    starting,  // each one makes its worker and arrives
    settling,  // there is a policy: each one settles in it and arrives again
    serving    // all have settled; or, without a policy, the constructor has failed
  };

  [[nodiscard]] std::string thread_name(std::size_t id) const {
    return kept_name(thread_name_, "-" + std::to_string(id));
  }

  void wait_for_arrivals(std::size_t wanted) noexcept {
    // Acquire, both: pairs with the release in arrive.
    for (std::size_t arrived = arrived_.load(memory_order_acquire); arrived != wanted;
         arrived = arrived_.load(memory_order_acquire)) {
      arrived_.wait(arrived, memory_order_relaxed);  // the following load acquires
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

  void live(std::size_t id) {
    set_allowed_cpus(allowed_);
    if (cpus_.cpus[id] >= 0 && pin_this_thread(cpus_.cpus[id])) {
      cpus_.cpus[id] = -1;  // the CPU was taken away meanwhile: not pinned
    }
    if (cpus_.cpus[id] < 0) {
      untie_this_thread(allowed_);
    }
    arena& shared = *arena_;  // exit() may destroy this during what follows
    const arena::thread_life told{shared, id};
    // Allocated where it is used: its memory comes from this CPU's NUMA node.
    workers_[id].reset(new (std::nothrow) worker(*arena_, id));
    arrive();
    wait_beyond(stage::starting);
    if (arena_->policy == nullptr) {
      return;  // the constructor has failed
    }
    shared.policy->settle(id);
    worker& self = *workers_[id];
    self.use_trace(trace_of_this_thread(thread_name(id).c_str()));
    self.look_out();
    arrive();
    wait_beyond(stage::settling);
    const presence present{self, false};
    self.serve_until([&shared] { return shared.end.has_begun(); });
    self.end_together();
  }

  const balancing_policy* policy_;
  std::size_t asked_capacity_;  // 0: the policy's own
  std::size_t callers_;
  std::vector<int> allowed_;
  std::string thread_name_;
  claimed_pool_cpus cpus_;
  std::unique_ptr<arena> arena_;
  std::unique_ptr<balancer> balancer_;
  std::vector<std::unique_ptr<worker>> workers_;
  std::vector<service_thread> threads_;
  std::string shortage_;
  std::string scheduling_refusal_;
  atomic<std::size_t> arrived_{0};
  atomic<stage> stage_{stage::starting};
};

}  // namespace fg::inline FINEGRAIN_ABI::detail
