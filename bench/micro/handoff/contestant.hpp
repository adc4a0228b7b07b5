// What the hand-off experiment wants of each queue.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <concepts>

namespace fg::bench {

/// One way to hand tasks to another thread. Constructed on the main thread with the CPU of the
/// other one, which it starts and ties; throws std::runtime_error when it can not. Then, on the
/// main thread: `submit(routine, argument)` hands over `routine(argument)`, waiting for space if
/// need be; `wait()` returns when all have run, and their effects are visible.
template <class C>
concept contestant =
    std::constructible_from<C, int> && requires(C& it, void (*routine)(void*), void* argument) {
      it.submit(routine, argument);
      it.wait();
    };

}  // namespace fg::bench
