// POSIX fork(): tells a child's objects from its parent's; objects that take part in a fork.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "finegrain/core/atomic.hpp"

#if defined(__unix__) || defined(__APPLE__)
#include <pthread.h>
#endif

/// Marks a function of which each library has its own. On Windows all are so unless exported.
#if defined(_WIN32)
#define FINEGRAIN_HIDDEN
#else
#define FINEGRAIN_HIDDEN [[gnu::visibility("hidden")]]
#endif

namespace fg::inline FINEGRAIN_ABI::detail {

/// Registers functions that POSIX fork() calls before the copy and in the child; either may be
/// null. Registered permanently. If memory is exhausted fork() goes unnoticed.
///
/// Hidden, like the functions that call it, so that each library registers its own handlers: fork()
/// forgets the handlers of a library that is unloaded.
FINEGRAIN_HIDDEN inline int at_fork(void (*prepare)(), void (*in_child)()) noexcept {
#if defined(__unix__) || defined(__APPLE__)
  return pthread_atfork(prepare, nullptr, in_child);
#else
  static_cast<void>(prepare);
  static_cast<void>(in_child);
  return 0;  // there is no fork()
#endif
}

/// Tells this process's objects from those inherited by fork. One load, no system call. Any thread.
class process_mark {
 public:
  process_mark() noexcept { install_handler(); }

  /// False in a forked child if the parent made the mark.
  [[nodiscard]] bool is_of_this_process() const noexcept {
    // Relaxed, here and below: written only in a forked child before it has a second thread, so
    // everything in the child is ordered after it.
    return made_in_ == generation().load(memory_order_relaxed);
  }

 private:
  static atomic<std::uint32_t>& generation() noexcept {
    constinit static atomic<std::uint32_t> forks{0};
    return forks;
  }
  // Hidden, see at_fork. With several libraries one fork counts several times.
  FINEGRAIN_HIDDEN static void install_handler() noexcept {
    [[maybe_unused]] static const int installed =
        // Relaxed: the child has only this thread.
        at_fork(nullptr, [] { generation().fetch_add(1, memory_order_relaxed); });
  }

  // Relaxed: see is_of_this_process.
  std::uint32_t made_in_ = generation().load(memory_order_relaxed);
};

/// An object of one thread that takes part when this thread calls POSIX fork(). The child has only
/// that thread, so whatever other threads were doing for the object is lost there.
///
/// `before_fork` runs in the parent before the copy, `after_fork_in_child` in the child, each
/// possibly more than once. Both run on the thread that made the object, which also destroys it.
/// Objects of other threads are not notified: in the child no thread may use them, but they may be
/// destroyed there; `of_this_process` identifies them.
///
/// There is no lock: each thread keeps its own list of participants.
class fork_participant {
 public:
  fork_participant(const fork_participant&) = delete;
  fork_participant& operator=(const fork_participant&) = delete;

  /// False in a forked child if the parent made the object.
  [[nodiscard]] bool of_this_process() const noexcept { return made_in_.is_of_this_process(); }

 protected:
  fork_participant() noexcept : next_{first()} {
    install_handlers();
    first() = this;
  }
  ~fork_participant() {
    for (fork_participant** link = &first(); *link != nullptr; link = &(*link)->next_) {
      if (*link == this) {
        *link = next_;
        return;
      }
    }
  }

  virtual void before_fork() noexcept = 0;
  virtual void after_fork_in_child() noexcept = 0;

 private:
  static fork_participant*& first() noexcept {
    constinit static thread_local fork_participant* list = nullptr;
    return list;
  }

  // Hidden, see at_fork.
  FINEGRAIN_HIDDEN static void install_handlers() noexcept {
    [[maybe_unused]] static const int installed = at_fork(&prepare, &in_child);
  }
  static void prepare() noexcept {
    for (fork_participant* each = first(); each != nullptr; each = each->next_) {
      each->before_fork();
    }
  }
  static void in_child() noexcept {
    for (fork_participant* each = first(); each != nullptr; each = each->next_) {
      each->after_fork_in_child();
    }
  }

  fork_participant* next_;
  process_mark made_in_;  // made before install_handlers: in the child its handler runs first
};

}  // namespace fg::inline FINEGRAIN_ABI::detail
