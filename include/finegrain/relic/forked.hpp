// The result of a task on a relic, until it is taken.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <exception>
#include <memory>
#include <new>
#include <type_traits>
#include <utility>

#include "finegrain/core/cache_line.hpp"
#include "finegrain/core/errors.hpp"
#include "finegrain/relic/handoff_ring.hpp"
#include "finegrain/task/task_record.hpp"
#include "finegrain/wait/wait.hpp"

namespace fg::inline FINEGRAIN_ABI {

template <wait_policy Wait>
class basic_relic;

/// A task that was passed to a relic by `fork`, and its result, a `T`: what the closure returned,
/// without reference.
///
///     auto left = relic.fork([a, b] { return a * b; });
///     const long right = c * d;           // meanwhile
///     use(left.get() + right);
///
/// **Where the result is.** A `T` of up to 48 bytes, of an alignment of up to 8, comes home in the
/// task's own cache line, so it costs no more than the task does. It stays there until `get`. If
/// the relic needs the slot before, because everything was waited for or 128 later tasks were
/// submitted, it moves the result into this object: nothing is lost, and nothing waits. A larger
/// `T` is written into this object by the assistant; then the object cannot be moved, and the
/// closure has at most 40 bytes.
///
/// All functions are for the relic's main thread, and not for its tasks. The relic may be destroyed
/// before this object: it then has its result. An exception of the task comes from `get`, never from
/// the relic's `wait`.
template <class T, wait_policy Wait = spin_then_sleep>
class [[nodiscard]] forked {
 public:
  /// True if the result comes home in the task's line, and the object can be moved.
  static constexpr bool kInTaskLine = detail::kFitsInRecord<T>;

  /// No task: not `valid`.
  forked() noexcept = default;

  /// `other` is not `valid` afterwards.
  forked(forked&& other) noexcept(kMovesWithoutThrowing)
    requires kInTaskLine
  {
    take_from(other);
  }
  /// Waits for the own task first, and drops its result.
  forked& operator=(forked&& other) noexcept(kMovesWithoutThrowing)
    requires kInTaskLine
  {
    if (this != &other) {
      if (valid()) {
        drop();
      }
      take_from(other);
    }
    return *this;
  }
  forked(const forked&) = delete;
  forked& operator=(const forked&) = delete;

  /// A call that is made here and now, in the form of a task: for code that a task may run too.
  template <class F>
  static forked ran_here(F& call) {
    return forked{ran_here_tag{}, call};
  }

  /// Waits for the task, and drops its result or exception if nobody has taken it.
  ~forked() {
    if (valid()) [[unlikely]] {
      drop();
    }
  }

  /// Waits until the task, and so every task submitted before it, has finished; what they wrote is
  /// then visible (but what `submit_into` assigns only after the relic's `wait`). Returns the result
  /// of the task, or throws what it threw. Requires: `valid()`; it is not afterwards.
  FINEGRAIN_CHECKED_FUNCTION T get() {
    FINEGRAIN_EXPECTS(valid(), "the result of a forked task is taken once");
    if (state_ == state::submitted) [[likely]] {
      state_ = state::taken;
      detail::task_record& record = relic_->take_over(at_);
      if constexpr (kInTaskLine) {
        return record.template take<T>();
      } else {
        record.template take<void>();
        return take_held<value>();
      }
    }
    return take_kept();
  }

  /// Waits until `get` would not. Throws nothing.
  FINEGRAIN_CHECKED_FUNCTION void wait() {
    if (state_ == state::submitted) {
      relic_->wait_for(at_);
    }
  }

  /// True if there is a result to take: neither taken nor moved away.
  [[nodiscard]] bool valid() const noexcept { return state_ != state::taken; }

  /// True if `get` would not wait. Requires: `valid()`.
  [[nodiscard]] bool is_ready() const noexcept {
    return state_ != state::submitted || relic_->has_finished(at_);
  }

 private:
  friend class basic_relic<Wait>;
  using value = std::conditional_t<std::is_void_v<T>, std::byte, T>;
  using in_record = std::conditional_t<kInTaskLine, T, void>;
  static constexpr bool kMovesWithoutThrowing = std::is_nothrow_move_constructible_v<value>;

  static constexpr std::size_t kAlignment = std::max(alignof(value), kTaskClosureAlignment);

