// The interface of what carries values in the hand-off experiment.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <concepts>

#include "programs/handoff/value_tasks.hpp"

namespace fg::bench {

/// A way to have another thread call a routine and to have what it returns. Constructed like a
/// `contestant`. Then, on the main thread: `call<Routine>(argument)` has `Routine(argument)` run
/// as a task, waits until it has, and returns its result. The argument goes there by value: none, a
/// `long` or a pointer. How it travels, and how the result comes back, is what is compared: each
/// does it in the way that costs it least.
template <class C>
concept value_carrier = std::constructible_from<C, int> && requires(C& it, long* variable) {
  { it.template call<add_to_count>(1L) } -> std::same_as<void>;
  { it.template call<count_one>() } -> std::same_as<long>;
  { it.template call<count_four>() } -> std::same_as<four_longs>;
  { it.template call<count_into>(variable) } -> std::same_as<void>;
  { it.template call<twice_and_one>(1L) } -> std::same_as<long>;
};

}  // namespace fg::bench
