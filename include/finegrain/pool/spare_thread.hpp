// A thread that is made when it is first needed.
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
///     not called   -> called       by whoever needs it; who was first wakes it
///     called       -> not called   by the spare thread when it finds nothing left
///
/// Both are exchanges, the first releases and the second acquires: who finds it called already has
/// put its work there before, and the spare thread, whose exchange reads from that one, sees the
/// work in the look that has to follow.
class spare_thread {
 public:
  /// How long it lets the others go first. Half of the millisecond in which a posted task has to
  /// begin; most tasks end sooner, and then nobody has to share a CPU.
  static constexpr std::chrono::microseconds kPatience{500};

  /// `routine(*this, where)` will be called, once, on a thread of this name (at most 15
  /// characters) and class, which may use `cpus`.
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

  /// Makes the thread unless there is one; false where the system refuses. `before` is called if
  /// one is about to be made, `undo` if it was refused. A lock.
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
    // Relaxed: it publishes nothing. Two makers have the lock between them, and `join` touches the
    // thread's object after all that ran in the pool, as its end orders it (joint_end).
    return made_.load(memory_order_relaxed);
  }

  /// What was published before will be looked for. A system call if it sleeps.
  void call() noexcept {
    if (!called_.exchange(true, memory_order_release)) {  // pairs with end_call
      gate_.wake_sleeper();
    }
  }
  [[nodiscard]] bool is_called_guess() const noexcept {
    return called_.load(memory_order_relaxed);  // a guess
  }

  /// So that it looks again at what `sleep_until_called` was given.
  void wake() noexcept { gate_.wake_sleeper(); }

  // ---- the spare thread itself ----

  /// Sleeps until it is called, or `over()`.
  template <class Over>
  void sleep_until_called(Over over) noexcept {
    while (!is_called_guess() && !over()) {
      gate_.sleep_unless([&] { return is_called_guess() || over(); });
    }
  }

  /// Before it answers a call: whoever is about to be free may do so.
  static void let_others_go_first() { std::this_thread::sleep_for(kPatience); }

  /// The call is answered. The caller has to look once more whether there is something left.
  void end_call() noexcept { called_.exchange(false, memory_order_acquire); }  // pairs with call

  // ---- its pool, in the end ----

  void join() {
    if (is_made()) {
      join_service_thread(thread_);
    }
  }
  /// Where it can not be joined: only its name is given back.
  void abandon() noexcept { ::new (static_cast<void*>(&thread_)) std::thread{}; }

 private:
  bool try_make() noexcept {
    FINEGRAIN_TRY {
      if (!try_start_service_thread(thread_, life_.name.c_str(), &live, this).empty()) {
        return false;
      }
      try_schedule(thread_, life_.priority);  // where it can not have it: as the others
      return true;
    }
    FINEGRAIN_CATCH(const std::bad_alloc&) { return false; }
  }

  static void live(spare_thread* self) {
    set_allowed_cpus(self->life_.cpus);   // not those of the thread that has made it, which may
    untie_this_thread(self->life_.cpus);  // be a worker that is tied
    self->life_.routine(*self, self->where_);
  }

  life life_;
  void* where_;
  std::mutex making_;
  std::thread thread_;
  atomic<bool> made_{false};
  atomic<bool> called_{false};
  sleep_gate gate_;
};

}  // namespace fg::inline FINEGRAIN_ABI::detail
