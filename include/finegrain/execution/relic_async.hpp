// A value that a relic's assistant is to bring.
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

}  // namespace fg::inline FINEGRAIN_ABI
