// Which worker the calling thread is, and in which pools.
#pragma once

#include <type_traits>

#include "finegrain/pool/worker.hpp"
#include "finegrain/trace/trace.hpp"

namespace fg::inline FINEGRAIN_ABI {

class pool;

/// While this lives the calling thread works in a pool: as a worker, or without one, where all that
/// it spawns runs at once. Presences nest, also in different pools; they lie on the stack.
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

  /// Once more as `around`, in which the calling thread is.
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

  /// The one of `home` that is innermost, perhaps below presences in other pools; null if the
  /// calling thread does not work in `home`.
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

  /// Null: without one.
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

  // Then nobody has to come for its tasks: before its outermost presence there are none, and it
  // ends when all have run (work_as, worker::end_together).
  [[nodiscard]] bool has_empty_deque_outside() const noexcept {
    return outer_ == nullptr && self_ != nullptr && self_->uses_own_deque_;
  }

  // Either may be null. Out of line: inlined, it cost an empty `run` 21 instructions, of 226
  // (clang 19, x86-64).
  [[gnu::noinline]] static void change_worker(worker* before, worker* after) noexcept {
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

namespace detail {

/// Calls `f` on the calling thread as `self`, which is none of the own threads of its pool and has
/// no thread now. The thread that is `self` writes down what it runs in `trace`.
template <class F>
std::invoke_result_t<F&> work_as(worker& self, trace_log* trace, F& f) {
  self.use_trace(trace);
  const presence present{self, false};
  self.begin_root();
  // What it has taken from others must not lie with a worker that is not there.
  struct run_the_rest_at_exit {
    worker& self;
    ~run_the_rest_at_exit() { self.run_own_tasks(); }
  } const rest{self};
  return f();
}

}  // namespace detail

}  // namespace fg::inline FINEGRAIN_ABI
