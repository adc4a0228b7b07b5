// Coroutines and a relic: awaiting the result of a call there, and moving there.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "finegrain/core/config.hpp"
// And only then what has an error of its own before C++20.
#include <coroutine>
#include <type_traits>
#include <utility>

#include "finegrain/relic/relic.hpp"
#include "finegrain/relic/relic_like.hpp"
#include "finegrain/task/outcome.hpp"

namespace fg::inline FINEGRAIN_ABI {

/// A call of `F` that the assistant makes while the main thread does something else: see `async`.
/// It holds the callable and what becomes of it: no allocation, not movable. All functions: the
/// relic's main thread, or in a task of the relic.
template <relic_like Relic, class F>
class [[nodiscard]] relic_async : private std::suspend_never {
 public:
  /// What the call returns, by value.
  using value_type = typename detail::outcome<F>::value_type;

  template <class G>
  relic_async(Relic& runner, G&& f) : f_(std::forward<G>(f)) {
    if (runner.called_by_task()) {
      outcome_.keep_result_of(f_);
    } else {
      task_ = runner.fork([this]() noexcept { outcome_.keep_result_of(f_); });
      relic_ = &runner;
    }
  }
  relic_async(const relic_async&) = delete;
  relic_async& operator=(const relic_async&) = delete;

  /// Waits for the call. An exception that nobody took is dropped.
  ~relic_async() { join(); }

  /// Waits for the call, then returns its result or throws its exception. Once, here or by
  /// `co_await`.
  value_type get() {
    join();
    return outcome_.take();
  }

  // `co_await` is the same: nothing is suspended, because the main thread's wait for the assistant
  // is shorter than any way back to it.
  bool await_ready() {
    join();
    return true;
  }
  using std::suspend_never::await_suspend;
  value_type await_resume() { return outcome_.take(); }

 private:
  void join() {
    if (relic_ != nullptr) {
      std::exchange(relic_, nullptr)->join(task_);
    }
  }

  F f_;
  detail::outcome<F> outcome_;
  typename Relic::fork_handle task_{};
  Relic* relic_ = nullptr;  // while the call may not have finished
};

/// Hands a call of `f` to the assistant now; `co_await`, or `get`, gives its result or exception.
///
///     auto low = fg::async(relic, [&] { return sum(first_half); });
///     const long high = sum(second_half);   // meanwhile
///     const long both = high + co_await low;
///
/// Requires: the relic's main thread; the relic outlives what is returned. In order with all that
/// is submitted; waits for space as `submit` does. In inline mode, and in a task of the relic, `f`
/// runs at once. What was written before is visible to `f`; what `f` wrote, behind `get` or
/// `co_await`, which busy-wait for it on this thread, also in a coroutine: nothing is suspended.
/// Always hands over; `fork_join` measures whether it pays. Throws what copying `f` throws.
template <relic_like Relic, class F>
  requires std::is_invocable_v<std::decay_t<F>&>
relic_async<Relic, std::decay_t<F>> async(Relic& runner, F&& f) {
  return relic_async<Relic, std::decay_t<F>>{runner, std::forward<F>(f)};
}

namespace detail {

/// What `resume_on(relic)` awaits.
template <relic_like Relic>
class [[nodiscard]] relic_hop : public std::suspend_always {
 public:
  explicit relic_hop(Relic& target) noexcept : relic_{&target} {}

  [[nodiscard]] bool await_ready() const noexcept { return relic_->called_by_task(); }
  void await_suspend(std::coroutine_handle<> caller) noexcept {
    relic_->submit([caller] { caller.resume(); });  // and this may be gone
  }

 private:
  Relic* relic_;
};

}  // namespace detail

/// `co_await fg::resume_on(relic)`: the coroutine goes on on the assistant, in order behind what
/// was submitted, as one task up to its end or its next suspension; `relic.wait()` waits for that.
/// It waits for space as `submit` does, and allocates nothing. Requires: the main thread. In a task
/// of the relic it goes on at once. What was written before is visible afterwards.
///
/// On the assistant the coroutine is a task and keeps to its rules: it may leave for a pool, or
/// end, but can not submit to this relic nor wait for it, and no `co_await` brings it back to the
/// main thread. In inline mode all that happens on the main thread, before `co_await` gives the
/// control back. An exception that leaves `resume` there goes to `relic.wait()`.
template <relic_like Relic>
detail::relic_hop<Relic> resume_on(Relic& target) noexcept {
  return detail::relic_hop<Relic>{target};
}

}  // namespace fg::inline FINEGRAIN_ABI
