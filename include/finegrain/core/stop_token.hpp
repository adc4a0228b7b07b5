// Stop requests: the standard's or, if the library has none, the part of it that we use.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <version>

#include "finegrain/core/atomic.hpp"

#if defined(__cpp_lib_jthread)

#include <stop_token>

namespace fg::inline FINEGRAIN_ABI {

using std::stop_callback;
using std::stop_source;
using std::stop_token;

}  // namespace fg::inline FINEGRAIN_ABI

#else  // libc++ before 20

#include <memory>
#include <mutex>
#include <thread>
#include <utility>

namespace fg::inline FINEGRAIN_ABI {

namespace detail {

/// The state shared by a source, its tokens and its callbacks.
struct stop_state {
  struct callback {
    void (*call)(callback&) noexcept;
    callback* next = nullptr;
  };

  atomic<bool> requested{false};
  std::mutex mutex;  // protects everything below
  callback* first = nullptr;
  callback* running = nullptr;
  std::thread::id runner;

  bool request() {
    std::unique_lock lock{mutex};
    // Release: pairs with the acquire in stop_token::stop_requested.
    if (requested.exchange(true, memory_order_release)) {
      return false;
    }
    runner = std::this_thread::get_id();
    while (first != nullptr) {
      running = std::exchange(first, first->next);
      lock.unlock();
      running->call(*running);
      lock.lock();
      running = nullptr;
    }
    return true;
  }

  bool add(callback& added) {
    const std::lock_guard lock{mutex};
    if (requested.load(memory_order_relaxed)) {  // ordered by the mutex
      return false;
    }
    added.next = std::exchange(first, &added);
    return true;
  }

  // Returns when the callback is not running; on the thread that runs it, at once.
  void remove(callback& removed) {
    std::unique_lock lock{mutex};
    for (callback** link = &first; *link != nullptr; link = &(*link)->next) {
      if (*link == &removed) {
        *link = removed.next;
        return;
      }
    }
    while (running == &removed && runner != std::this_thread::get_id()) {
      lock.unlock();
      std::this_thread::yield();
      lock.lock();
    }
  }
};

}  // namespace detail

/// As std::stop_token.
class stop_token {
 public:
  stop_token() noexcept = default;

  [[nodiscard]] bool stop_requested() const noexcept {
    // Acquire: pairs with the release in stop_state::request.
    return state_ != nullptr && state_->requested.load(memory_order_acquire);
  }
  [[nodiscard]] bool stop_possible() const noexcept { return state_ != nullptr; }

 private:
  friend class stop_source;
  template <class Callback>
  friend class stop_callback;
  explicit stop_token(std::shared_ptr<detail::stop_state> state) noexcept
      : state_{std::move(state)} {}

  std::shared_ptr<detail::stop_state> state_;
};

/// As std::stop_source.
class stop_source {
 public:
  stop_source() : state_{std::make_shared<detail::stop_state>()} {}

  [[nodiscard]] stop_token get_token() const noexcept { return stop_token{state_}; }
  bool request_stop() const noexcept { return state_ != nullptr && state_->request(); }
  [[nodiscard]] bool stop_requested() const noexcept { return get_token().stop_requested(); }
  [[nodiscard]] bool stop_possible() const noexcept { return state_ != nullptr; }

 private:
  std::shared_ptr<detail::stop_state> state_;
};

/// As std::stop_callback.
template <class Callback>
class [[nodiscard]] stop_callback : private detail::stop_state::callback {
 public:
  template <class C>
  explicit stop_callback(const stop_token& token, C&& callback)
      : detail::stop_state::callback{.call = &call_it},
        callback_(std::forward<C>(callback)),
        state_{token.state_} {
    if (state_ != nullptr && !state_->add(*this)) {
      state_ = nullptr;
      callback_();
    }
  }
  ~stop_callback() {
    if (state_ != nullptr) {
      state_->remove(*this);
    }
  }
  stop_callback(const stop_callback&) = delete;
  stop_callback& operator=(const stop_callback&) = delete;

 private:
  static void call_it(detail::stop_state::callback& self) noexcept {
    static_cast<stop_callback&>(self).callback_();
  }

  Callback callback_;
  std::shared_ptr<detail::stop_state> state_;
};

template <class Callback>
stop_callback(stop_token, Callback) -> stop_callback<Callback>;

}  // namespace fg::inline FINEGRAIN_ABI

#endif

namespace fg::inline FINEGRAIN_ABI::detail {

/// A flag that is also set when a token is asked to stop, so that checking it takes one load. Any
/// thread, except for construction and destruction.
class stop_flag {
 public:
  explicit stop_flag(const stop_token& stop) : callback_{stop, setter{this}} {}
  stop_flag(const stop_flag&) = delete;
  stop_flag& operator=(const stop_flag&) = delete;

  /// Both relaxed: the flag is a hint and orders nothing.
  void set() noexcept { set_.store(true, memory_order_relaxed); }
  [[nodiscard]] bool is_set() const noexcept { return set_.load(memory_order_relaxed); }

 private:
  struct setter {
    stop_flag* flag;
    void operator()() const noexcept { flag->set(); }
  };

  atomic<bool> set_{false};
  stop_callback<setter> callback_;  // declared after the flag, which it may set at once
};

}  // namespace fg::inline FINEGRAIN_ABI::detail
