// Coroutines and a relic: awaiting the result of a call there, and moving there.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "finegrain/core/config.hpp"
// After config.hpp: before C++20 this header fails with an error of its own.
#include <coroutine>
#include <type_traits>
#include <utility>

#include "finegrain/relic/relic.hpp"
#include "finegrain/relic/relic_like.hpp"
#include "finegrain/task/task_record.hpp"

namespace fg::inline FINEGRAIN_ABI {

/// A call of `F` that the assistant makes while the main thread does something else: see `async`.
/// No allocation, not movable. All functions: the relic's main thread, or in a task of the relic.
template <relic_like Relic, class F>
class [[nodiscard]] relic_async : public std::suspend_never {
 public:
  /// What the call returns, by value.
  using value_type = detail::call_result_t<F>;

  template <class G>
  relic_async(Relic& runner, G&& f) : f_(std::forward<G>(f)), task_(start(runner)) {}
  relic_async(const relic_async&) = delete;
  relic_async& operator=(const relic_async&) = delete;
  /// Waits for the call. An exception that was not taken is dropped.
  ~relic_async() = default;

  /// Waits for the call; returns its result or throws its exception. Once, here or by `co_await`.
  value_type get() { return task_.get(); }

  // `co_await` does the same: nothing is suspended, because the main thread's wait for the
  // assistant is shorter than any way back to it.
  value_type await_resume() { return task_.get(); }

 private:
  // The closure goes into the task's slot if it fits; it may hold the address of a large result too.
  static constexpr bool kFits =
      detail::kFitsInRecord<F> &&
      (detail::kFitsInRecord<value_type> || sizeof(F) + sizeof(void*) <= kTaskClosureBytes);
  using task = decltype(std::declval<Relic&>().fork(std::declval<value_type (*)()>()));

  task start(Relic& runner) {
    if (runner.called_by_task()) {
      return task::ran_here(f_);
    }
    if constexpr (kFits) {
      return runner.fork(std::move(f_));
    } else {
      return runner.fork([this] { return static_cast<value_type>(f_()); });
    }
  }

  F f_;
  task task_;
};

/// Passes a call of `f` to the assistant now; `co_await` or `get` returns its result or throws its
/// exception.
///
///     auto low = fg::async(relic, [&] { return sum(first_half); });
///     const long high = sum(second_half);   // meanwhile
///     const long both = high + co_await low;
///
/// Requires: the relic's main thread; the relic outlives the returned object. In order with
/// everything that is submitted; waits for space like `submit`. In inline mode, and in a task of
/// the relic, `f` runs at once. What was written before is visible to `f`; what `f` wrote is
/// visible after `get` or `co_await`, which busy-wait for it on this thread, also in a coroutine:
/// nothing is suspended. Always hands over; `fork_join` measures whether it pays. Throws what
/// copying `f` throws.
template <relic_like Relic, class F>
  requires std::is_invocable_v<std::decay_t<F>&>
relic_async<Relic, std::decay_t<F>> async(Relic& runner, F&& f) {
  return relic_async<Relic, std::decay_t<F>>{runner, std::forward<F>(f)};
}

namespace detail {

/// The awaitable of `resume_on(relic)`.
template <relic_like Relic>
class [[nodiscard]] relic_hop : public std::suspend_always {
 public:
  explicit relic_hop(Relic& target) noexcept : relic_{&target} {}

  [[nodiscard]] bool await_ready() const noexcept { return relic_->called_by_task(); }
  void await_suspend(std::coroutine_handle<> caller) noexcept {
    relic_->submit([caller] { caller.resume(); });  // this may be gone now
  }

 private:
  Relic* relic_;
};

}  // namespace detail

/// `co_await fg::resume_on(relic)`: the coroutine continues on the assistant, in order after what
/// was submitted, as one task up to its end or its next suspension; `relic.wait()` waits for that.
/// It waits for space like `submit`, and allocates nothing. Requires: the main thread. In a task of
/// the relic it continues at once. What was written before is visible afterwards.
///
/// On the assistant the coroutine is a task and has to follow the rules for tasks: it may move to a
/// pool, or end, but cannot submit to this relic or wait for it, and no `co_await` brings it back
/// to the main thread. In inline mode all this happens on the main thread, before `co_await`
/// returns control. An exception that leaves `resume` there goes to `relic.wait()`.
template <relic_like Relic>
detail::relic_hop<Relic> resume_on(Relic& target) noexcept {
  return detail::relic_hop<Relic>{target};
}

}  // namespace fg::inline FINEGRAIN_ABI
