// Requests to stop that nobody makes: stands in for the shipped core/stop_token.hpp, behind which
// are the standard library's atomics.
#pragma once

#include "finegrain/core/atomic.hpp"

namespace fg {

class stop_token {
 public:
  // NOLINTBEGIN(readability-convert-member-functions-to-static): the shipped ones are none
  [[nodiscard]] bool stop_requested() const noexcept { return false; }
  [[nodiscard]] bool stop_possible() const noexcept { return false; }
  // NOLINTEND(readability-convert-member-functions-to-static)
};

template <class Callback>
struct stop_callback {
  stop_callback(const stop_token& /*stop*/, const Callback& /*callback*/) {}
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

}  // namespace fg
