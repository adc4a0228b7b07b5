// What the hand-off experiment wants of each queue.
#pragma once

#include <concepts>
#include <cstdint>
#include <string>

#include "finegrain/core/atomic.hpp"
#include "finegrain/core/cache_line.hpp"

namespace fg::bench {

/// A task of the experiment: counts itself. `number` is its place in the order of submission.
///
/// Only the assistant touches it between two waits, so its line stays there.
struct alignas(kCacheLineBytes) task_ledger {
  std::uint64_t next = 0;
  std::uint64_t out_of_order = 0;
  int cpu = -1;

  /// A task that proves the order.
  void run(std::uint64_t number) noexcept {
    out_of_order += static_cast<std::uint64_t>(number != next);
    ++next;
  }
};

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
