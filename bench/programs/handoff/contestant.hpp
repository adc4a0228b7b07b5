// The interface of a queue in the hand-off experiment.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <concepts>

namespace fg::bench {

/// A way to hand tasks to another thread. Constructed on the main thread with the CPU of the other
/// thread, which it starts and pins; throws std::runtime_error if it cannot. Then, on the main
/// thread: `submit(routine, argument)` hands over `routine(argument)`, waiting for space if
/// necessary; `wait()` returns when all have run and their effects are visible.
template <class C>
concept contestant =
    std::constructible_from<C, int> && requires(C& it, void (*routine)(void*), void* argument) {
      it.submit(routine, argument);
      it.wait();
    };

}  // namespace fg::bench
