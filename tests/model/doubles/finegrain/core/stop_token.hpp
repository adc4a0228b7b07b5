// Stop requests with one callback each, registered before there is a second thread: replaces the
// shipped core/stop_token.hpp, which uses the standard library's atomics.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "finegrain/core/atomic.hpp"

namespace fg::inline FINEGRAIN_ABI {

namespace detail {

struct stop_state {
  atomic<bool> is_asked{false};
  void (*call)(void*) noexcept = nullptr;
  void* callback = nullptr;
};

}  // namespace detail

class stop_token {
 public:
  stop_token() = default;
  explicit stop_token(detail::stop_state* state) : state_{state} {}

  // The orders are the standard's: the request happens before everything that sees it.
  [[nodiscard]] bool stop_requested() const noexcept {
    return state_ != nullptr && state_->is_asked.load(memory_order_acquire);
  }
  [[nodiscard]] bool stop_possible() const noexcept { return state_ != nullptr; }
  [[nodiscard]] detail::stop_state* state() const noexcept { return state_; }

 private:
  detail::stop_state* state_ = nullptr;
};

class stop_source {
 public:
  [[nodiscard]] stop_token get_token() noexcept { return stop_token{&state_}; }
  void request_stop() noexcept {
    state_.is_asked.store(true, memory_order_release);
    if (state_.call != nullptr) {
      state_.call(state_.callback);
    }
  }

 private:
  detail::stop_state state_;
};

template <class Callback>
class stop_callback {
 public:
  stop_callback(const stop_token& stop, const Callback& callback) : callback_{callback} {
    if (stop.stop_possible()) {
      stop.state()->callback = &callback_;
      stop.state()->call = [](void* called) noexcept { (*static_cast<Callback*>(called))(); };
    }
  }
  stop_callback(const stop_callback&) = delete;
  stop_callback& operator=(const stop_callback&) = delete;

 private:
  Callback callback_;
};

namespace detail {

class stop_flag {
 public:
  explicit stop_flag(const stop_token& /*stop*/) {}

  void set() noexcept { set_.store(true, memory_order_relaxed); }
  [[nodiscard]] bool is_set() const noexcept { return set_.load(memory_order_relaxed); }

 private:
  atomic<bool> set_{false};
};

}  // namespace detail

}  // namespace fg::inline FINEGRAIN_ABI
