// A coroutine for which a thread waits from outside.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <coroutine>
#include <exception>
#include <future>
#include <utility>

namespace fg::test {

/// Runs at once, until its first suspension. `get`, called exactly once, blocks until the coroutine
/// has ended and rethrows its exception.
class waited_coroutine {
 public:
  class promise_type {
   public:
    waited_coroutine get_return_object() { return waited_coroutine{*this}; }
    // NOLINTNEXTLINE(readability-convert-member-functions-to-static): objected to where it is used
    std::suspend_never initial_suspend() noexcept { return {}; }
    // NOLINTNEXTLINE(readability-convert-member-functions-to-static)
    auto final_suspend() noexcept { return tell{}; }
    void return_void() noexcept {}
    void unhandled_exception() noexcept { thrown_ = std::current_exception(); }

   private:
    friend class waited_coroutine;

    // `get` frees the frame as soon as it is notified.
    struct tell : std::suspend_always {
      // NOLINTNEXTLINE(readability-convert-member-functions-to-static)
      void await_suspend(std::coroutine_handle<promise_type> self) noexcept {
        std::promise<void> ended = std::move(self.promise().ended_);
        const std::exception_ptr thrown = std::exchange(self.promise().thrown_, nullptr);
        self.destroy();
        thrown ? ended.set_exception(thrown) : ended.set_value();
      }
    };

    std::promise<void> ended_;
    std::exception_ptr thrown_;
  };

  void get() { ended_.get(); }

 private:
  explicit waited_coroutine(promise_type& promise) : ended_{promise.ended_.get_future()} {}

  std::future<void> ended_;
};

}  // namespace fg::test
