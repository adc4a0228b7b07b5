// A thread that is created when it is first needed.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <mutex>
#include <new>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "finegrain/core/atomic.hpp"
#include "finegrain/core/errors.hpp"
#include "finegrain/host/affinity.hpp"
#include "finegrain/thread/scheduling.hpp"
#include "finegrain/thread/service_thread.hpp"
#include "finegrain/wait/sleep_gate.hpp"

namespace fg::inline FINEGRAIN_ABI::detail {

/// Sleeps until it is called, does what there is to do, and sleeps again.
///
/// ## A call, in one word
///
///     not called   -> called       by a thread that needs it; the first one wakes it
///     called       -> not called   by the spare thread when it finds nothing left
///
/// Both are exchanges; the first releases and the second acquires. A thread that finds it already
/// called has put its work there before. The spare thread, whose exchange reads from that one, sees
/// the work in the look that has to follow.
class spare_thread {
 public:
  /// How long it lets the others go first. Half of the millisecond in which a posted task has to
  /// begin; most tasks end sooner, and then no two threads have to share a CPU.
  static constexpr std::chrono::microseconds kPatience{500};

  /// `routine(*this, where)` will be called once, on a thread with this name (at most 15
  /// characters) and scheduling class, which may use `cpus`.
  struct life {
    std::string name;
    std::vector<int> cpus;
    scheduling priority;
    void (*routine)(spare_thread& self, void* where);
  };

  spare_thread(life given, void* where) : life_{std::move(given)}, where_{where} {}
  spare_thread(const spare_thread&) = delete;
  spare_thread& operator=(const spare_thread&) = delete;

  // ---- any thread ----

  /// Creates the thread unless it exists; false if the system refuses. Calls `before` before it
  /// creates the thread, and `undo` if that was refused. Takes a lock.
  template <class Before, class Undo>
  bool make_if_missing(Before before, Undo undo) noexcept {
    if (is_made()) [[likely]] {
      return true;
    }
    const std::lock_guard lock{making_};
    if (is_made()) {
      return true;
    }
    before();
    if (!try_make()) {
      undo();
      return false;
    }
    made_.store(true, memory_order_relaxed);  // see is_made
    return true;
  }

  [[nodiscard]] const std::string& name() const noexcept { return life_.name; }
  [[nodiscard]] bool is_made() const noexcept {
    // Relaxed: it publishes nothing. The lock orders two makers, and `join` accesses the thread's
    // object after everything that ran in the pool, as the pool's end orders it (joint_end).
    return made_.load(memory_order_relaxed);
  }

  /// Makes it look for what was published before. A system call if it sleeps.
  void call() noexcept {
    if (!called_.exchange(true, memory_order_release)) {  // pairs with end_call
      gate_.wake_sleeper();
    }
  }
  [[nodiscard]] bool is_called_guess() const noexcept {
    return called_.load(memory_order_relaxed);  // a guess
  }

  /// Makes it check again the condition of `sleep_until_called`.
  void wake() noexcept { gate_.wake_sleeper(); }

  // ---- the spare thread itself ----

  /// Sleeps until it is called, or `over()`.
  template <class Over>
  void sleep_until_called(Over over) noexcept {
    while (!is_called_guess() && !over()) {
      gate_.sleep_unless([&] { return is_called_guess() || over(); });
    }
  }

  /// Before it answers a call: a thread that is about to be free may take the tasks.
  static void let_others_go_first() { std::this_thread::sleep_for(kPatience); }

  /// Marks the call as answered. The caller has to look once more whether there is anything left.
  void end_call() noexcept { called_.exchange(false, memory_order_acquire); }  // pairs with call

  // ---- its pool, in the end ----

  void join() {
    if (is_made()) {
      join_service_thread(thread_);
    }
  }
  /// For a thread that cannot be joined: drops only its handle.
  void abandon() noexcept { ::new (static_cast<void*>(&thread_)) service_thread{}; }

 private:
  bool try_make() noexcept {
    FINEGRAIN_TRY {
      if (!try_start_service_thread(thread_, {life_.name.c_str(), life_.priority}, &live, this)
               .empty()) {
        return false;
      }
      try_schedule(thread_, life_.priority);  // if refused, like the other threads
      return true;
    }
    FINEGRAIN_CATCH(const std::bad_alloc&) { return false; }
  }

  static void live(spare_thread* self) {
    set_allowed_cpus(self->life_.cpus);   // not those of the thread that created it, which may
    untie_this_thread(self->life_.cpus);  // be a pinned worker
    self->life_.routine(*self, self->where_);
  }

  life life_;
  void* where_;
  std::mutex making_;
  service_thread thread_;
  atomic<bool> made_{false};
  atomic<bool> called_{false};
  sleep_gate gate_;
};

}  // namespace fg::inline FINEGRAIN_ABI::detail