  // Where the result is. While it is on its way the assistant writes a large one into the room.
  enum class state : std::uint8_t {
    submitted,  // on its way, or in the task's slot
    returned,   // in the room: a `value`
    threw,      // in the room: a std::exception_ptr
    taken,
  };

  template <class F>
  forked(basic_relic<Wait>& home, F&& closure) : relic_{&home}, state_{state::submitted} {
    const detail::result_taker taker{&take_home, this};
    if constexpr (kInTaskLine) {
      at_ = home.template hand_over_keeping<true>(std::forward<F>(closure), taker);
    } else {
      static_assert(sizeof(std::decay_t<F>) + sizeof(void*) <= kTaskClosureBytes,
                    "finegrain: a closure whose result has more than 48 bytes, or a stricter "
                    "alignment than 8, has at most 40 bytes; capture a pointer or a reference");
      at_ = home.template hand_over_keeping<true>(
          [this, callee = std::forward<F>(closure)]() mutable { hold_result_of(callee); }, taker);
    }
  }

  struct ran_here_tag {};
  template <class F>
  forked(ran_here_tag /*tag*/, F& call) {
    settle(call);
  }

  template <class Held, class Source>
  void hold(Source&& source) {
    ::new (static_cast<void*>(room_)) Held(std::forward<Source>(source));
  }
  template <class Held>
  Held* held() noexcept {
    return std::launder(reinterpret_cast<Held*>(room_));
  }

  template <class F>
  void hold_result_of(F& call) {
    if constexpr (std::is_void_v<T>) {
      call();
    } else {
      ::new (static_cast<void*>(room_)) T(call());
    }
  }

  // Requires: not valid. If moving the result throws, it is lost.
  void take_from(forked& other) {
    const state before = std::exchange(other.state_, state::taken);
    if (before == state::submitted) {
      relic_ = other.relic_;
      at_ = other.at_;
      relic_->redirect(at_, this);
    } else if (before == state::returned) {
      hold<value>(other.template take_held<value>());
    } else if (before == state::threw) {
      hold<std::exception_ptr>(other.template take_held<std::exception_ptr>());
    }
    state_ = before;
  }

  template <class F>
  void settle(F& call) noexcept {
    FINEGRAIN_TRY {
      hold_result_of(call);
      state_ = state::returned;
    }
    FINEGRAIN_CATCH(...) {
      hold<std::exception_ptr>(std::current_exception());
      state_ = state::threw;
    }
  }

  // The relic needs the slot.
  static void take_home(detail::task_record& record, void* destination) noexcept {
    auto& self = *static_cast<forked*>(destination);
    if (kInTaskLine || record.has_failed()) {
      const auto result = [&record] { return record.template take<T>(); };
      self.settle(result);
    } else {
      self.state_ = state::returned;
    }
  }

  // Out of line, off the short path.
  FINEGRAIN_NOINLINE T take_kept() {
    if (std::exchange(state_, state::taken) == state::threw) {
      std::rethrow_exception(take_held<std::exception_ptr>());
    }
    if constexpr (!std::is_void_v<T>) {
      return take_held<T>();
    }
  }

  // At exit() within a task, or in a child of another thread, nobody waits.
  FINEGRAIN_NOINLINE void drop() noexcept {
    const state before = std::exchange(state_, state::taken);
    if (before == state::submitted) {
      if (!relic_->may_wait()) {
        return;
      }
      detail::task_record& record = relic_->take_over(at_);
      if (!kInTaskLine && !record.has_failed()) {
        std::destroy_at(held<value>());
      }
      record.template drop<in_record>();
    } else if (before == state::returned) {
      std::destroy_at(held<value>());
    } else {
      std::destroy_at(held<std::exception_ptr>());
    }
  }

  template <class Held>
  Held take_held() {
    struct destroy_at_exit {
      Held* what;
      ~destroy_at_exit() { std::destroy_at(what); }
    } const guard{held<Held>()};
    return std::move(*guard.what);
  }

  basic_relic<Wait>* relic_ = nullptr;
  typename basic_relic<Wait>::task_place at_{};
  state state_ = state::taken;
  // The assistant writes a large result: then a line lies between it and the members above, which
  // the main thread uses meanwhile. Not by alignment, which coroutines' frames do not have.
  std::byte gap_[kInTaskLine ? 1 : kCacheLineBytes];
  alignas(kAlignment) std::byte room_[std::max(sizeof(value), sizeof(std::exception_ptr))];
};

}  // namespace fg::inline FINEGRAIN_ABI
