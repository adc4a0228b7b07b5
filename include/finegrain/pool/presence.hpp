// Which worker the calling thread is, and in which pool.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdio>
#include <type_traits>

#include "finegrain/core/config.hpp"
#include "finegrain/pool/worker.hpp"
#include "finegrain/trace/trace.hpp"

namespace fg::inline FINEGRAIN_ABI {
class pool;
}

namespace fg::inline FINEGRAIN_ABI::detail {

/// While this object lives, the calling thread works in a pool: as a worker, or without one, so
/// that all it spawns runs at once. Presences nest, also of different pools; they lie on the stack.
class presence {
 public:
  /// As `self`. `serial`: nothing is pushed.
  presence(worker& self, bool serial) noexcept : presence{self.home(), &self} {
    was_serial_ = self.serial_;
    if (is_outermost_of_worker()) {
      self.begin_stack();
    }
    self.set_serial(serial);
  }

  /// In `home`, without a worker.
  explicit presence(pool& home) noexcept : presence{home, nullptr} {}

  /// Repeats `around`, a presence of the calling thread.
  presence(const presence& around) noexcept  // NOLINT(google-explicit-constructor): no conversion
      : presence{*around.home_, around.self_} {
    was_serial_ = self_ != nullptr && self_->serial_;
  }

  ~presence() {
    if (self_ != nullptr) {
      self_->set_serial(was_serial_);
    }
    if (has_empty_deque_outside()) {
      worker::slot() = nullptr;
    } else {
      change_worker(self_, outer_worker_);
    }
    innermost() = outer_;
  }
  presence& operator=(const presence&) = delete;

  /// The innermost presence in `home`, perhaps below presences in other pools; null if the calling
  /// thread does not work in `home`.
  static const presence* in(const pool& home) noexcept {
    for (const presence* each = innermost(); each != nullptr; each = each->outer_) {
      if (each->home_ == &home) {
        return each;
      }
    }
    return nullptr;
  }

  /// Whether the calling thread works in any pool.
  static bool in_any() noexcept { return innermost() != nullptr; }

  /// Null: without a worker.
  [[nodiscard]] worker* self() const noexcept { return self_; }

 private:
  presence(pool& home, worker* self) noexcept
      : home_{&home}, self_{self}, outer_{innermost()}, outer_worker_{worker::slot()} {
    innermost() = this;
    if (has_empty_deque_outside()) {
      worker::slot() = self;
    } else {
      change_worker(outer_worker_, self);
    }
  }

  // If so, no other thread has to take its tasks: there are none before its outermost presence, and
  // that ends when all have run (work_as, worker::end_together).
  [[nodiscard]] bool has_empty_deque_outside() const noexcept {
    return outer_ == nullptr && self_ != nullptr && self_->uses_own_deque_;
  }

  // Either may be null. Inlined, it cost an empty `run` 21 instructions, of 226 (clang 19, x86-64).
  FINEGRAIN_NOINLINE static void change_worker(worker* before, worker* after) noexcept {
    if (before != after && before != nullptr) {
      before->go_away();
    }
    worker::slot() = after;
    if (before != after && after != nullptr) {
      after->come_back();
    }
  }

  static presence*& innermost() noexcept {
    constinit static thread_local presence* top = nullptr;
    return top;
  }

  [[nodiscard]] bool is_outermost_of_worker() const noexcept {
    for (const presence* each = outer_; each != nullptr; each = each->outer_) {
      if (each->self_ == self_) {
        return false;
      }
    }
    return true;
  }

  pool* home_;
  worker* self_;
  bool was_serial_ = false;
  presence* outer_;
  worker* outer_worker_;
};

/// Calls `f` on the calling thread as `self`, which is not one of its pool's own threads and has no
/// thread now. The tasks that it runs are recorded in `trace`.
template <class F>
std::invoke_result_t<F&> work_as(worker& self, trace_log* trace, F& f) {
  self.use_trace(trace);
  const presence present{self, false};
  self.begin_root();
  // Tasks that it has taken from others must not lie with a worker that is away.
  struct run_the_rest_at_exit {
    worker& self;
    ~run_the_rest_at_exit() { self.run_own_tasks(); }
  } const rest{self};
  return f();
}

}  // namespace fg::inline FINEGRAIN_ABI::detail

namespace fg::inline FINEGRAIN_ABI::detail {

/// To be called by `algorithm` with the worker of the calling thread. If there is none, debug
/// builds say in one line on standard error, the first time in the process, that all runs serially:
/// that is allowed, but hardly intended. Does nothing in release builds. Any thread.
///
/// Always inlined: as a call, even an empty one, it kept clang 19 from inlining the code around it,
/// 8 instructions per fork (tests/codegen, pool_fork_join).
FINEGRAIN_ALWAYS_INLINE void remark_if_serial([[maybe_unused]] const worker* self,
                                              [[maybe_unused]] const char* algorithm) noexcept {
#if FINEGRAIN_DEBUG_CHECKS
  if (self == nullptr && !presence::in_any()) {
    [[maybe_unused]] static const int said =
        std::fprintf(stderr,
                     "finegrain: %s is called on a thread that works for no pool: it runs serially "
                     "there; call it within pool.run (debug builds say so once)\n",
                     algorithm);
  }
#endif
}

}  // namespace fg::inline FINEGRAIN_ABI::detail
